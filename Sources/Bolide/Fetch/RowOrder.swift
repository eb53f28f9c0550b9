import BolideStorage
import Foundation

/// The order of rows by sort terms, made ready for one entity (rule V-4).
///
/// Each row gets a key of bytes, and rows stand to each other as their keys do: nil lowest, equal rows by
/// object number in the direction of the last term, or ascending without terms. So a sort reads each
/// row once, and a key kept beside a row finds its place again.
package struct RowOrder: Sendable {
  /// A sort term with its place.
  package struct Term: Sendable {
    /// The column of the entity's own row whose order the term asks for; `nil` when it goes over a
    /// relationship or compares folded texts.
    package let column: Int?
    /// Whether low values come first.
    package let ascending: Bool
    let options: TextOptions
    let source: OperandSource
  }

  /// The terms, the most significant first.
  package let terms: [Term]
  /// The columns of a row that ``appendKey(of:number:reader:to:)`` looks at.
  package let columns: ColumnSet

  /// Looks the terms up.
  ///
  /// - Throws: `predicate.unknown-path`, `predicate.to-many` for a path over a to-many, and `predicate.type`
  ///   for a term that ends at a relationship, since objects have no order, or compares numbers as texts.
  package init(_ sort: [SortTerm], entity: EntityMap, map: SchemaMap) throws(BolideError) {
    let scope = EntityScope(entity, in: map)
    var terms: [Term] = []
    var columns = ColumnSet()
    for term in sort {
      let type = try term.operand.type(in: scope)?.type
      if type == .reference {
        throw BolideError(.predicateType, "objects have no order, so \(term) does not sort")
      }
      if !term.options.isEmpty, type != .string, type != .uri {
        throw BolideError(
          .predicateType, "\(term.options.text) is about texts, so \(term) does not sort")
      }
      let source = try OperandSource(term.operand, scope: scope)
      source.collectColumns(into: &columns)
      var column: Int?
      if case .column(let place, _) = source, term.options.isEmpty { column = place }
      terms.append(
        Term(column: column, ascending: term.ascending, options: term.options, source: source))
    }
    self.terms = terms
    self.columns = columns
  }

  /// Whether equal rows stand by ascending number.
  package var numbersAscend: Bool { terms.last?.ascending ?? true }

  /// Appends the key of a row.
  ///
  /// - Parameter reader: where the objects of to-one paths are read; the state the row is from.
  package func appendKey(
    of row: RowView, number: Number, reader: any Reader, to key: inout [UInt8]
  ) throws(BolideError) {
    for term in terms {
      let start = key.count
      if let column = term.column {
        IndexKey.append(row, columns: [column], to: &key)
      } else {
        let value = try term.source.value(row, number: number, reader: reader)
        IndexKey.append(term.options.isEmpty ? value : Self.folded(value, term.options), to: &key)
      }
      if !term.ascending { Self.invert(&key, from: start) }
    }
    let start = key.count
    IndexKey.append(number: number, to: &key)
    if !numbersAscend { Self.invert(&key, from: start) }
  }

  /// Appends the key of a value that a term sorts by.
  static func append(_ value: Value, by term: SortTerm, to key: inout [UInt8]) {
    let start = key.count
    IndexKey.append(term.options.isEmpty ? value : folded(value, term.options), to: &key)
    if !term.ascending { invert(&key, from: start) }
  }

  /// A text as bytes whose order is that of texts under options; nil stays nil.
  private static func folded(_ value: Value, _ options: TextOptions) -> Value {
    guard var text = value.text else { return .null }
    return text.withUTF8 { .binary(FoldedText.sortKey(of: UnsafeRawBufferPointer($0), options)) }
  }

  /// Whether a row with one key comes before a row with another.
  package static func precedes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    let common = min(left.count, right.count)
    if common > 0, let here = left.baseAddress, let there = right.baseAddress {
      let order = memcmp(here, there, common)
      if order != 0 { return order < 0 }
    }
    return left.count < right.count
  }

  // Parts of keys end themselves, so turning their bytes around turns their order around.
  static func invert(_ key: inout [UInt8], from start: Int) {
    for index in start..<key.count { key[index] = ~key[index] }
  }
}
