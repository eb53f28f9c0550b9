import Bolide
import BolideStorage

/// Where a feed's fields go in the rows of an entity.
///
/// A field goes to the attribute of its name; an attribute that the feed does not know stays as it is, and a
/// field without an attribute is not read at all.
package struct FeedColumns: Sendable {
  private struct Target: Sendable {
    let field: Int
    let column: Int
    let type: FeedValueType
    let isFloat: Bool
  }

  /// In the order of the columns, which is the order in which a row is built fastest.
  private let targets: [Target]
  /// What is to be read.
  package let selection: FeedSelection

  /// Maps a feed to an entity.
  ///
  /// - Throws: `feed.entity` when an attribute that is needed is missing or of another type.
  package init(_ feed: Feed, entity: EntityMap) throws(BolideError) {
    if entity.isAbstract {
      throw BolideError(.feedEntity, "\(entity.name) is abstract: it has no objects of its own")
    }
    let keyedByNet = entity.find("net")?.attribute != nil
    let needed = feed.required(keyedByNet: keyedByNet)
    var targets: [Target] = []
    var required: [Int] = []
    var filled: [Int] = []
    for (index, field) in feed.fields.enumerated() {
      guard let (column, attribute) = Self.attribute(of: field, in: entity) else {
        if index != needed[0] { continue }
        let names = field.attributes.joined(separator: " or ")
        throw BolideError(
          .feedEntity, "\(entity.name) has no attribute \(names), which \(feed.rawValue) records need")
      }
      if let reason = Self.mismatch(field, attribute) {
        throw BolideError(
          .feedEntity,
          "\(entity.name).\(attribute.name) is \(reason), and the feed delivers \(field.type.name)")
      }
      targets.append(
        Target(field: index, column: column, type: field.type, isFloat: attribute.type == .float))
      if !attribute.isOptional {
        if attribute.defaultValue.isNull { required.append(index) } else { filled.append(index) }
      }
    }
    self.targets = targets.sorted { $0.column < $1.column }
    let wanted = feed.fields.indices.map { index in targets.contains { $0.field == index } }
    selection = FeedSelection(
      feed, wanted: wanted, keyedByNet: keyedByNet, required: required, filled: filled)
  }

  private static func attribute(
    of field: FeedField, in entity: EntityMap
  ) -> (column: Int, AttributeDescription)? {
    for name in field.attributes {
      if case .attribute(let column, let attribute)? = entity.find(name)?.kind { return (column, attribute) }
    }
    return nil
  }

  /// Why an attribute cannot take a field.
  private static func mismatch(_ field: FeedField, _ attribute: AttributeDescription) -> String? {
    if attribute.derivation != nil { return "derived" }
    switch (field.type, attribute.type) {
    case (.text, .string), (.double, .double), (.double, .float), (.date, .date), (.boolean, .boolean):
      return nil
    default: return "of type \(attribute.type.rawValue)"
    }
  }

  /// Writes a record that can be used into a row; what it does not mention is not given.
  package func write(_ record: borrowing FeedRecord, to row: inout RowBuilder) {
    for target in targets {
      switch record.state(target.field) {
      case .absent: break
      case .null: row.setNil(target.column)
      case .text:
        let text = UnsafeRawBufferPointer(record.text(target.field))
        // The text is UTF-8 for sure; below U+0300 it is in normal form, too.
        if NormalizedText.isPlain(text) {
          row.set(target.column, bytes: text)
        } else {
          row.set(target.column, utf8: text)
        }
      case .number where target.type == .boolean:
        row.set(target.column, int: record.boolean(target.field) ? 1 : 0)
      case .number:
        let value = record.double(target.field)
        row.set(target.column, double: target.isFloat ? Double(Float(value)) : value)
      }
    }
  }
}
