import BolideStorage
import CSQLite

extension SQLiteTransaction {
  func change(_ layout: Layout) throws(BolideError) {
    let changed = try writing { (session) throws(BolideError) in
      try checkNothingReleased()
      let old = session.schema
      guard layout.epoch > old.layout.epoch else {
        throw .misuse("A new layout has the epoch \(layout.epoch), no later than the store's")
      }
      let schema = try StoredSchema(layout, names: old.names.adapted(to: layout))
      session.connection.forgetStatements()
      try LayoutChange(from: old, to: schema, on: session.connection).apply()
      session.connection.adopt(schema)
      try schema.write(to: session.connection)
      return Session(connection: session.connection, schema: schema)
    }
    adopt(changed)
  }
}

/// What leads from one layout to another; tables, columns, indexes and links are matched by name.
private struct LayoutChange {
  let old: StoredSchema
  let new: StoredSchema
  let connection: Connection

  init(from old: StoredSchema, to new: StoredSchema, on connection: Connection) throws(BolideError) {
    self.old = old
    self.new = new
    self.connection = connection
    for table in new.tables {
      guard let before = Self.table(table.layout.name, in: old) else { continue }
      for column in table.layout.columns {
        if let was = before.layout.columns.first(where: { $0.name == column.name }), was.type != column.type {
          throw .misuse(
            "The column \(column.name) of \(table.layout.name) cannot become \(column.type.rawValue)")
        }
      }
    }
    for link in new.links {
      guard let before = old.links.first(where: { $0.layout.name == link.layout.name }) else { continue }
      let tables = { (schema: StoredSchema, link: StoredLink) in
        [schema.tables[link.layout.source].layout.name, schema.tables[link.layout.target].layout.name]
      }
      if tables(new, link) != tables(old, before) {
        throw .misuse("The link table \(link.layout.name) cannot be between other tables")
      }
    }
  }

  func apply() throws(BolideError) {
    for link in old.links where !new.links.contains(where: { $0.layout.name == link.layout.name }) {
      try execute("DROP TABLE \(link.name)")
    }
    for table in old.tables where Self.table(table.layout.name, in: new) == nil {
      try execute("DROP TABLE \(table.name)")
      if !table.layout.preserved.isEmpty { try execute("DROP TABLE \(table.tombstones)") }
    }
    for (id, table) in new.tables.enumerated() {
      if let before = Self.table(table.layout.name, in: old) {
        try change(before, to: table, id: id)
      } else {
        for sql in TableSQL.create(table) { try execute(sql) }
      }
    }
    for link in new.links where !old.links.contains(where: { $0.layout.name == link.layout.name }) {
      for sql in TableSQL.create(link) { try execute(sql) }
    }
    // Changes of an entity that is gone would come back with another one of its name.
    let entities = new.layout.entities.map(\.name)
    for entity in old.layout.entities where !entities.contains(entity.name) {
      let quoted = entity.name.replacing("'", with: "''")
      try execute("DELETE FROM bolide_change WHERE entity = '\(quoted)'")
    }
    // The view is made again even if nothing else was: SQLite then counts a change of tables, by which
    // other connections notice, and has looked whether it still fits.
    try execute("DROP VIEW bolide_history")
    try execute(TableSQL.historyView)
  }

  private func change(_ before: StoredTable, to table: StoredTable, id: TableID) throws(BolideError) {
    let kept = before.layout.indexes.indices.filter { index in
      table.layout.indexes.contains {
        Self.isSame($0, of: table, as: before.layout.indexes[index], of: before)
      }
    }
    for index in before.layout.indexes.indices where !kept.contains(index) {
      try execute("DROP INDEX \(before.indexes[index])")
    }
    // Columns go before new ones come, so that a name can be used again.
    for column in before.columns where !table.columns.contains(column) {
      try execute("ALTER TABLE \(table.name) DROP COLUMN \(column)")
    }
    let orders = Set(table.orders.values)
    for order in before.orders.values where !orders.contains(order) {
      try execute("ALTER TABLE \(table.name) DROP COLUMN \(order)")
    }
    for column in table.columns.indices where !before.columns.contains(table.columns[column]) {
      try execute("ALTER TABLE \(table.name) ADD COLUMN \(TableSQL.definition(column, of: table))")
    }
    let ordersBefore = Set(before.orders.values)
    for (column, order) in table.orders where !ordersBefore.contains(order) {
      try execute("ALTER TABLE \(table.name) ADD COLUMN \(order) BLOB")
      try fill(column, of: table, id: id)
    }
    for index in table.layout.indexes.indices
    where !kept.contains(where: { before.indexes[$0] == table.indexes[index] }) {
      try create(index, of: table)
    }
    try changeTombstones(before, to: table)
  }

