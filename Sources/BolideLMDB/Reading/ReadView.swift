import BolideStorage
import CLMDB

/// The reading calls of the contract over one LMDB transaction, whoever holds it.
///
/// Nothing that LMDB points at outlives a call: cursors are closed and bytes are copied before it returns.
struct ReadView {
  let transaction: OpaquePointer
  let schema: StoredSchema

  /// Looks at the record of a key; `nil` where there is none.
  func record<Result>(
    _ key: [UInt8], in database: MDB_dbi,
    _ body: (UnsafeRawBufferPointer) throws(BolideError) -> Result
  ) throws(BolideError) -> Result? {
    try Self.record(key, in: database, of: transaction, body)
  }

  static func record<Result>(
    _ key: [UInt8], in database: MDB_dbi, of transaction: OpaquePointer,
    _ body: (UnsafeRawBufferPointer) throws(BolideError) -> Result
  ) throws(BolideError) -> Result? {
    try key.withBytes { (key) throws(BolideError) -> Result? in
      var key = MDB_val(key)
      var data = MDB_val()
      let code = mdb_get(transaction, database, &key, &data)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read a record")
      return try body(data.bytes)
    }
  }

  func head() throws(BolideError) -> Mark { try Self.head(of: transaction, in: schema.fixed.metadata) }

  /// The newest transaction of history, for who knows the metadata's database alone.
  static func head(of transaction: OpaquePointer, in metadata: MDB_dbi) throws(BolideError) -> Mark {
    try record(MetadataRecord.head, in: metadata, of: transaction, HistoryFormat.mark) ?? .start
  }

  func historyStart() throws(BolideError) -> Mark {
    try record(MetadataRecord.start, in: schema.fixed.metadata, HistoryFormat.mark) ?? .start
  }

  func metadata(_ name: String) throws(BolideError) -> [UInt8]? {
    let (key, long) = MetadataRecord.key(name)
    guard let long else { return try record(key, in: schema.fixed.metadata) { [UInt8]($0) } }
    let entries = try record(key, in: schema.fixed.metadata, MetadataRecord.longEntries)
    return entries?.first { $0.name == long }?.value
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    var figures = MDB_stat()
    try check(mdb_stat(transaction, try schema.table(table).rows, &figures), "count rows")
    return figures.ms_entries
  }
}

// MARK: - Rows by number and by key

extension ReadView {
  func rows(
    _ numbers: [Number], of id: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try schema.table(id)
    try table.checkFormat(batch)
    let source = try RowSource(transaction, table, uses: numbers.count)
    var data = MDB_val()
    for number in numbers {
      if try source.find(number, &data) {
        try append(data, number, of: table, to: &batch)
      } else {
        batch.appendAbsent()
      }
    }
  }

  func find(
    _ keys: RowBatch, of id: TableID, by indexID: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try schema.table(id)
    let index = try table.index(indexID)
    try table.checkFormat(keys)
    try table.checkFormat(batch)
    guard index.isUnique else { throw LMDBFailure.misuse("\(table.name).\(index.name) is not unique") }
    let isForNumbers = columns.isEmpty
    let source = try RowSource(transaction, table, uses: isForNumbers ? 0 : keys.count)
    let lookup = KeyLookup(transaction: transaction, database: index.database, nodes: schema.fixed.nodes)
    var key: [UInt8] = []
    key.reserveCapacity(256)
    try keys.withRows { (rows) throws(BolideError) in
      for place in 0..<rows.count {
        key.removeAll(keepingCapacity: true)
        guard rows.isPresent(place), !IndexKey.append(rows[place], columns: index.columns, to: &key),
          let number = try lookup.number(key)
        else {
          batch.appendAbsent()
          continue
        }
        if isForNumbers {
          appendHeader(number, of: table, to: &batch)
        } else {
          try appendRow(number, from: source, of: table, index, to: &batch)
        }
      }
    }
  }

  /// Appends a row as LMDB has it, once it is known that reading it stays inside its bytes.
  @inline(__always)
  func append(
    _ data: MDB_val, _ number: Number, isFixed: Bool = false, of table: StoredTable, to batch: inout RowBatch
  ) throws(BolideError) {
    let bytes = data.bytes
    guard table.format.isValid(bytes) else {
      throw LMDBFailure.damaged("Row \(number) of \(table.name) is damaged")
    }
    if isFixed { batch.appendFixed(bytes, number: number) } else { batch.append(bytes, number: number) }
  }

  /// Appends the row that an index entry leads to.
  @inline(__always)
  func appendRow(
    _ number: Number, from source: borrowing RowSource, of table: StoredTable, _ index: StoredIndex,
    to batch: inout RowBatch
  ) throws(BolideError) {
    var data = MDB_val()
    guard try source.find(number, &data) else {
      throw LMDBFailure.damaged("\(table.name).\(index.name) leads to row \(number), which is missing")
    }
    try append(data, number, of: table, to: &batch)
  }

  /// Appends a row of which only the number is wanted.
  @inline(__always)
  func appendHeader(_ number: Number, of table: StoredTable, to batch: inout RowBatch) {
    batch.append(byteCount: table.format.headerLength, number: number) { _ in }
  }
}

/// Finds rows by their numbers: with a cursor, which is quick among neighbours, where many are wanted.
struct RowSource: ~Copyable {
  private let transaction: OpaquePointer
  private let database: MDB_dbi
  private let cursor: OpaquePointer?

  init(_ transaction: OpaquePointer, _ table: StoredTable, uses: Int) throws(BolideError) {
    self.transaction = transaction
    database = table.rows
    var opened: OpaquePointer?
    if uses > 3 { try check(mdb_cursor_open(transaction, table.rows, &opened), "open a cursor") }
    cursor = opened
  }

  deinit {
    if let cursor { mdb_cursor_close(cursor) }
  }

  @inline(__always)
  func find(_ number: Number, _ data: inout MDB_val) throws(BolideError) -> Bool {
    let code = withUnsafeBytes(of: number) { bytes in
      var key = MDB_val(bytes)
      if let cursor { return mdb_cursor_get(cursor, &key, &data, MDB_SET) }
      return mdb_get(transaction, database, &key, &data)
    }
    if code == MDB_NOTFOUND { return false }
    try check(code, "read a row")
    return true
  }
}

/// Finds rows by the keys of a unique index.
struct KeyLookup {
  let transaction: OpaquePointer
  let database: MDB_dbi
  let nodes: MDB_dbi

  /// The number of the row with a key that has no nil part.
  func number(_ key: [UInt8]) throws(BolideError) -> Number? {
    if key.count > LongKey.segmentLength {
      var walk = try IndexWalk(transaction, database, nodes: nodes)
      guard try walk.seek(key), walk.comparison(to: key) == 0 else { return nil }
      return try walk.number()
    }
    return try key.withBytes { (key) throws(BolideError) -> Number? in
      var key = MDB_val(key)
      var data = MDB_val()
      let code = mdb_get(transaction, database, &key, &data)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read an index")
      let number = data.mv_size == 8 ? data.bytes.big(0, Number.self) : 0
      guard number > 0 else { throw LMDBFailure.damaged("An entry of a unique index is damaged") }
      return number
    }
  }
}
