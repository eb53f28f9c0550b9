import BolideStorage
import CLMDB

extension ReadView {
  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    guard number < UInt64.max else { return }
    let cursor = try Cursor(transaction, schema.fixed.history)
    var key = MDB_val()
    var data = MDB_val()
    var isOn = try withUnsafeBytes(of: number + 1) { (bytes) throws(BolideError) in
      key = MDB_val(bytes)
      return try cursor.move(MDB_SET_RANGE, &key, &data)
    }
    var left = limit
    while isOn, left > 0 {
      records.append(try HistoryFormat.record(try Self.transactionNumber(key), data.bytes))
      left -= 1
      isOn = try cursor.move(MDB_NEXT, &key, &data)
    }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try withUnsafeBytes(of: number) { (bytes) throws(BolideError) -> TransactionRecord? in
      var key = MDB_val(bytes)
      var data = MDB_val()
      let code = mdb_get(transaction, schema.fixed.history, &key, &data)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read a transaction")
      return try HistoryFormat.record(number, data.bytes)
    }
  }

  static func transactionNumber(_ key: MDB_val) throws(BolideError) -> UInt64 {
    guard key.mv_size == 8 else { throw LMDBFailure.damaged("The number of a transaction is damaged") }
    return key.bytes.loadUnaligned(as: UInt64.self)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    var prefix: [UInt8] = []
    prefix.appendBig(transaction)
    let entities = schema.layout.entities.count
    try forEach(from: prefix, in: schema.fixed.runs) { (key, value) throws(BolideError) in
      guard key.starts(with: prefix) else { return false }
      runs.append(try HistoryFormat.run(value, entities: entities))
      return true
    }
  }

  func tombstones(
    of transaction: UInt64, in id: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try schema.table(id)
    guard batch.format == table.tombstoneFormat else {
      throw LMDBFailure.misuse("A batch for tombstones of \(table.name) has another row format")
    }
    guard limit > 0, number < Number.max else { return }
    let prefix = Self.tombstonePrefix(transaction, id)
    var start = prefix
    start.appendBig(number + 1)
    var left = limit
    try forEach(from: start, in: schema.fixed.tombstones) { (key, value) throws(BolideError) in
      guard left > 0, key.count == prefix.count + 8, key.starts(with: prefix) else { return false }
      let number = key.big(prefix.count, Number.self)
      guard number > 0, table.tombstoneFormat.isValid(value) else {
        throw LMDBFailure.damaged("A tombstone of \(table.name) is damaged")
      }
      batch.append(value, number: number)
      left -= 1
      return true
    }
  }

  /// The beginning of the keys of a transaction's tombstones in a table.
  static func tombstonePrefix(_ transaction: UInt64, _ table: TableID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(20)
    key.appendBig(transaction)
    key.appendBig(UInt32(truncatingIfNeeded: table))
    return key
  }

  /// Walks over entries from a key on until `body` returns false.
  func forEach(
    from start: [UInt8], in database: MDB_dbi,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(BolideError) -> Bool
  ) throws(BolideError) {
    let cursor = try Cursor(transaction, database)
    var key = MDB_val()
    var data = MDB_val()
    var isOn = try start.withBytes { (bytes) throws(BolideError) in
      key = MDB_val(bytes)
      return try cursor.move(start.isEmpty ? MDB_FIRST : MDB_SET_RANGE, &key, &data)
    }
    while isOn, try body(key.bytes, data.bytes) {
      isOn = try cursor.move(MDB_NEXT, &key, &data)
    }
  }
}