  private func changeTombstones(_ before: StoredTable, to table: StoredTable) throws(BolideError) {
    let was = before.layout.preserved.map { before.tombstoneColumns[$0] }
    let preserved = table.layout.preserved
    let now = preserved.map { table.tombstoneColumns[$0] }
    if was.isEmpty {
      if let sql = TableSQL.createTombstones(of: table) { try execute(sql) }
      return
    }
    if now.isEmpty { return try execute("DROP TABLE \(before.tombstones)") }
    for column in was where !now.contains(column) {
      try execute("ALTER TABLE \(table.tombstones) DROP COLUMN \(column)")
    }
    for column in preserved where !was.contains(table.tombstoneColumns[column]) {
      try execute(
        "ALTER TABLE \(table.tombstones) ADD COLUMN \(TableSQL.tombstoneDefinition(column, of: table))")
    }
  }

  /// Gives a decimal column that is indexed for the first time its hidden order.
  private func fill(_ column: Int, of table: StoredTable, id: TableID) throws(BolideError) {
    guard let order = table.orders[column] else { return }
    let update = try connection.prepare(
      "UPDATE \(table.name) SET \(order) = ?2 WHERE \(SQLNames.number) = ?1",
      while: "ordering \(table.layout.name)")
    defer { sqlite3_finalize(update.handle) }
    let binder = RowBinder([.order(column)], of: table.format, from: 2)
    let session = Session(connection: connection, schema: new)
    var rows = RowBatch(table.format)
    var place: Place?
    repeat {
      rows.removeAll()
      try session.scan(
        .all, of: id, backwards: false, from: &place, limit: 1024, columns: ColumnSet([column]), into: &rows)
      let numbers = rows.numbers
      try rows.withRows { (views) throws(BolideError) in
        for index in 0..<views.count {
          update.reset()
          _ = update.bind(1, numbers[index])
          let code = binder.bind(views[index].bytes, to: update)
          try connection.check(code, while: "ordering \(table.layout.name)")
          _ = try connection.step(update, while: "ordering \(table.layout.name)")
        }
      }
    } while place != nil
    // The scan's statements were made while the table was changing.
    update.reset()
    connection.forgetStatements()
  }

  private func create(_ index: IndexID, of table: StoredTable) throws(BolideError) {
    let code = sqlite3_exec(connection.handle, TableSQL.create(index: index, of: table), nil, nil, nil)
    if code == SQLITE_OK { return }
    let failure = connection.error(code, while: "indexing \(table.layout.name)")
    guard code & 0xFF == SQLITE_CONSTRAINT else { throw failure }
    let taken = try duplicates(index, of: table)
    let name = table.layout.indexes[index].name
    throw BolideError(
      .storeMisuse, "Rows of \(table.layout.name) break the new unique index \(name)",
      remedy: "change or delete the rows that share a key",
      details: taken.map { "row \($0.row) has the key of row \($0.holder)" }, payload: taken)
  }

  /// Rows whose key another with a lower number has, the first 100.
  private func duplicates(_ index: IndexID, of table: StoredTable) throws(BolideError) -> [Taken] {
    let columns = table.layout.indexes[index].columns.map(table.ordering)
    let select = try connection.prepare(
      """
      SELECT number, holder FROM (
        SELECT \(SQLNames.number) AS number,
          min(\(SQLNames.number)) OVER (PARTITION BY \(columns.joined(separator: ", "))) AS holder
        FROM \(table.name) WHERE \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND "))
      ) WHERE number <> holder ORDER BY number LIMIT 100
      """, while: "looking for rows of \(table.layout.name) that share a key")
    defer { sqlite3_finalize(select.handle) }
    var result: [Taken] = []
    while try connection.step(select, while: "looking for rows of \(table.layout.name) that share a key") {
      result.append(Taken(row: Int(select.int(0)), index: index, holder: select.int(1)))
    }
    return result
  }

  private func execute(_ sql: String) throws(BolideError) {
    try connection.execute(sql, while: "changing the layout")
  }

  private static func table(_ name: String, in schema: StoredSchema) -> StoredTable? {
    schema.tables.first { $0.layout.name == name }
  }

  private static func isSame(
    _ one: IndexLayout, of table: StoredTable, as other: IndexLayout, of before: StoredTable
  ) -> Bool {
    one.name == other.name && one.isUnique == other.isUnique
      && one.columns.map(table.ordering) == other.columns.map(before.ordering)
  }
}
