import BolideStorage

/// A row as a case compares it.
struct Record: Hashable, CustomStringConvertible {
  var number: Number
  var values: [Value]

  var description: String { "#\(number) \(values)" }
}

/// Reading and writing one table in a case's own terms: values instead of packed rows.
struct TableProbe: Sendable {
  let id: TableID
  let layout: TableLayout
  let format: RowFormat

  init(_ id: TableID, _ layout: TableLayout) {
    self.id = id
    self.layout = layout
    format = layout.format
  }

  /// The set of all columns.
  var allColumns: ColumnSet { .all(format.columnCount) }

  /// Packs rows.
  func batch(_ rows: [[Value]], numbers: [Number] = []) -> RowBatch {
    var batch = RowBatch(format)
    var builder = RowBuilder(format)
    for (index, row) in rows.enumerated() {
      builder.clear()
      for (column, value) in row.enumerated() { builder.set(column, value) }
      builder.append(to: &batch, number: index < numbers.count ? numbers[index] : 0)
    }
    return batch
  }

  /// Unpacks rows; `nil` for an absence.
  func records(_ batch: RowBatch) -> [Record?] {
    (0..<batch.count).map { index in
      batch.withRow(at: index) { row in
        Record(number: batch.numbers[index], values: (0..<format.columnCount).map { row.value($0) })
      }
    }
  }

  // Writing

  /// Inserts rows and fails if a key is taken.
  func insert(_ rows: [[Value]], from first: Number, in transaction: any WriteTransaction) throws {
    let taken = try insertTaken(rows, from: first, in: transaction, expecting: rows.count)
    try checkEqual(taken, [], "taken keys of \(layout.name)")
  }

  /// Inserts rows, checks how many got in, and returns the keys that were taken.
  func insertTaken(
    _ rows: [[Value]], from first: Number, in transaction: any WriteTransaction, expecting count: Int
  ) throws -> [Taken] {
    var taken: [Taken] = []
    let inserted = try transaction.insert(batch(rows), of: id, numberedFrom: first, taken: &taken)
    try checkEqual(inserted, count, "rows inserted into \(layout.name)")
    return taken
  }

  /// Replaces rows and returns the keys that were taken.
  func update(
    _ rows: [Record], columns: [Int]? = nil, in transaction: any WriteTransaction
  ) throws -> [Taken] {
    var taken: [Taken] = []
    try transaction.update(
      batch(rows.map(\.values), numbers: rows.map(\.number)), of: id,
      columns: columns.map { ColumnSet($0) } ?? allColumns, taken: &taken)
    return taken
  }

  // Reading

  /// The rows with these numbers.
  func rows(_ numbers: [Number], in reader: any Reader) throws -> [Record?] {
    var batch = RowBatch(format)
    try reader.rows(numbers, of: id, columns: allColumns, into: &batch)
    return records(batch)
  }

  /// The numbers of the holders of keys, given as rows; 0 for none.
  func holders(_ keys: [[Value]], by index: IndexID, in reader: any Reader) throws -> [Number] {
    var batch = RowBatch(format)
    try reader.find(self.batch(keys), of: id, by: index, columns: ColumnSet(), into: &batch)
    return batch.numbers
  }

  /// The holders of keys as whole rows.
  func find(_ keys: [[Value]], by index: IndexID, in reader: any Reader) throws -> [Record?] {
    var batch = RowBatch(format)
    try reader.find(self.batch(keys), of: id, by: index, columns: allColumns, into: &batch)
    return records(batch)
  }

  /// All rows of a range, read in chunks of `limit`.
  func scan(
    _ range: KeyRange = .all, backwards: Bool = false, limit: Int = 1000, in reader: any Reader
  ) throws -> [Record] {
    var place: Place?
    var found: [Record] = []
    repeat {
      var batch = RowBatch(format)
      try reader.scan(
        range, of: id, backwards: backwards, from: &place, limit: limit, columns: allColumns, into: &batch)
      try check(batch.count <= limit, "a scan with limit \(limit) gave \(batch.count) rows")
      try check(place == nil || !batch.isEmpty, "a scan that is not at its end gave no row")
      found += records(batch).compactMap { $0 }
      try check(found.count < 1_000_000, "a scan does not end")
    } while place != nil
    return found
  }

  /// The numbers of all rows of a range.
  func numbers(
    _ range: KeyRange = .all, backwards: Bool = false, limit: Int = 1000, in reader: any Reader
  ) throws -> [Number] {
    try scan(range, backwards: backwards, limit: limit, in: reader).map(\.number)
  }

  /// Returns all rows, after checking that the count and each index tell the same.
  func consistentRows(in reader: any Reader) throws -> [Record] {
    let rows = try scan(in: reader)
    try checkEqual(try reader.count(of: id), rows.count, "count of \(layout.name)")
    for (index, description) in layout.indexes.enumerated() {
      let indexed = try scan(.index(index, lower: nil, upper: nil), in: reader)
      let expected = rows.sorted(by: precedes(in: description.columns))
      try checkEqual(indexed, expected, "rows of \(layout.name) by index \(description.name)")
      guard description.isUnique else { continue }
      let keyed = rows.filter { row in description.columns.allSatisfy { !row.values[$0].isNull } }
      try checkEqual(
        try holders(keyed.map(\.values), by: index, in: reader), keyed.map(\.number),
        "holders of the keys of \(layout.name) in \(description.name)")
    }
    return rows
  }

  /// The order of an index over `columns`: by key, then by number.
  func precedes(in columns: [Int]) -> (Record, Record) -> Bool {
    { left, right in
      let leftKey = key(left, columns)
      let rightKey = key(right, columns)
      if leftKey == rightKey { return left.number < right.number }
      return leftKey.lexicographicallyPrecedes(rightKey)
    }
  }

  private func key(_ record: Record, _ columns: [Int]) -> [UInt8] {
    var key: [UInt8] = []
    for column in columns { IndexKey.append(record.values[column], to: &key) }
    return key
  }

}

extension OpenStore {
  /// A deadline that no test should reach.
  static var soon: ContinuousClock.Instant { .now + .seconds(20) }

  /// Runs one transaction and commits it.
  func write<Result>(_ body: (any WriteTransaction) throws -> Result) throws -> Result {
    let transaction = try begin(until: Self.soon)
    do {
      let result = try body(transaction)
      _ = try transaction.commit(pinning: false)
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  /// Looks at the newest state.
  func read<Result>(_ body: (any Snapshot) throws -> Result) throws -> Result {
    let snapshot = try snapshot()
    defer { snapshot.close() }
    return try body(snapshot)
  }
}
