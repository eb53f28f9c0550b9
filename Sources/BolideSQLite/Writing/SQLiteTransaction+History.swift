import BolideStorage
import CSQLite

extension SQLiteTransaction {
  func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      try noteHistory(of: record.mark.transaction)
      guard let number = Int64(exactly: record.mark.transaction),
        record.mark.transaction == (try session.head().transaction) + 1
      else { throw .misuse("Transaction \(record.mark.transaction) does not follow the head of history") }
      try session.append(record, number: number)
      for run in runs { try session.append(run, transaction: number) }
      for graves in tombstones { try session.bury(graves, transaction: number) }
    }
  }

  func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try writing { (session) throws(BolideError) in
      let connection = session.connection
      let last = try connection.kept(
        """
        SELECT number, nonce FROM (
          SELECT number, nonce FROM bolide_transaction WHERE number <= ?1 ORDER BY number LIMIT ?2
        ) ORDER BY number DESC LIMIT 1
        """)
      _ = last.bind(1, Int64(clamping: number))
      _ = last.bind(2, Int64(max(limit, 1)))
      guard try connection.step(last, while: "dropping history") else {
        last.reset()
        return false
      }
      let dropped = last.int(0)
      let nonce = String(UInt64(bitPattern: last.int(1)), radix: 16)
      last.reset()
      var statements = [
        "DELETE FROM bolide_change WHERE \"transaction\" <= ?1",
        "DELETE FROM bolide_transaction WHERE number <= ?1",
      ]
      for table in session.schema.tables where !table.layout.preserved.isEmpty {
        statements.append("DELETE FROM \(table.tombstones) WHERE \"transaction\" <= ?1")
      }
      for sql in statements {
        let delete = try connection.kept(sql: sql)
        defer { delete.reset() }
        _ = delete.bind(1, dropped)
        _ = try connection.step(delete, while: "dropping history")
      }
      try StoredSchema.set(MetadataKey.historyStart, text: "\(dropped) \(nonce)", on: connection)
      let rest = try connection.kept("SELECT 1 FROM bolide_transaction WHERE number <= ?1 LIMIT 1")
      defer { rest.reset() }
      _ = rest.bind(1, Int64(clamping: number))
      return try connection.step(rest, while: "dropping history")
    }
  }
}

extension Session {
  fileprivate func append(_ record: TransactionRecord, number: Int64) throws(BolideError) {
    let insert = try connection.kept(
      """
      INSERT INTO bolide_transaction (number, nonce, timestamp, author, context, process, process_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    defer { insert.reset() }
    let codes = [
      insert.bind(1, number), insert.bind(2, Int64(bitPattern: record.mark.nonce)),
      insert.bind(3, record.timestamp), insert.bind(4, record.author), insert.bind(5, record.contextName),
      insert.bind(6, record.processName), insert.bind(7, record.processID),
    ]
    for code in codes { try connection.check(code, while: "writing history") }
    _ = try connection.step(insert, while: "writing history")
  }

  fileprivate func append(_ run: ChangeRun, transaction: Int64) throws(BolideError) {
    guard schema.layout.entities.indices.contains(run.entity), let first = run.numbers.first,
      let last = run.numbers.last, run.numbers.count <= ChangeRun.rangeLimit
    else { throw .misuse("A run of changes is empty, too long or of no entity") }
    let insert = try connection.kept(
      """
      INSERT INTO bolide_change ("transaction", entity, kind, first, last, properties, objects)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    defer { insert.reset() }
    let codes = [
      insert.bind(1, transaction), insert.bind(2, schema.layout.entities[run.entity].name),
      insert.bind(3, run.kind.sqlName), insert.bind(4, first.lowerBound), insert.bind(5, last.upperBound),
      insert.bind(6, RunText.text(of: run.properties)),
      insert.bind(7, run.numbers.count == 1 ? "" : RunText.text(of: run.numbers)),
    ]
    for code in codes { try connection.check(code, while: "writing history") }
    _ = try connection.step(insert, while: "writing history")
  }

  fileprivate func bury(_ graves: Tombstones, transaction: Int64) throws(BolideError) {
    let table = try schema.table(graves.table)
    guard graves.rows.format == table.tombstoneFormat else {
      throw .misuse("The rows do not have the format of tombstones of \(table.layout.name)")
    }
    let preserved = table.layout.preserved
    if preserved.isEmpty { return }
    let prepared = try connection.kept(.bury(graves.table)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let names = ["\"transaction\"", SQLNames.number] + preserved.map { table.tombstoneColumns[$0] }
      let parameters = (1...names.count).map { "?\($0)" }
      return (
        "INSERT INTO \(table.tombstones) (\(names.joined(separator: ", "))) "
          + "VALUES (\(parameters.joined(separator: ", ")))",
        nil, RowBinder(preserved.indices.map { .value($0) }, of: table.tombstoneFormat, from: 3)
      )
    }
    guard let binder = prepared.binder else { return }
    let insert = prepared.statement
    defer { insert.reset() }
    let numbers = graves.rows.numbers
    try graves.rows.withRows { (rows) throws(BolideError) in
      for place in 0..<rows.count where rows.isPresent(place) {
        insert.reset()
        _ = insert.bind(1, transaction)
        _ = insert.bind(2, numbers[place])
        let code = binder.bind(rows[place].bytes, to: insert)
        try connection.check(code, while: "writing tombstones of \(table.layout.name)")
        _ = try connection.step(insert, while: "writing tombstones of \(table.layout.name)")
      }
    }
  }
}
