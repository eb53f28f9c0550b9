import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct FetchRowsTests {
  private static let schema = Schema(entities: [
    EntityDescription(
      name: "Quake",
      attributes: [
        AttributeDescription(name: "net", type: .string), AttributeDescription(name: "depth", type: .double),
        AttributeDescription(name: "felt", type: .int64), AttributeDescription(name: "cost", type: .decimal),
      ],
      relationships: [RelationshipDescription(name: "region", destination: "Region", inverse: "quakes")]),
    EntityDescription(
      name: "Region", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "quakes", destination: "Quake", inverse: "region", isToMany: true)
      ]),
  ])

  private let context: ManagedObjectContext

  init() throws {
    let location = StoreLocation(MemoryBackend(), Location(path: "memory"))
    context = try PersistentContainer(Self.schema, at: location).newContext()
    let region = try context.insert("Region")
    try region.setValue(.string("Alaska"), for: "name")
    let rows: [(String?, Double?, Int64?)] = [
      ("us", 10, 1), ("ak", 5, nil), ("us", 0.1, 2), (nil, nil, .max), ("us", 0.2, 4), ("ak", 5, 3),
    ]
    for (net, depth, felt) in rows {
      let quake = try context.insert("Quake")
      try quake.setValue(net.map(Value.string) ?? .null, for: "net")
      try quake.setValue(depth.map(Value.double) ?? .null, for: "depth")
      try quake.setValue(felt.map(Value.int) ?? .null, for: "felt")
      try quake.setValue(.decimal(Decimal(1) / 4), for: "cost")
      if net == "ak" { try quake.setObject(region, for: "region") }
    }
    try context.save()
  }

  @Test func `groups are asked for the object that they have in common`() throws {
    #expect(try rows("region,@count", by: ["region"], having: "region == Region#1") == ["#1 2"])
    #expect(try rows("region,@count", by: ["region"], having: "region != Region#1") == ["null 4"])
    #expect(try rows("region", by: ["region"], having: "region IN {Region#1, Region#2}") == ["#1"])
    #expect(try rows("region", by: ["region"], having: "NOT region == Region#2") == ["null", "#1"])
  }

  private func rows(
    _ columns: String, by groups: [String] = [], having: String? = nil, where text: String? = nil,
    sort: String? = nil, limit: Int? = nil, offset: Int = 0, distinct: Bool = false
  ) throws -> [String] {
    var request = FetchRequest<ManagedObject>(entity: "Quake", limit: limit, offset: offset)
    request.condition = try text.map { try Condition(parsing: $0) }
    request.sort = try sort.map { try SortTerm.list(parsing: $0) } ?? []
    request.propertiesToFetch = columns.isEmpty ? [] : try FetchColumn.list(parsing: columns)
    request.propertiesToGroupBy = groups
    request.having = try having.map { try Condition(parsing: $0) }
    request.returnsDistinctRows = distinct
    return try context.fetchRows(request).map { row in
      row.values.map { CanonicalText.text($0) }.joined(separator: " ")
    }
  }

  @Test func `rows hold the properties asked for`() throws {
    #expect(try rows("net,depth", sort: "-depth", limit: 2, offset: 1) == [#""ak" 5.0"#, #""ak" 5.0"#])
    #expect(try rows("region.name,region", where: "region != nil") == [#""Alaska" #1"#, #""Alaska" #1"#])
    #expect(try rows("", where: "felt == 1") == [#"0.25 10.0 1 "us""#])
    #expect(try rows("net", sort: "-net", limit: 2, distinct: true) == [#""us""#, #""ak""#])
    #expect(try rows("net,depth", where: "net == 'ak'", distinct: true).count == 1)
    var request = FetchRequest<ManagedObject>(entity: "Quake", limit: 1)
    request.propertiesToFetch = [FetchColumn(.path(["net"]), as: "network"), FetchColumn(.path(["felt"]))]
    let row = try #require(try context.fetchRows(request).first)
    #expect(row.columns == ["network", "felt"])
    #expect(row["network"] == .string("us"))
    #expect(row["net"] == nil)
  }

  @Test func `groups have aggregates`() throws {
    #expect(
      try rows("net,@count,depth.@avg,depth.@min,depth.@max,cost.@sum", by: ["net"]) == [
        "null 1 null null null 0.25", #""ak" 2 5.0 5.0 5.0 0.5"#,
        #""us" 3 3.433333333333333 0.1 10.0 0.75"#,
      ])
    #expect(try rows("", by: ["net"], sort: "-@count,net") == [#""us""#, #""ak""#, "null"])
  }

  @Test func `having, limit and order are about groups`() throws {
    #expect(try rows("net", by: ["net"], having: "@count > 1") == [#""ak""#, #""us""#])
    #expect(try rows("net", by: ["net"], having: "depth.@max == nil") == ["null"])
    #expect(
      try rows("net", by: ["net"], having: "net ==[c] 'US' OR felt.@sum == 3") == [#""ak""#, #""us""#])
    #expect(try rows("net", by: ["net"], sort: "-net", limit: 1, offset: 1) == [#""ak""#])
    #expect(try rows("region.name,@count", by: ["region.name"]) == ["null 4", #""Alaska" 2"#])
    #expect(try rows("@count", by: ["net"], distinct: true) == ["1", "2", "3"])
    #expect(try rows("net,depth", by: ["net", "depth"], sort: "-@count", limit: 1) == [#""ak" 5.0"#])
  }

  @Test func `aggregates without groups are one row`() throws {
    #expect(try rows("@count,felt.@max,depth.@avg", where: "net == 'us'") == ["3 4 3.433333333333333"])
    #expect(
      try rows("@count,felt.@sum,felt.@max,depth.@avg", where: "net == 'x'") == ["0 0 null null"])
    #expect(try rows("@count", having: "@count > 100") == [])
  }

  @Test func `what has no one value is refused`() throws {
    func code(_ body: () throws -> [String]) -> ErrorCode? {
      #expect(throws: BolideError.self) { try body() }?.code
    }
    #expect(code { try rows("depth", by: ["net"]) } == .fetchColumn)
    #expect(code { try rows("net", by: ["net"], having: "depth > 1") } == .fetchColumn)
    #expect(code { try rows("net", by: ["net"], sort: "depth") } == .fetchColumn)
    #expect(code { try rows("felt.@sum") } == .aggregateOverflow)
    #expect(code { try rows("net.@sum") } == .predicateType)
    #expect(code { try rows("nte") } == .predicateUnknownPath)
    #expect(code { try rows("-net") } == .predicateSyntax)
    #expect(code { try rows("region.quakes") } == .predicateToMany)
  }

  @Test func `unsaved edits count`() throws {
    let quake = try context.insert("Quake")
    try quake.setValue(.string("ak"), for: "net")
    #expect(try rows("@count", where: "net == 'ak'") == ["3"])
    #expect(try rows("@count", where: "region.quakes.@count == 2") == ["2"])
  }
}
