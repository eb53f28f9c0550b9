import BolideConformance
import BolideStorage
import Foundation
import Testing

@testable import BolideSQLite

/// What SQL plans become, and by which way SQLite answers it.
struct PlanTests {
  private static let quakes = Conformance.planLayout.tables[0]

  /// Opens a store with 1,000 quakes and hands out a snapshot.
  private static func withSnapshot(_ body: (any Snapshot) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let store = try folder.open(layout: Conformance.planLayout)
    let transaction = try store.begin(until: .now + .seconds(20))
    var rows = RowBatch(quakes.format)
    var builder = RowBuilder(quakes.format)
    for index in 0..<1000 {
      builder.clear()
      builder.set(0, .string("q\(index)"))
      builder.set(1, .string("n\(index % 10)"))
      builder.set(2, .int(Int64(index)))
      if index % 3 > 0 { builder.set(3, .double(Double(index % 90) / 10)) }
      builder.set(5, .string("place \(index % 7)"))
      builder.append(to: &rows)
    }
    var taken: [Taken] = []
    _ = try transaction.insert(rows, of: 0, numberedFrom: 1, taken: &taken)
    _ = try transaction.commit(pinning: false)
    let snapshot = try store.snapshot()
    try body(snapshot)
    snapshot.close()
    try store.close()
  }

  private static func plan(_ tests: PlanTest..., by column: Int? = nil, limit: Int? = nil) -> Plan {
    Plan(
      table: 0, tests: tests, order: column.map { [PlanTerm(.column($0))] } ?? [], limit: limit,
      result: .rows(.all(6)))
  }

  private static func compare(_ column: Int, _ comparison: PlanComparison, _ value: Value) -> PlanTest {
    .compare(.column(column), comparison, .constant(value))
  }

  @Test func `statements hold no value`() throws {
    try Self.withSnapshot { snapshot in
      let odd = "x'; DROP TABLE \"Quake\"; --"
      let plan = Self.plan(
        Self.compare(0, .notEqual, .string(odd)), .isIn(.column(5), [.string(odd), .null]),
        .beginsWith(.column(5), Array(odd.utf8)), Self.compare(3, .less, .double(4.25)), limit: 17)
      let text = try snapshot.explain(plan)[0]
      #expect(!text.contains("DROP") && !text.contains("4.25") && !text.contains("17"), "\(text)")
      var rows = RowBatch(Self.quakes.format)
      try snapshot.run(plan, into: &rows)
      #expect(rows.isEmpty)
    }
  }

  @Test func `an index is used wherever one is of use`() throws {
    try Self.withSnapshot { snapshot in
      func ways(_ plan: Plan) throws -> [String] { Array(try snapshot.explain(plan).dropFirst()) }
      #expect(
        try ways(Self.plan(Self.compare(0, .equal, .string("q1"))))
          == ["SEARCH r0 USING INDEX Quake_code (code=?)"])
      #expect(
        try ways(Self.plan(Self.compare(3, .greaterOrEqual, .double(2)), by: 3, limit: 20))
          == ["SEARCH r0 USING INDEX Quake_magnitude (magnitude>?)"])
      #expect(try ways(Self.plan(by: 3, limit: 20)) == ["SCAN r0 USING INDEX Quake_magnitude"])
      #expect(
        try ways(Self.plan(.beginsWith(.column(0), Array("q1".utf8))))[0]
          == "SEARCH r0 USING INDEX Quake_code (code>? AND code<?)")
      let many = try ways(Self.plan(.isIn(.column(0), (0..<1000).map { .string("q\($0)") })))
      #expect(many[0] == "SEARCH r0 USING INDEX Quake_code (code=?)", "\(many)")
      #expect(
        try ways(Self.plan(Self.compare(4, .less, .date(Date(timeIntervalSinceReferenceDate: 0)))))
          == ["SCAN r0"])
      let groups = Plan(table: 0, result: .groups(by: [.column(1)], [.count]))
      #expect(try ways(groups) == ["SCAN r0 USING COVERING INDEX Quake_net_serial"])
    }
  }

  @Test func `negations are moved to the leaves`() throws {
    try Self.withSnapshot { snapshot in
      let plan = Self.plan(
        .not(.any([Self.compare(3, .less, .double(1)), .not(Self.compare(5, .equal, .null))])))
      let text = try snapshot.explain(plan)[0]
      #expect(
        text.contains(
          #"WHERE ((r0."magnitude" < ?1) IS NOT TRUE AND r0."place" IS ?2)"#), "\(text)")
    }
  }

  @Test func `plans that differ in values share a statement`() throws {
    try Self.withSnapshot { snapshot in
      var texts: Set<String> = []
      for count in 0..<100 {
        let values = (0...(count % 40)).map { Value.int(Int64($0)) }
        texts.insert(try snapshot.explain(Self.plan(.isIn(.column(2), values), limit: count))[0])
      }
      // One, two, up to four, up to eight, and a table of values.
      #expect(texts.count == 5)
    }
  }

  @Test func `a test that is too large is left to the caller`() throws {
    try Self.withSnapshot { snapshot in
      let deep = (0..<60).reduce(Self.compare(3, .less, .double(1))) { test, _ in .not(test) }
      let wide = PlanTest.any((0..<2000).map { Self.compare(2, .equal, .int(Int64($0))) })
      #expect(snapshot.accepts(Self.plan(deep)) == .none)
      #expect(
        snapshot.accepts(Self.plan(Self.compare(3, .less, .double(1)), deep, wide)) == .rows(leaving: [1, 2]))
      // Just below the limit SQLite takes it.
      let most = PlanTest.all(
        (0..<14).map { _ in
          (0..<18).reduce(Self.compare(3, .less, .double(1))) { test, index in
            index % 2 == 0 ? .any([test, .constant(false)]) : .all([test, .constant(true)])
          }
        })
      let plan = Self.plan(most)
      if snapshot.accepts(plan) == .whole {
        var rows = RowBatch(Self.quakes.format)
        try snapshot.run(plan, into: &rows)
      }
    }
  }

  @Test func `no other SQL can call the functions of plans`() throws {
    let folder = try TemporaryFolder()
    let connection = try Connection(folder.store, flags: 6, deadline: .now + .seconds(1))
    for sql in [
      "SELECT bolide_test(1, 'a')", "SELECT bolide_key('x', 'a')", "SELECT bolide_fold(0, 0, 1)",
      "SELECT value FROM bolide_values(7)", "SELECT value FROM bolide_values",
    ] {
      #expect(throws: BolideError.self) { _ = try connection.value(sql, while: "calling") }
    }
  }
}
