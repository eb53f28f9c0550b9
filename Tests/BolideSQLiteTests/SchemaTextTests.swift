import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// What a person sees of a store with the `sqlite3` shell.
@Suite struct SchemaTextTests {
  /// The schema of a store with ``FireballWatch/layout``, as `.schema` prints it.
  static let text = """
    CREATE TABLE bolide_log (
      mark INTEGER NOT NULL,
      previous INTEGER NOT NULL
    );
    CREATE TABLE bolide_metadata (
      key TEXT PRIMARY KEY,
      value
    ) WITHOUT ROWID;
    CREATE TABLE bolide_transaction (
      number INTEGER PRIMARY KEY,
      nonce INTEGER NOT NULL,
      timestamp REAL NOT NULL,
      author TEXT,
      context TEXT,
      process TEXT NOT NULL,
      process_id INTEGER NOT NULL
    );
    CREATE TABLE bolide_change (
      "transaction" INTEGER NOT NULL,
      entity TEXT NOT NULL,
      kind TEXT NOT NULL,
      first INTEGER NOT NULL,
      last INTEGER NOT NULL,
      properties TEXT NOT NULL,
      objects TEXT NOT NULL,
      PRIMARY KEY ("transaction", entity, kind, first, properties)
    ) WITHOUT ROWID;
    CREATE TABLE bolide_property (
      entity TEXT NOT NULL,
      id INTEGER NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (entity, id)
    ) WITHOUT ROWID;
    CREATE TABLE "Fireball" (
      _number INTEGER PRIMARY KEY,
      "altitude" REAL,
      "dateTimeStamp" REAL,
      "id" BLOB,
      "impactEnergy" TEXT,
      "isSeen" INTEGER,
      "place" TEXT,
      "thumbnail" BLOB,
      "url" TEXT,
      "_order_impactEnergy" BLOB
    );
    CREATE UNIQUE INDEX "Fireball_dateTimeStamp" ON "Fireball" ("dateTimeStamp");
    CREATE INDEX "Fireball_impactEnergy" ON "Fireball" ("_order_impactEnergy");
    CREATE INDEX "Fireball_place_altitude" ON "Fireball" ("place", "altitude");
    CREATE TABLE "bolide_tombstone_Fireball" (
      "transaction" INTEGER NOT NULL,
      _number INTEGER NOT NULL,
      "dateTimeStamp" REAL,
      "impactEnergy" TEXT,
      PRIMARY KEY ("transaction", _number)
    ) WITHOUT ROWID;
    CREATE TABLE "FireballGroup" (
      _number INTEGER PRIMARY KEY,
      "fireballCount" INTEGER,
      "name" TEXT
    );
    CREATE UNIQUE INDEX "FireballGroup_name" ON "FireballGroup" ("name");
    CREATE TABLE "Fireball_groups" (
      "fireball" INTEGER NOT NULL,
      "group" INTEGER NOT NULL,
      _order INTEGER NOT NULL,
      _inverse_order INTEGER NOT NULL,
      PRIMARY KEY ("fireball", "group")
    ) WITHOUT ROWID;
    CREATE INDEX "Fireball_groups_forward" ON "Fireball_groups" ("fireball", _order, "group", _inverse_order);
    CREATE INDEX "Fireball_groups_inverse" ON "Fireball_groups" ("group", _inverse_order, "fireball", _order);
    """

