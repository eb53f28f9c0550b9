import BolideStorage
import CSQLite

/// A connection inside a transaction, and the schema of the state it sees: every reading call of the
/// contract, once, for snapshots and for write transactions.
struct Session: Sendable {
  let connection: Connection
  let schema: StoredSchema

  func head() throws(BolideError) -> Mark {
    let select = try connection.kept(
      "SELECT number, nonce FROM bolide_transaction ORDER BY number DESC LIMIT 1")
    defer { select.reset() }
    guard try connection.step(select, while: "reading the head of history") else {
      return try historyStart()
    }
    return Mark(
      transaction: UInt64(bitPattern: select.int(0)), nonce: UInt64(bitPattern: select.int(1)))
  }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    let select = try connection.kept("SELECT value FROM bolide_metadata WHERE key = ?1")
    defer { select.reset() }
    try connection.check(select.bind(1, MetadataKey.stored(key)), while: "reading metadata")
    guard try connection.step(select, while: "reading metadata") else { return nil }
    return Array(select.bytes(0))
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let id = table
    let table = try schema.table(id)
    try table.check(batch)
    let prepared = try connection.kept(.rows(id, columns)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let (list, decoder) = selection(columns, of: table)
      return ("SELECT \(list) FROM \(table.name) WHERE \(SQLNames.number) = ?1", decoder, nil)
    }
    let statement = prepared.statement
    guard let decoder = prepared.decoder else { return }
    defer { statement.reset() }
    for number in numbers {
      statement.reset()
      _ = statement.bind(1, number)
      if try connection.step(statement, while: "reading \(table.layout.name)") {
        try decoder.append(statement, using: connection.scratch, to: &batch)
      } else {
        batch.appendAbsent()
      }
    }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let id = table
    let table = try schema.table(id)
    let layout = try table.index(index)
    try table.check(batch)
    try table.check(keys)
    guard layout.isUnique else {
      throw .misuse("The index \(layout.name) of \(table.layout.name) is not unique")
    }
    let prepared = try connection.kept(.find(id, index, columns)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let (list, decoder) = selection(columns, of: table)
      let binder = RowBinder(layout.columns.map(table.orderingSource), of: table.format, from: 1)
      return (
        "SELECT \(list) FROM \(table.name) INDEXED BY \(table.indexes[index]) WHERE "
          + table.equality(layout.columns, from: 1), decoder, binder
      )
    }
    let statement = prepared.statement
    guard let decoder = prepared.decoder, let binder = prepared.binder else { return }
    defer { statement.reset() }
    try keys.withRows { (keys) throws(BolideError) in
      for place in 0..<keys.count {
        guard keys.isPresent(place) else {
          batch.appendAbsent()
          continue
        }
        statement.reset()
        // A nil part is bound as NULL, which equals nothing: just what rule U-2 says.
        let code = binder.bind(keys[place].bytes, to: statement)
        try connection.check(code, while: "looking up keys of \(table.layout.name)")
        if try connection.step(statement, while: "looking up keys of \(table.layout.name)") {
          try decoder.append(statement, using: connection.scratch, to: &batch)
        } else {
          batch.appendAbsent()
        }
      }
    }
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    let table = try schema.table(table)
    let select = try connection.kept(sql: "SELECT count(*) FROM \(table.name)")
    defer { select.reset() }
    return try connection.step(select, while: "counting \(table.layout.name)") ? Int(select.int(0)) : 0
  }

  /// The result columns for a set of columns, the number first, and what decodes them.
  func selection(_ columns: ColumnSet, of table: StoredTable) -> (list: String, decoder: RowDecoder) {
    let members = table.members(columns)
    let names = [SQLNames.number] + members.map { table.columns[$0] }
    let list = names.map { "\(table.name).\($0)" }.joined(separator: ", ")
    return (list, RowDecoder(members, of: table.layout, format: table.format))
  }
}

extension StoredTable {
  /// `column = ?n AND …`
  func equality(_ columns: [Int], from first: Int) -> String {
    columns.enumerated().map { "\(name).\(ordering($1)) = ?\(first + $0)" }.joined(separator: " AND ")
  }
}
