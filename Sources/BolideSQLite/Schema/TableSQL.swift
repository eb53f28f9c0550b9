import BolideStorage

/// The SQL that makes the tables of a layout: written to be read by people, since SQLite keeps it as it is.
enum TableSQL {
  /// Everything of a new store.
  static func create(_ schema: StoredSchema) -> [String] {
    system + schema.tables.flatMap { create($0) } + schema.links.flatMap { create($0) }
  }

  /// A table with its indexes and its tombstones.
  static func create(_ table: StoredTable) -> [String] {
    var lines = ["\(SQLNames.number) INTEGER PRIMARY KEY"]
    lines += table.layout.columns.indices.map { definition($0, of: table) }
    lines += table.orders.sorted { $0.key < $1.key }.map { "\($0.value) BLOB" }
    var result = ["CREATE TABLE \(table.name) (\n  \(lines.joined(separator: ",\n  "))\n)"]
    result += table.layout.indexes.indices.map { create(index: $0, of: table) }
    if let tombstones = createTombstones(of: table) { result.append(tombstones) }
    return result
  }

  static func create(index id: IndexID, of table: StoredTable) -> String {
    let index = table.layout.indexes[id]
    let columns = index.columns.map(table.ordering).joined(separator: ", ")
    return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(table.indexes[id]) ON \(table.name) (\(columns))"
  }

  static func createTombstones(of table: StoredTable) -> String? {
    if table.layout.preserved.isEmpty { return nil }
    var lines = ["\"transaction\" INTEGER NOT NULL", "\(SQLNames.number) INTEGER NOT NULL"]
    lines += table.layout.preserved.map { tombstoneDefinition($0, of: table) }
    lines.append("PRIMARY KEY (\"transaction\", \(SQLNames.number))")
    return "CREATE TABLE \(table.tombstones) (\n  \(lines.joined(separator: ",\n  "))\n) WITHOUT ROWID"
  }

  static func create(_ link: StoredLink) -> [String] {
    let order = SQLNames.linkOrders[0]
    let inverseOrder = SQLNames.linkOrders[1]
    let forward = [link.source, order, link.target, inverseOrder].joined(separator: ", ")
    let inverse = [link.target, inverseOrder, link.source, order].joined(separator: ", ")
    return [
      """
      CREATE TABLE \(link.name) (
        \(link.source) INTEGER NOT NULL,
        \(link.target) INTEGER NOT NULL,
        \(order) INTEGER NOT NULL,
        \(inverseOrder) INTEGER NOT NULL,
        PRIMARY KEY (\(link.source), \(link.target))
      ) WITHOUT ROWID
      """,
      "CREATE INDEX \(link.forward) ON \(link.name) (\(forward))",
      "CREATE INDEX \(link.inverse) ON \(link.name) (\(inverse))",
    ]
  }

  /// A column's name and declared type.
  static func definition(_ column: Int, of table: StoredTable) -> String {
    "\(table.columns[column]) \(declaredType(table.layout.columns[column].type))"
  }

  /// A preserved column among the tombstones.
  static func tombstoneDefinition(_ column: Int, of table: StoredTable) -> String {
    "\(table.tombstoneColumns[column]) \(declaredType(table.layout.columns[column].type))"
  }

  private static func declaredType(_ type: ValueType) -> String {
    switch type {
    case .int16, .int32, .int64, .boolean, .reference: "INTEGER"
    case .double, .float, .date: "REAL"
    case .string, .uri, .decimal: "TEXT"
    case .uuid, .binary: "BLOB"
    }
  }

  /// The tables of the store itself.
  private static let system = [
    LogMark.table,
    """
    CREATE TABLE bolide_metadata (
      key TEXT PRIMARY KEY,
      value
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE bolide_transaction (
      number INTEGER PRIMARY KEY,
      nonce INTEGER NOT NULL,
      timestamp REAL NOT NULL,
      author TEXT,
      context TEXT,
      process TEXT NOT NULL,
      process_id INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE bolide_change (
      "transaction" INTEGER NOT NULL,
      entity TEXT NOT NULL,
      kind TEXT NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      properties TEXT NOT NULL,
      objects TEXT NOT NULL,
      PRIMARY KEY ("transaction", entity, kind, first, properties)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE bolide_property (
      entity TEXT NOT NULL,
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (entity, id)
    ) WITHOUT ROWID
    """,
    historyView,
  ]

  /// Spells history out, one line a change of an object.
  static let historyView = """
    CREATE VIEW bolide_history AS
    WITH RECURSIVE
      part("transaction", entity, kind, properties, piece, rest) AS (
        SELECT "transaction", entity, kind, properties, NULL,
          CASE objects WHEN '' THEN first || '-' || last ELSE objects END || ','
        FROM bolide_change
        UNION ALL
        SELECT "transaction", entity, kind, properties,
          substr(rest, 1, instr(rest, ',') - 1), substr(rest, instr(rest, ',') + 1)
        FROM part WHERE rest <> ''
      ),
      object("transaction", entity, kind, properties, number, last) AS (
        SELECT "transaction", entity, kind, properties, CAST(piece AS INTEGER),
          CAST(substr(piece, instr(piece, '-') + 1) AS INTEGER)
        FROM part WHERE piece IS NOT NULL
        UNION ALL
        SELECT "transaction", entity, kind, properties, number + 1, last FROM object WHERE number < last
      )
    SELECT object."transaction",
      strftime('%Y-%m-%dT%H:%M:%fZ', timestamp + 978307200, 'unixepoch') AS time,
      author, context, kind, object.entity, object.number,
      (SELECT group_concat(name, ', ') FROM bolide_property
        WHERE bolide_property.entity = object.entity
          AND instr(',' || object.properties || ',', ',' || id || ',') > 0) AS properties
    FROM object JOIN bolide_transaction ON bolide_transaction.number = object."transaction"
    """
}
