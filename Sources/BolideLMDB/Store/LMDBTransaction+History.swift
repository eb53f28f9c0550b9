import BolideStorage
import CLMDB

extension LMDBTransaction {
  func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    let database = schema.fixed.metadata
    try write { (transaction) throws(BolideError) in
      try RecordWriter(transaction: transaction, database: database).set(key, value)
    }
  }

  func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    let number = record.mark.transaction
    let head = try view().head()
    if appended != nil { throw LMDBFailure.misuse("History is appended once in a transaction") }
    guard number == head.transaction + 1 else {
      throw LMDBFailure.misuse("Transaction \(number) was appended after \(head.transaction)")
    }
    let schema = schema
    try write { (transaction) throws(BolideError) in
      try Self.put(record, in: schema.fixed.history, transaction)
      let runWriter = RecordWriter(transaction: transaction, database: schema.fixed.runs)
      for (place, run) in runs.enumerated() {
        guard schema.layout.entities.indices.contains(run.entity) else {
          throw LMDBFailure.misuse("A run names the unknown entity \(run.entity)")
        }
        var key: [UInt8] = []
        key.appendBig(number)
        key.appendBig(UInt32(truncatingIfNeeded: place))
        try runWriter.put(key, try HistoryFormat.encode(run))
      }
      let writer = RecordWriter(transaction: transaction, database: schema.fixed.tombstones)
      for table in tombstones { try Self.put(table, of: number, schema, writer) }
      try RecordWriter(transaction: transaction, database: schema.fixed.metadata)
        .put(MetadataRecord.head, HistoryFormat.encode(record.mark))
    }
    appended = number
  }

  private static func put(
    _ record: TransactionRecord, in database: MDB_dbi, _ transaction: OpaquePointer
  ) throws(BolideError) {
    try withUnsafeBytes(of: record.mark.transaction) { (number) throws(BolideError) in
      try HistoryFormat.encode(record).withBytes { (value) throws(BolideError) in
        var key = MDB_val(number)
        var data = MDB_val(value)
        try check(mdb_put(transaction, database, &key, &data, UInt32(MDB_APPEND)), "write a transaction")
      }
    }
  }

  private static func put(
    _ tombstones: Tombstones, of number: UInt64, _ schema: StoredSchema, _ writer: RecordWriter
  ) throws(BolideError) {
    let table = try schema.table(tombstones.table)
    guard tombstones.rows.format == table.tombstoneFormat else {
      throw LMDBFailure.misuse("Tombstones of \(table.name) have another row format")
    }
    let prefix = ReadView.tombstonePrefix(number, tombstones.table)
    let numbers = tombstones.rows.numbers
    try tombstones.rows.withRows { (rows) throws(BolideError) in
      for place in 0..<rows.count where rows.isPresent(place) {
        var entry = prefix
        entry.appendBig(numbers[place])
        try entry.withBytes { (bytes) throws(BolideError) in
          var key = MDB_val(bytes)
          var data = MDB_val(rows[place].bytes)
          try check(mdb_put(writer.transaction, writer.database, &key, &data, 0), "write a tombstone")
        }
      }
    }
  }

  func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    var left = limit
    while true {
      // One more than are dropped tells whether some are left.
      let chunk = min(max(left, 0), 256)
      var oldest: [TransactionRecord] = []
      try view().transactions(after: 0, limit: chunk + 1, into: &oldest)
      oldest = Array(oldest.prefix { $0.mark.transaction <= number })
      let dropped = oldest.prefix(chunk)
      if let last = dropped.last { try drop(dropped, through: last.mark) }
      left -= dropped.count
      if oldest.count == dropped.count { return false }
      if left <= 0 { return true }
    }
  }

  private func drop(_ records: ArraySlice<TransactionRecord>, through mark: Mark) throws(BolideError) {
    let fixed = schema.fixed
    try write { (transaction) throws(BolideError) in
      let history = try Cursor(transaction, fixed.history)
      for record in records {
        var data = MDB_val()
        guard try history.find(Number(truncatingIfNeeded: record.mark.transaction), &data) else { continue }
        try check(mdb_cursor_del(history.handle, 0), "drop a transaction")
        var prefix: [UInt8] = []
        prefix.appendBig(record.mark.transaction)
        for database in [fixed.runs, fixed.tombstones] {
          try RecordWriter(transaction: transaction, database: database).deleteAll(startingWith: prefix)
        }
      }
      try RecordWriter(transaction: transaction, database: fixed.metadata)
        .put(MetadataRecord.start, HistoryFormat.encode(mark))
    }
  }
}
