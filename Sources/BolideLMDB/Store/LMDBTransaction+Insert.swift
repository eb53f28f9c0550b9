import BolideStorage
import CLMDB

extension LMDBTransaction {
  func insert(
    _ rows: RowBatch, of id: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    let table = try schema.table(id)
    try table.checkFormat(rows)
    guard first > 0, first <= Number.max - Number(rows.count) else {
      throw LMDBFailure.misuse("Rows of \(table.name) cannot be numbered from \(first)")
    }
    let nodes = schema.fixed.nodes
    var pending =
      self.pending.removeValue(forKey: id) ?? table.plainIndexes.map { PendingKeys(table.indexes[$0]) }
    defer { self.pending[id] = pending }
    return try write { (transaction) throws(BolideError) in
      let writer = KeyWriter(transaction: transaction, nodes: nodes)
      let keys = RowKeys(writer, table)
      let cursor = try Cursor(transaction, table.rows)
      var number = first
      var key: [UInt8] = []
      key.reserveCapacity(512)
      try rows.withRows { (rows) throws(BolideError) in
        for place in 0..<rows.count {
          guard rows.isPresent(place) else {
            throw LMDBFailure.misuse("An absent row was given to insert into \(table.name)")
          }
          let row = rows[place]
          if let (index, holder) = try keys.claim(row, number, &key) {
            taken.append(Taken(row: place, index: index, holder: holder))
            continue
          }
          try Self.append(row.bytes, number, to: cursor, table)
          for index in pending.indices { try pending[index].add(row, number, writer) }
          number += 1
        }
      }
      return Int(number - first)
    }
  }

  /// Writes the index entries that were kept back, before anything looks at a table's indexes.
  func settle(_ id: TableID) throws(BolideError) {
    guard var kept = pending.removeValue(forKey: id) else { return }
    try write { (transaction) throws(BolideError) in
      for index in kept.indices { try kept[index].write(transaction) }
    }
  }

  /// Writes the index entries that were kept back in all tables.
  func settleAll() throws(BolideError) {
    for id in pending.keys.sorted() { try settle(id) }
  }

  /// Puts a new row: after all others, as numbers ascend, or else in its place if that is free.
  @inline(__always)
  private static func append(
    _ row: UnsafeRawBufferPointer, _ number: Number, to cursor: borrowing Cursor, _ table: StoredTable
  ) throws(BolideError) {
    try withUnsafeBytes(of: number) { (bytes) throws(BolideError) in
      var key = MDB_val(bytes)
      var data = MDB_val(row)
      var code = mdb_cursor_put(cursor.handle, &key, &data, UInt32(MDB_APPEND))
      if code == MDB_KEYEXIST {
        data = MDB_val(row)
        code = mdb_cursor_put(cursor.handle, &key, &data, UInt32(MDB_NOOVERWRITE))
        if code == MDB_KEYEXIST { throw LMDBFailure.misuse("Row \(number) of \(table.name) exists") }
      }
      try check(code, "write a row of \(table.name)")
    }
  }
}

/// Writes the index entries of rows.
struct RowKeys {
  private let writer: KeyWriter
  private let table: StoredTable

  init(_ writer: KeyWriter, _ table: StoredTable) {
    self.writer = writer
    self.table = table
  }

  /// Takes a row's keys in all unique indexes, or none where one is taken.
  ///
  /// - Parameter key: room for a key, its contents do not matter.
  /// - Returns: the first unique index that another row holds the key in, and that row.
  func claim(
    _ row: RowView, _ number: Number, _ key: inout [UInt8]
  ) throws(BolideError) -> (index: IndexID, holder: Number)? {
    for (place, index) in table.uniqueIndexes.enumerated() {
      let holder = try claim(row, number, table.indexes[index], &key)
      if holder == 0 { continue }
      for claimed in table.uniqueIndexes[..<place] {
        try remove(row, number, table.indexes[claimed], &key)
      }
      return (index, holder)
    }
    return nil
  }

  /// Takes a row's key in one unique index.
  ///
  /// - Returns: 0, or the row that holds it.
  @inline(__always)
  func claim(
    _ row: RowView, _ number: Number, _ index: StoredIndex, _ key: inout [UInt8]
  ) throws(BolideError) -> Number {
    key.removeAll(keepingCapacity: true)
    if IndexKey.append(row, columns: index.columns, to: &key) {
      try writer.add(key, number, in: index.database)
      return 0
    }
    return try writer.claim(key, in: index.database, for: number)
  }

  /// Adds a row's entry in an index that is not unique.
  @inline(__always)
  func add(
    _ row: RowView, _ number: Number, _ index: StoredIndex, _ key: inout [UInt8]
  ) throws(BolideError) {
    key.removeAll(keepingCapacity: true)
    IndexKey.append(row, columns: index.columns, to: &key)
    try writer.add(key, number, in: index.database)
  }

  /// Removes a row's entry in any index.
  @inline(__always)
  func remove(
    _ row: RowView, _ number: Number, _ index: StoredIndex, _ key: inout [UInt8]
  ) throws(BolideError) {
    key.removeAll(keepingCapacity: true)
    let hasNil = IndexKey.append(row, columns: index.columns, to: &key)
    try writer.remove(key, number: hasNil || !index.isUnique ? number : nil, in: index.database)
  }
}
