import Bolide
import BolideStorage
import Foundation

/// `name=values` as a new value for a property.
struct Assignment: Sendable {
  var name: String
  var literals: [Literal]

  static func list(
    _ options: [Argument], of entity: String?, checking reader: inout StepReader
  ) -> [Assignment] {
    options.compactMap { option in
      guard let name = option.name else { return nil }
      for literal in option.values {
        switch literal.kind {
        case .reference(let reference): reader.check(reference, at: literal.position)
        case .duration: reader.arguments.report("a duration is no value of a property", at: literal.position)
        case .expression where reader.step.verb.text != "batch-update":
          reader.arguments.report("only `batch-update` takes expressions", at: literal.position)
        default: break
        }
      }
      if let entity, reader.arguments.problems.isEmpty {
        reader.check(property: name, of: entity)
        reader.check(option.values, for: name, of: entity)
      }
      return Assignment(name: name.text, literals: option.values)
    }
  }
}

extension Literal {
  /// Whether the literal can stand for the objects of a relationship.
  var namesObjects: Bool {
    switch kind {
    case .reference, .null: true
    default: false
    }
  }

  /// The value of an attribute of the type; of another kind where it does not fit, nil where it is none.
  func value(as type: ValueType) -> Value? {
    switch kind {
    case .null: .null
    case .boolean(let flag): .bool(flag)
    case .string(let text), .word(let text):
      switch type {
      case .uri: .uri(text)
      // Infinities, and dates out of the calendar, which have no literal.
      case .double, .float, .date: CanonicalText.value(text, as: type) ?? .string(text)
      default: .string(text)
      }
    case .date(let text): CanonicalText.date(text).map { .date($0) }
    case .uuid(let text): UUID(uuidString: text).map { .uuid($0) }
    case .binary(let bytes): .binary(bytes)
    case .number(let text): CanonicalText.number(text, for: type)
    case .reference, .expression, .duration: nil
    }
  }
}

extension CanonicalText {
  /// The value of a number's text for an attribute; of another kind where it does not fit the type.
  static func number(_ text: String, for type: ValueType) -> Value {
    if let value = value(text, as: type) ?? Int64(text).map({ .int($0) }) { return value }
    if let number = Double(text), number.isFinite { return .double(number) }
    return .string(text)
  }
}
