import BolideStorage
import CSQLite

extension Session {
  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    guard let number = Int64(exactly: number) else { return }
    let select = try connection.kept(
      """
      SELECT number, nonce, timestamp, author, context, process, process_id
      FROM bolide_transaction WHERE number > ?1 ORDER BY number LIMIT ?2
      """)
    defer { select.reset() }
    _ = select.bind(1, number)
    _ = select.bind(2, Int64(max(limit, 0)))
    while try connection.step(select, while: "reading history") { records.append(record(select)) }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    guard let number = Int64(exactly: number) else { return nil }
    let select = try connection.kept(
      """
      SELECT number, nonce, timestamp, author, context, process, process_id
      FROM bolide_transaction WHERE number = ?1
      """)
    defer { select.reset() }
    _ = select.bind(1, number)
    return try connection.step(select, while: "reading history") ? record(select) : nil
  }

  private func record(_ select: Statement) -> TransactionRecord {
    TransactionRecord(
      mark: Mark(
        transaction: UInt64(bitPattern: select.int(0)), nonce: UInt64(bitPattern: select.int(1))),
      timestamp: select.double(2), author: select.optionalText(3), contextName: select.optionalText(4),
      processName: select.text(5), processID: select.int(6))
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    guard let number = Int64(exactly: transaction) else { return }
    let select = try connection.kept(
      """
      SELECT entity, kind, first, last, properties, objects FROM bolide_change
      WHERE "transaction" = ?1 ORDER BY entity, kind, first
      """)
    defer { select.reset() }
    _ = select.bind(1, number)
    while try connection.step(select, while: "reading the changes of transaction \(number)") {
      // Changes of an entity that the schema has no more are nothing that could be named.
      guard let entity = schema.entity(named: select.text(0)) else { continue }
      let first = select.int(2)
      let last = select.int(3)
      guard let kind = ChangeKind(sqlName: select.text(1)), first > 0, first <= last,
        let properties = RunText.set(select.bytes(4)), var numbers = RunText.ranges(select.bytes(5))
      else { throw .damaged("The changes of transaction \(number) cannot be read") }
      if numbers.isEmpty { numbers = [first...last] }
      guard numbers[0].lowerBound == first, numbers[numbers.count - 1].upperBound == last else {
        throw .damaged("The changes of transaction \(number) contradict themselves")
      }
      runs.append(ChangeRun(entity: entity, kind: kind, properties: properties, numbers: numbers))
    }
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    let id = table
    let table = try schema.table(id)
    guard batch.format == table.tombstoneFormat else {
      throw .misuse("The rows do not have the format of tombstones of \(table.layout.name)")
    }
    guard !table.layout.preserved.isEmpty, let transaction = Int64(exactly: transaction) else { return }
    let prepared = try connection.kept(.tombstones(id)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let names = [SQLNames.number] + table.layout.preserved.map { table.tombstoneColumns[$0] }
      let list = names.map { "\(table.tombstones).\($0)" }.joined(separator: ", ")
      var layout = table.layout
      layout.columns = layout.preserved.map { table.layout.columns[$0] }
      return (
        """
        SELECT \(list) FROM \(table.tombstones)
        WHERE "transaction" = ?1 AND \(SQLNames.number) > ?2 ORDER BY \(SQLNames.number) LIMIT ?3
        """,
        RowDecoder(Array(layout.columns.indices), of: layout, format: table.tombstoneFormat), nil
      )
    }
    guard let decoder = prepared.decoder else { return }
    let select = prepared.statement
    defer { select.reset() }
    _ = select.bind(1, transaction)
    _ = select.bind(2, number)
    _ = select.bind(3, Int64(max(limit, 0)))
    while try connection.step(select, while: "reading tombstones of \(table.layout.name)") {
      try decoder.append(select, using: connection.scratch, to: &batch)
    }
  }

  func historyStart() throws(BolideError) -> Mark {
    let select = try connection.kept("SELECT value FROM bolide_metadata WHERE key = '.history-start'")
    defer { select.reset() }
    guard try connection.step(select, while: "reading the start of history") else { return .start }
    let parts = select.text(0).split(separator: " ")
    guard parts.count == 2, let transaction = UInt64(parts[0]), let nonce = UInt64(parts[1], radix: 16)
    else { throw .damaged("The start of history in \(connection.path) cannot be read") }
    return Mark(transaction: transaction, nonce: nonce)
  }
}

extension ChangeKind {
  /// The kind as `bolide_change` spells it.
  var sqlName: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }

  init?(sqlName: String) {
    guard let kind = Self.allCases.first(where: { $0.sqlName == sqlName }) else { return nil }
    self = kind
  }
}