  @Test func `the schema is the model's, readable, and otherwise named bolide_`() throws {
    let folder = try TemporaryFolder()
    try folder.open().close()
    let lines = try Shell.run(
      "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'view'", on: folder.store)
    #expect(lines.joined(separator: "\n") == Self.text)
    #expect(
      try Shell.run("SELECT name FROM sqlite_schema WHERE type = 'view'", on: folder.store)
        == ["bolide_history"])
  }

  @Test func `values stand in columns of their types`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write { transaction in
      try transaction.insert(
        [
          [
            .double(-.infinity), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
            .uuid(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))),
            .decimal(try #require(Decimal(string: "-12.50"))), .bool(true), .string("São Paulo"),
            .binary([0, 255]), .uri("https://example.org"),
          ], Array(repeating: .null, count: 8),
        ], into: 0, FireballWatch.fireball, from: 1)
    }
    try store.close()
    let lines = try Shell.run(
      """
      SELECT altitude, dateTimeStamp, hex(id), impactEnergy, isSeen, place, hex(thumbnail), url FROM Fireball;
      SELECT typeof(altitude), typeof(dateTimeStamp), typeof(id), typeof(impactEnergy), typeof(isSeen),
        typeof(place), typeof(thumbnail), typeof(url), typeof(_order_impactEnergy) FROM Fireball;
      PRAGMA integrity_check;
      PRAGMA application_id; PRAGMA user_version; PRAGMA journal_mode;
      """, on: folder.store)
    #expect(
      lines == [
        "-Inf|0.25|00112233445566778899AABBCCDDEEFF|-12.5|1|São Paulo|00FF|https://example.org",
        "NULL|NULL||NULL|NULL|NULL||NULL",
        "real|real|blob|text|integer|text|blob|text|blob",
        Array(repeating: "null", count: 9).joined(separator: "|"), "ok", "1114598505", "1", "wal",
      ])
  }

  @Test func `history is readable, short and spelled out by a view`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write { transaction in
      try transaction.append([
        ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [1...3]),
        ChangeRun(entity: 1, kind: .update, properties: ColumnSet([0, 2]), numbers: [1...1, 4...5]),
      ])
    }
    try store.write { transaction in
      try transaction.append(
        [ChangeRun(entity: 0, kind: .delete, properties: ColumnSet(), numbers: [2...2])], author: nil,
        tombstones: [
          Tombstones(
            table: 0,
            rows: RowBatch(
              [[.date(Date(timeIntervalSinceReferenceDate: 3)), .decimal(7)]],
              FireballWatch.fireball.tombstoneFormat, numbers: [2]))
        ])
    }
    try store.close()
    #expect(
      try Shell.run("SELECT * FROM bolide_change; SELECT * FROM bolide_tombstone_Fireball", on: folder.store)
        == [
          "1|Fireball|insert|1|3||", "1|FireballGroup|update|1|5|0,2|1,4-5", "2|Fireball|delete|2|2||",
          "2|2|3.0|7",
        ])
    #expect(
      try Shell.run(
        "SELECT * FROM bolide_history ORDER BY \"transaction\", entity, number", on: folder.store) == [
          "1|2022-01-01T00:00:00.250Z|test|NULL|insert|Fireball|1|NULL",
          "1|2022-01-01T00:00:00.250Z|test|NULL|insert|Fireball|2|NULL",
          "1|2022-01-01T00:00:00.250Z|test|NULL|insert|Fireball|3|NULL",
          "1|2022-01-01T00:00:00.250Z|test|NULL|update|FireballGroup|1|fireballCount, fireballs",
          "1|2022-01-01T00:00:00.250Z|test|NULL|update|FireballGroup|4|fireballCount, fireballs",
          "1|2022-01-01T00:00:00.250Z|test|NULL|update|FireballGroup|5|fireballCount, fireballs",
          "2|2022-01-01T00:00:00.250Z|NULL|NULL|delete|Fireball|2|NULL",
        ])
  }

  @Test func `names that SQL would confuse are told apart, and survive changes of the layout`() throws {
    let columns = [
      "name", "Name", "NAME", "_number", "say \"hi\"", "select", "_order_price", "price", "rowid",
    ]
    let table = TableLayout(
      name: "bolide_metadata",
      columns: columns.map { ColumnLayout(name: $0, type: $0 == "price" ? .decimal : .string) },
      indexes: [
        IndexLayout(name: "i", columns: [0, 7], isUnique: true),
        IndexLayout(name: "I", columns: [1], isUnique: false),
        IndexLayout(name: "\"", columns: [4], isUnique: false),
      ], properties: columns, preserved: [0, 1])
    var other = table
    other.name = "sqlite_Sequence"
    var layout = Layout(
      tables: [table, other],
      links: [
        LinkLayout(name: "Bolide_metadata", source: 0, sourceName: "a", target: 1, targetName: "A")
      ], entities: [EntityLayout(name: "bolide_metadata", table: 0)])
    let folder = try TemporaryFolder()
    let store = try folder.open(layout: layout)
    let rows = (0..<3).map { row in
      columns.map { $0 == "price" ? Value.decimal(Decimal(row)) : .string("\($0) \(row)") }
    }
    try store.write { transaction in
      for id in 0...1 { try transaction.insert(rows, into: id, layout.tables[id], from: 1) }
      var added: [Bool] = []
      try transaction.link(0, [Link(from: 1, to: 2)], added: &added)
    }
    // Without the first of the three, the others must still be found under the names they were given.
    layout.epoch += 1
    for id in 0...1 {
      layout.tables[id].columns.removeFirst()
      layout.tables[id].indexes = [IndexLayout(name: "I", columns: [0], isUnique: false)]
      layout.tables[id].preserved = [0]
    }
    try store.write { try $0.change(layout) }
    try store.close()
    let again = try folder.open()
    defer { try? again.close() }
    for id in 0...1 {
      #expect(
        try again.read { try $0.values(of: id, layout.tables[id]) } == rows.map { Array($0.dropFirst()) })
    }
    #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"])
  }
}
