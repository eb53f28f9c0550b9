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
    /// The column alone, as keys are made of it; empty where there is none.
    fileprivate let keyColumns: [Int]
  }

  /// The terms, the most significant first.
  package let terms: [Term]
  /// The columns of a row that ``appendKeys(of:reader:to:)`` looks at.
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
        Term(
          column: column, ascending: term.ascending, options: term.options, source: source,
          keyColumns: column.map { [$0] } ?? []))
    }
    self.terms = terms
    self.columns = columns
  }

  /// Whether equal rows stand by ascending number.
  package var numbersAscend: Bool { terms.last?.ascending ?? true }

  /// Appends the keys of the rows of a chunk.
  ///
  /// - Parameter reader: where related objects are read; the state the rows are from.
  package func appendKeys(
    of chunk: RowChunk, reader: any Reader, to keys: inout SortKeys
  ) throws(BolideError) {
    var values: [[Value]?] = []
    for term in terms {
      values.append(term.column == nil ? try term.source.values(of: chunk, reader: reader) : nil)
    }
    for (row, number) in chunk.numbers.enumerated() {
      for (term, values) in zip(terms, values) {
        let start = keys.bytes.count
        if term.column != nil {
          IndexKey.append(chunk.rows[row], columns: term.keyColumns, to: &keys.bytes)
        } else if let value = values?[row] {
          IndexKey.append(
            term.options.isEmpty ? value : Self.folded(value, term.options), to: &keys.bytes)
        }
        if !term.ascending { Self.invert(&keys.bytes, from: start) }
      }
      let start = keys.bytes.count
      IndexKey.append(number: number, to: &keys.bytes)
      if !numbersAscend { Self.invert(&keys.bytes, from: start) }
      keys.endKey()
    }
  }

  /// Brings places of a batch's rows in order.
  func sort(_ places: inout [Int], of rows: RowBatch, reader: any Reader) throws(BolideError) {
    // Keys are made once a row and compared often.
    var keys = SortKeys()
    if terms.allSatisfy({ $0.column != nil }) {
      rows.withRows { views in
        for place in places { appendKey(of: views[place], rows.numbers[place], to: &keys) }
      }
      let order = keys.order()
      places = order.map { places[$0] }
      return
    }
    for start in stride(from: 0, to: places.count, by: RowChunk.limit) {
      let part = places[start..<min(start + RowChunk.limit, places.count)]
      try rows.withRows { (views) throws(BolideError) in
        try appendKeys(of: RowChunk(views, rows.numbers, at: part), reader: reader, to: &keys)
      }
    }
    let order = keys.order()
    places = order.map { places[$0] }
  }

  /// Appends the key of a row that nothing but its own columns has a part in.
  private func appendKey(of row: RowView, _ number: Number, to keys: inout SortKeys) {
    for term in terms {
      let start = keys.bytes.count
      IndexKey.append(row, columns: term.keyColumns, to: &keys.bytes)
      if !term.ascending { Self.invert(&keys.bytes, from: start) }
    }
    let start = keys.bytes.count
    IndexKey.append(number: number, to: &keys.bytes)
    if !numbersAscend { Self.invert(&keys.bytes, from: start) }
    keys.endKey()
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

/// Sort keys of rows, one after the other.
package struct SortKeys {
  fileprivate(set) var bytes: [UInt8] = []
  private var ends: [Int] = []

  package init() {}

  fileprivate mutating func endKey() { ends.append(bytes.count) }

  /// The key of a row.
  package subscript(_ row: Int) -> ArraySlice<UInt8> { bytes[range(row)] }

  private func range(_ row: Int) -> Range<Int> { (row == 0 ? 0 : ends[row - 1])..<ends[row] }

  /// The rows in the order of their keys.
  fileprivate func order() -> [Int] {
    bytes.withUnsafeBytes { bytes in
      var entries: [(start: UInt128, row: Int)] = []
      entries.reserveCapacity(ends.count)
      for row in ends.indices { entries.append((Self.start(of: bytes[range(row)]), row)) }
      entries.sort { left, right in
        if left.start != right.start { return left.start < right.start }
        return RowOrder.precedes(
          UnsafeRawBufferPointer(rebasing: bytes[range(left.row)]),
          UnsafeRawBufferPointer(rebasing: bytes[range(right.row)]))
      }
      return entries.map(\.row)
    }
  }

  /// The first sixteen bytes of a key as a number, which tells most keys apart; zeros follow a shorter key, so that
  /// keys that differ in it stand to each other as their numbers do.
  private static func start(of key: Slice<UnsafeRawBufferPointer>) -> UInt128 {
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { start in
      start.initializeMemory(as: UInt8.self, repeating: 0)
      start.copyBytes(from: key.prefix(16))
      return UInt128(bigEndian: start.load(as: UInt128.self))
    }
  }
}
