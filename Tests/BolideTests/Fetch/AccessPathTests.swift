import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// Indexes change how many rows a fetch looks at, never what it finds.
@Suite struct AccessPathTests {
  static func schema(indexed: Bool) -> Schema {
    var entity = EntityDescription(
      name: "Stone",
      attributes: [
        AttributeDescription(name: "code", type: .string), AttributeDescription(name: "mass", type: .double),
        AttributeDescription(name: "count", type: .int32), AttributeDescription(name: "found", type: .date),
        AttributeDescription(name: "kind", type: .string),
      ])
    if indexed {
      entity.uniquenessConstraints = [["code"]]
      entity.indexes = [["mass"], ["kind", "count"], ["found"]]
    }
    return Schema(name: "Stones", entities: [entity])
  }

  static let texts = [
    "code == \"s7\"", "code == nil", "code != \"s7\"", "mass > 3", "mass >= 3 AND mass < 7", "mass == nil",
    "kind == \"a\"", "kind == \"a\" AND count > 2", "kind == \"b\" AND count == 3",
    "mass < 5 OR kind == \"c\"",
    "NOT mass < 5", "5 > mass", "mass > 2.5 AND kind == \"a\"", "count > 99999999999", "kind IN {\"a\", nil}",
    "mass < 4 AND mass < 2", "found < \"2001-01-01T00:00:20Z\" AND mass >= 1",
  ]

  static let sorts = [
    "", "mass", "-mass", "kind", "-found", "kind,count", "-kind,-count", "kind,-count", "count",
  ]

  @Test(arguments: [UInt64(1), 2, 3])
  func `what is found does not depend on indexes`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var records: [[String: Value]] = []
    for number in 0..<100 {
      var record: [String: Value] = [:]
      if Int.random(in: 0..<10, using: &random) > 0 { record["code"] = .string("s\(number)") }
      if Bool.random(using: &random) {
        record["mass"] = .double(Double(Int.random(in: 0..<10, using: &random)))
      }
      if Bool.random(using: &random) { record["count"] = .int(.random(in: 0..<5, using: &random)) }
      if Bool.random(using: &random) {
        let seconds = Double(Int.random(in: 0..<40, using: &random))
        record["found"] = .date(Date(timeIntervalSinceReferenceDate: seconds))
      }
      record["kind"] = .string(["a", "b", "c"][Int.random(in: 0..<3, using: &random)])
      records.append(record)
    }
    let contexts = try [true, false].map { indexed in
      let container = try PersistentContainer(
        Self.schema(indexed: indexed), at: MemoryBackend.freshLocation())
      let context = container.newContext()
      _ = try context.execute(BatchInsertRequest(entity: "Stone", records: records))
      return (container, context)
    }
    for text in Self.texts {
      for sort in Self.sorts {
        for limit in [nil, 0, 40] {
          let found = try contexts.map { container, context in
            let scope = EntityScope(try container.map.entity("Stone"), in: container.map)
            let request = FetchRequest<ManagedObject>(
              entity: "Stone", where: try Condition(parsing: text, in: scope),
              sort: sort.isEmpty ? [] : try SortTerm.list(parsing: sort), limit: limit,
              offset: limit == 40 ? 3 : 0)
            let ids = try context.fetch(request).map(\.objectID.number)
            #expect(try context.count(for: request) == ids.count, "seed \(seed): \(text)")
            return ids
          }
          #expect(found[0] == found[1], "seed \(seed): \(text), sort \(sort), limit \(limit ?? -1)")
        }
      }
    }
  }

  @Test func `the narrowest way is taken`() throws {
    let map = try SchemaMap(Self.schema(indexed: true))
    let entity = try map.entity("Stone")
    let indexes = entity.tableLayout.indexes
    func path(_ text: String, sort: String = "", isLimited: Bool = false) throws -> (String?, Bool) {
      let condition = try BoundCondition(
        Condition(parsing: text, in: EntityScope(entity, in: map)), entity: entity, map: map)
      let order = try RowOrder(
        sort.isEmpty ? [] : SortTerm.list(parsing: sort), entity: entity, map: map)
      let path = AccessPath(condition, order: order, isLimited: isLimited, entity: entity)
      guard case .index(let id, _, _) = path.range else { return (nil, path.isOrdered) }
      return (
        indexes[id].columns.map { entity.tableLayout.columns[$0].name }.joined(separator: ","), path.isOrdered
      )
    }
    #expect(try path("code == \"s1\" AND mass > 2") == ("code", true))
    #expect(try path("kind == \"a\" AND mass > 2") == ("kind,count", false))
    #expect(try path("kind == \"a\"", sort: "-count") == ("kind,count", true))
    #expect(try path("mass > 2", sort: "found", isLimited: true) == ("found", true))
    #expect(try path("mass > 2", sort: "found") == ("mass", false))
    #expect(try path("mass > 2 OR mass < 1") == (nil, true))
  }
}
