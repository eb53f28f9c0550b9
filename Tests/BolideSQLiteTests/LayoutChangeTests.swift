import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// Changes of the layout that need more of SQLite than names.
@Suite struct LayoutChangeTests {
  @Test func `a decimal indexed later is ordered as a number, and no longer costs when it is not`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let texts = ["10", "9", "-1.5", "-10", "100", "0.25", "0"]
    var layout = FireballWatch.layout
    layout.tables[0].indexes.remove(at: 1)
    layout.epoch += 1
    try store.write { try $0.change(layout) }
    #expect(
      try Shell.run(
        "SELECT count(*) FROM pragma_table_info('Fireball') WHERE name LIKE '_order%'", on: folder.store)
        == ["0"])
    try store.write { transaction in
      try transaction.insert(
        texts.enumerated().map { index, text in
          var row = FireballWatch.sighting(index)
          row[3] = .decimal(try #require(Decimal(string: text)))
          return row
        } + [Array(repeating: .null, count: 8)], into: 0, layout.tables[0], from: 1)
    }
    layout.tables[0].indexes.append(IndexLayout(name: "impactEnergy", columns: [3], isUnique: true))
    layout.epoch += 1
    try store.write { transaction in
      try transaction.change(layout)
      let rows = try transaction.values(of: 0, layout.tables[0], by: .index(2, lower: nil, upper: nil))
      #expect(
        rows.map { $0[3] } == [.null]
          + ["-10", "-1.5", "0", "0.25", "9", "10", "100"].map {
            Decimal(string: $0).map(Value.decimal) ?? .null
          })
    }
    try store.close()
  }

  @Test func `rows that break a new unique index are named, each with the lowest holder`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write { transaction in
      let rows = [("a", 1.0), ("a", 2), ("b", 1), ("a", 1), ("a", 2), ("a", 1)].enumerated().map {
        index, pair in
        var row = FireballWatch.sighting(index)
        row[5] = .string(pair.0)
        row[0] = .double(pair.1)
        return row
      }
      try transaction.insert(rows, into: 0, FireballWatch.fireball, from: 1)
    }
    var layout = FireballWatch.layout
    layout.epoch += 1
    layout.tables[0].indexes[2].isUnique = true
    let transaction = try store.begin(until: .now + .seconds(30))
    do {
      try transaction.change(layout)
      Issue.record("the index was made")
    } catch {
      #expect(error.code == .storeMisuse)
      #expect(
        error.payload as? [Taken]
          == [(4, 1), (5, 2), (6, 1)].map { Taken(row: $0.0, index: 2, holder: $0.1) })
    }
    #expect(throwing(.storeMisuse) { try transaction.commit(pinning: false) })
    transaction.rollback()
    #expect(store.layout == FireballWatch.layout)
    try store.close()
  }

  @Test func `tombstones follow the preserved columns`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    func tombstones(_ layout: Layout) throws -> [[Value]] {
      var batch = RowBatch(layout.tables[0].tombstoneFormat)
      try store.read { try $0.tombstones(of: 1, in: 0, after: 0, limit: 10, into: &batch) }
      return batch.values
    }
    let date = Value.date(Date(timeIntervalSinceReferenceDate: 5))
    try store.write {
      try $0.append(
        [ChangeRun(entity: 0, kind: .delete, properties: ColumnSet(), numbers: [4...4])],
        tombstones: [
          Tombstones(
            table: 0,
            rows: RowBatch([[date, .decimal(2)]], FireballWatch.fireball.tombstoneFormat, numbers: [4]))
        ])
    }
    #expect(try tombstones(store.layout) == [[date, .decimal(2)]])
    for (preserved, expected) in [
      ([5, 1], [[Value.null, date]]), ([5], [[.null]]), ([], []), ([1], []),
    ] {
      var layout = store.layout
      layout.epoch += 1
      layout.tables[0].preserved = preserved
      try store.write { try $0.change(layout) }
      #expect(try tombstones(layout) == expected, "\(preserved)")
    }
    try store.close()
  }

  @Test func `another opening has to open again after a change, and its snapshots stay`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let other = try folder.open(layout: nil)
    let snapshot = try other.snapshot()
    var layout = FireballWatch.layout
    layout.epoch += 1
    layout.tables[0].columns.removeLast()
    try store.write { try $0.change(layout) }
    #expect(throwing(.storeSchemaChanged) { try other.begin(until: .now + .seconds(30)) })
    #expect(throwing(.storeSchemaChanged) { try other.snapshot() })
    #expect(try snapshot.values(of: 0, FireballWatch.fireball).isEmpty)
    snapshot.close()
    try store.write {
      try $0.insert([Array(FireballWatch.sighting(1).dropLast())], into: 0, layout.tables[0], from: 1)
    }
    try other.close()
    let again = try folder.open(layout: nil)
    #expect(again.layout == layout)
    #expect(try again.read { try $0.count(of: 0) } == 1)
    try again.close()
    try store.close()
  }

  @Test func `calls with more numbers than SQL has parameters are calls like others`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let numbers = Array(Number(1)...40_000)
    let group = FireballWatch.group
    try store.write { transaction in
      try transaction.insert(numbers.map { [.int($0), .string("\($0)")] }, into: 1, group, from: 1)
      var batch = RowBatch(group.format)
      try transaction.rows(numbers.reversed(), of: 1, columns: ColumnSet([0]), into: &batch)
      #expect(batch.numbers == numbers.reversed())
      var added: [Bool] = []
      try transaction.link(0, numbers.map { Link(from: 1, to: $0) }, added: &added)
      var links: [Link] = []
      try transaction.links(0, of: numbers, side: .inverse, after: nil, limit: 50_000, into: &links)
      #expect(links.map(\.to) == numbers)
      try transaction.delete(numbers, of: 1)
      #expect(try transaction.count(of: 1) == 0)
    }
    try store.close()
  }
}
