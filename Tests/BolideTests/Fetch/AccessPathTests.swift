import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

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

  /// A path in words.
  private func path(_ text: String, sort: String = "", isLimited: Bool = false) throws -> String {
    let map = try SchemaMap(Self.schema(indexed: true))
    let entity = try map.entity("Stone")
    let condition = try BoundCondition(
      Condition(parsing: text, in: EntityScope(entity, in: map)), entity: entity, map: map)
    let order = try RowOrder(
      sort.isEmpty ? [] : SortTerm.list(parsing: sort), entity: entity, map: map)
    let path = try AccessPath(
      condition, order: order, isLimited: isLimited, entity: entity,
      reader: RowReader(map, rowCount: 1000))
    return (path.isOrdered ? "ordered " : "") + path.words(in: entity.tableLayout)
  }

  @Test func `the narrowest way is taken`() throws {
    #expect(try path("code == \"s1\" AND mass > 2") == "ordered by unique index code, 1 key")
    #expect(try path("code == \"s1\"", sort: "-mass") == "ordered by unique index code, 1 key")
    #expect(try path("kind == \"a\" AND mass > 2") == #"by index kind, count, at "a""#)
    #expect(
      try path("kind == \"a\"", sort: "-count") == #"ordered by index kind, count, backwards, at "a""#)
    #expect(try path("kind == 'a'", sort: "kind,count") == #"ordered by index kind, count, at "a""#)
    #expect(try path("mass > 2", sort: "found", isLimited: true) == "ordered by index found")
    #expect(try path("mass > 2", sort: "found") == "by index mass, after 2.0")
    #expect(try path("mass > 2 OR mass < 1") == "by index mass, 2 ranges: after null, before 1.0; after 2.0")
  }

  @Test func `lists, alternatives and prefixes are ranges`() throws {
    #expect(try path("code IN {'a', 'b', 'a'}") == "by unique index code, 2 keys")
    #expect(try path("code IN {'a', nil}") == #"by index code, 2 ranges: at null; at "a""#)
    #expect(try path("mass IN {3, 1} OR mass == 2") == "by index mass, 3 ranges: at 1.0; at 2.0; at 3.0")
    #expect(
      try path("mass IN {3, 1}", sort: "-mass", isLimited: true)
        == "ordered by index mass, backwards, 2 ranges: at 1.0; at 3.0")
    #expect(
      try path("kind IN {'a', 'b'} AND count > 2")
        == #"by index kind, count, 2 ranges: after "a", 2, through "a"; after "b", 2, through "b""#)
    #expect(try path("kind BEGINSWITH 'ab'") == #"by index kind, count, from "ab", before "ac""#)
    #expect(try path("kind LIKE 'ab*c?'") == #"by index kind, count, from "ab", before "ac""#)
    #expect(try path("kind LIKE 'ab'") == #"by index kind, count, at "ab""#)
    #expect(try path("NOT (mass > 2 OR mass == nil)") == "by index mass, after null, through 2.0")
    #expect(try path("mass > 5 AND mass < 4") == "ordered no object, by number")
    #expect(try path("SELF IN {Stone#9, Stone#2, Stone#9}") == "ordered 2 objects, by number")
    #expect(try path("SELF == Stone#9 AND mass > 2", sort: "mass") == "1 object, by number")
  }

  @Test func `what narrows little is read by number`() throws {
    for text in [
      "mass != 3", "mass != nil", "NOT mass IN {1, 2}", "kind BEGINSWITH[c] 'a'", "kind CONTAINS 'a'",
      "kind LIKE '*a'", "mass == 1 OR count == 2", "SELF != Stone#1",
      "mass IN {\((0..<300).map(String.init).joined(separator: ", "))}",
      "SELF IN {\((1..<300).map { "Stone#\($0)" }.joined(separator: ", "))}",
    ] { #expect(try path(text) == "ordered by number", "\(text.prefix(60))") }
  }

  @Test func `the end of a prefix is in NFC, and no text with the prefix is behind it`() throws {
    // U+0300 would join the letter before it, and so would those after it.
    #expect(try path("kind BEGINSWITH 'e\u{2FF}'").hasSuffix(", before \"e\u{31F}\""))
    #expect(try path("kind BEGINSWITH '\u{D7FF}'").hasSuffix(", before \"\u{E000}\""))
    #expect(try path("kind BEGINSWITH 'a\u{10FFFF}'").hasSuffix(#", before "b""#))
    #expect(try path("kind BEGINSWITH '\u{10FFFF}'") == "by index kind, count, from \"\u{10FFFF}\"")
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `what a condition demands holds of all objects that meet it`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let map = try SchemaMap(Self.schema(indexed: false))
    let entity = try map.entity("Stone")
    func condition(_ depth: Int) -> Condition {
      let mass = Operand.path(["mass"])
      func number() -> Value { .double(Double(Int.random(in: 0..<6, using: &random))) }
      switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &random) {
      case 0: return .in(mass, (0..<3).map { _ in Bool.random(using: &random) ? number() : .null })
      case 1...3:
        let comparisons: [Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
        return .compare(mass, comparisons[Int.random(in: 0..<6, using: &random)], .literal(number()))
      case 4, 5: return .and((0..<2).map { _ in condition(depth - 1) })
      case 6: return .or((0..<2).map { _ in condition(depth - 1) })
      default: return .not(condition(depth - 1))
      }
    }
    let column = try #require(entity.find("mass")?.column)
    for _ in 0..<500 {
      let condition = condition(4)
      let keys = try #require(
        BoundCondition(condition, entity: entity, map: map).keys(of: column))
      for value in [Value.null] + (0..<11).map({ .double(Double($0) / 2) }) {
        let isDemanded = !KeySet.intersection([keys, KeySet([value])]).isEmpty
        #expect(
          condition.holds { _ in value } == isDemanded, "seed \(seed): \(condition) of \(value)")
      }
    }
  }
}
