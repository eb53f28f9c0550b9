import BolideLMDB
import BolideStorage
import CLMDB
import Foundation
import Testing

/// The bytes of format 1, entry by entry: what other versions of Bolide read and write.
///
/// `Fixtures/stores/format-1.lmdb.txt` is not to be brought up to date. Where this test fails the format has changed: it needs
/// the next number, which stores of this one are told from, and a fixture of its own beside this one.
@Suite struct FormatTests {
  private static let layout = Layout(
    tables: [
      TableLayout(
        name: "Thing",
        columns: [
          ColumnLayout(name: "amount", type: .decimal), ColumnLayout(name: "count", type: .int64),
          ColumnLayout(name: "day", type: .date), ColumnLayout(name: "flag", type: .boolean),
          ColumnLayout(name: "id", type: .uuid), ColumnLayout(name: "name", type: .string),
          ColumnLayout(name: "raw", type: .binary), ColumnLayout(name: "size", type: .double),
        ],
        indexes: [
          IndexLayout(name: "name", columns: [5], isUnique: true),
          IndexLayout(name: "amount", columns: [0], isUnique: false),
          IndexLayout(name: "count_day", columns: [1, 2], isUnique: false),
          IndexLayout(name: "flag", columns: [3], isUnique: false),
          IndexLayout(name: "id_raw", columns: [4, 6], isUnique: true),
          IndexLayout(name: "size", columns: [7], isUnique: false),
        ],
        properties: ["amount", "count", "day", "flag", "id", "name", "raw", "size"], preserved: [1, 5])
    ],
    links: [LinkLayout(name: "Thing_others", source: 0, sourceName: "thing", target: 0, targetName: "other")],
    entities: [EntityLayout(name: "Thing", table: 0)])

  private static func write(_ fixture: Fixture) throws {
    let store = try fixture.open(layout: layout)
    let id = UUID(uuid: (0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255))
    let rows: [[Value]] = [
      [
        .decimal(Decimal(string: "-12.50") ?? 0), .int(-3), .date(Date(timeIntervalSinceReferenceDate: 0.25)),
        .bool(true), .uuid(id), .string("é\u{0}a"), .binary([0, 255]), .double(-.infinity),
      ],
      [
        .decimal(1_000), .int(.max), .date(Date(timeIntervalSinceReferenceDate: -1.5)), .bool(false), .null,
        .string(String(repeating: "long ", count: 120)), .binary([1]), .double(2.5),
      ],
      Array(repeating: .null, count: 8),
    ]
    let format = layout.tables[0].format
    var batch = RowBatch(format)
    var builder = RowBuilder(format)
    for row in rows {
      builder.clear()
      for (column, value) in row.enumerated() { builder.set(column, value) }
      builder.append(to: &batch, number: 0)
    }
    func record(_ number: UInt64, author: String?) -> TransactionRecord {
      TransactionRecord(
        mark: Mark(transaction: number, nonce: 0x1122_3344_5566_7700 + number), timestamp: 1.25,
        author: author,
        contextName: nil, processName: "test", processID: 7)
    }
    try store.write { (transaction) throws in
      var taken: [Taken] = []
      _ = try transaction.insert(batch, of: 0, numberedFrom: 1, taken: &taken)
      var added: [Bool] = []
      let links = [
        Link(from: 1, to: 2), Link(from: 1, to: 3, order: 2, inverseOrder: -5), Link(from: 3, to: 3),
      ]
      try transaction.link(0, links, added: &added)
      try transaction.setMetadata("name", [1, 2, 3])
      try transaction.setMetadata(String(repeating: "n", count: 401), [4])
      try transaction.append(
        record(1, author: "é"),
        runs: [ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [1...3])], tombstones: []
      )
    }
    try store.write { (transaction) throws in
      try transaction.delete([3], of: 0)
      let kept = layout.tables[0].tombstoneFormat
      var tombstone = RowBuilder(kept)
      tombstone.set(0, .int(5))
      var rows = RowBatch(kept)
      tombstone.append(to: &rows, number: 3)
      try transaction.append(
        record(2, author: nil),
        runs: [
          ChangeRun(
            entity: 0, kind: .update, properties: ColumnSet([0, 7]), numbers: [1...1, 300...70_000]),
          ChangeRun(entity: 0, kind: .delete, properties: ColumnSet(), numbers: [3...3]),
        ], tombstones: [Tombstones(table: 0, rows: rows)])
    }
    try store.write { (transaction) throws in _ = try transaction.dropHistory(through: 1, limit: 9) }
    try store.close()
  }

  /// Every entry of every database, named by the database.
  private static func entries(_ path: String) throws -> [String] {
    var environment: OpaquePointer?
    var transaction: OpaquePointer?
    defer {
      mdb_txn_abort(transaction)
      mdb_env_close(environment)
    }
    try #require(mdb_env_create(&environment) == 0)
    try #require(mdb_env_set_maxdbs(environment, 64) == 0)
    try #require(mdb_env_open(environment, path, UInt32(MDB_RDONLY), 0o600) == 0)
    try #require(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction) == 0)
    var lines: [String] = []
    for name in try pairs(nil, in: transaction).pairs.map(\.key) {
      let text = String(decoding: name, as: UTF8.self)
      let database = try pairs(text, in: transaction)
      lines.append("\(text)  flags \(database.flags)")
      lines += database.pairs.map { "  \(shown($0.key)) = \(shown($0.value))" }
    }
    return lines
  }

  private static func pairs(
    _ name: String?, in transaction: OpaquePointer?
  ) throws -> (flags: UInt32, pairs: [(key: [UInt8], value: [UInt8])]) {
    var database: MDB_dbi = 0
    var cursor: OpaquePointer?
    var flags: UInt32 = 0
    try #require(mdb_dbi_open(transaction, name, 0, &database) == 0)
    try #require(mdb_dbi_flags(transaction, database, &flags) == 0)
    try #require(mdb_cursor_open(transaction, database, &cursor) == 0)
    defer { mdb_cursor_close(cursor) }
    var pairs: [(key: [UInt8], value: [UInt8])] = []
    var key = MDB_val()
    var value = MDB_val()
    while mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
      pairs.append((bytes(key), bytes(value)))
    }
    return (flags, pairs)
  }

  private static func bytes(_ value: MDB_val) -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size))
  }

  /// Text as such, anything else in hexadecimal digits.
  private static func shown(_ bytes: [UInt8]) -> String {
    if bytes.count > 3, bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      return String(decoding: bytes, as: UTF8.self)
    }
    return "0x" + bytes.map { String(format: "%02x", $0) }.joined()
  }

  @Test func `each byte of a store is what format 1 says`() throws {
    let fixture = try Fixture()
    try Self.write(fixture)
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures/stores/format-1.lmdb.txt")
    let kept = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let seen = try Self.entries(fixture.path())
    #expect(seen == kept, "the format has changed; see the comment of these tests")
  }
}
