import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// A fetch by a unique key asks an index and finds what it would find without.
@Suite struct PointFetchTests {
  private static let types: [(name: String, type: ValueType)] = [
    ("text", .string), ("small", .int16), ("count", .int64), ("mass", .double), ("single", .float),
    ("flag", .boolean), ("found", .date), ("tag", .uuid), ("link", .uri), ("blob", .binary),
    ("price", .decimal),
  ]

  private static func schema(unique: Bool) -> Schema {
    var entity = EntityDescription(
      name: "Stone", attributes: types.map { AttributeDescription(name: $0.name, type: $0.type) })
    if unique { entity.uniquenessConstraints = types.map { [$0.name] } }
    var pebble = EntityDescription(
      name: "Pebble", attributes: [AttributeDescription(name: "code", type: .string)])
    if unique { pebble.uniquenessConstraints = [["code"]] }
    var gem = EntityDescription(name: "Gem", attributes: [])
    gem.parent = "Pebble"
    return Schema(name: "Stones", entities: [entity, pebble, gem])
  }

  private static let tag = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  private static let records: [[String: Value]] = [
    [
      "text": .string("caf\u{E9}"), "small": .int(-3), "count": .int(.max), "mass": .double(0),
      "single": .float(1.5), "flag": .bool(true), "found": .date(Date(timeIntervalSinceReferenceDate: 0.25)),
      "tag": .uuid(tag), "link": .uri("https://example.org/caf\u{E9}"), "blob": .binary([0, 1]),
      "price": .decimal(Decimal(sign: .plus, exponent: -1, significand: 10)),
    ],
    [
      "text": .string(""), "small": .int(7), "count": .int(7), "mass": .double(.infinity),
      "single": .float(0), "flag": .bool(false), "found": .date(Date(timeIntervalSinceReferenceDate: 0)),
      "blob": .binary([]), "price": .decimal(2),
    ],
    [:], [:],
    ["text": .string("CAF\u{C9}"), "mass": .double(7)],
  ]

  private static let values: [Value] = [
    .null, .string("caf\u{E9}"), .string("cafe\u{301}"), .string("CAF\u{C9}"), .string(""), .string("none"),
    .string("caf\u{E9}\0"), .int(-3), .int(7), .int(.max), .int(70_000), .double(0), .double(-0.0),
    .double(.infinity), .double(.nan), .double(7), .float(1.5), .float(-0.0), .bool(true), .bool(false),
    .date(Date(timeIntervalSinceReferenceDate: 0.25)), .date(Date(timeIntervalSinceReferenceDate: -0.0)),
    .uuid(tag), .uri("https://example.org/caf\u{E9}"), .uri("https://example.org/cafe\u{301}"),
    .binary([0, 1]), .binary([]), .decimal(1), .decimal(2), .reference(1),
  ]

  private static func container(unique: Bool) throws -> PersistentContainer {
    let container = try PersistentContainer(schema(unique: unique), at: MemoryBackend.freshLocation())
    _ = try container.newContext().execute(BatchInsertRequest(entity: "Stone", records: records))
    return container
  }

  private static func context(unique: Bool) throws -> ManagedObjectContext {
    try container(unique: unique).newContext()
  }

  /// What a fetch finds: numbers, or the code of its error.
  private static func found(_ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext)
    -> String
  {
    do {
      return try "\(context.fetch(request).map(\.objectID.number)) \(context.fetchIDs(request).map(\.number))"
    } catch let error as BolideError {
      return "\(error.code)"
    } catch {
      return "\(error)"
    }
  }

  @Test func `what is found does not depend on the constraint`() throws {
    let contexts = try [true, false].map { try Self.context(unique: $0) }
    var recognized = 0
    var matched = 0
    for (name, _) in Self.types {
      for value in Self.values {
        for options in [TextOptions(), [.caseInsensitive], [.diacriticInsensitive]] {
          for (limit, offset) in [(nil, 0), (0, 0), (1, 0), (5, 1), (nil, -1), (-1, 0)] as [(Int?, Int)] {
            let request = FetchRequest<ManagedObject>(
              entity: "Stone", where: .compare(.path([name]), .equal, .literal(value), options),
              limit: limit, offset: offset)
            let entity = try contexts[0].map.entity("Stone")
            if PointFetch(request.terms, entity: entity) != nil { recognized += 1 }
            let one = Self.found(request, in: contexts[0])
            #expect(one == Self.found(request, in: contexts[1]), "\(name) \(value) \(options) \(limit ?? 9)")
            if one.hasPrefix("[") && !one.hasPrefix("[]") { matched += 1 }
          }
        }
      }
    }
    #expect(recognized > 60 && matched > 60)
  }

  @Test func `only what asks for one value of one unique attribute is a look-up`() throws {
    let map = try SchemaMap(Self.schema(unique: true))
    func isPoint(_ text: String, entity name: String = "Stone", sort: String = "") throws -> Bool {
      let entity = try map.entity(name)
      var request = FetchRequest<ManagedObject>(
        entity: name, where: try Condition(parsing: text, in: EntityScope(entity, in: map)))
      if !sort.isEmpty { request.sort = try SortTerm.list(parsing: sort) }
      return PointFetch(request.terms, entity: entity) != nil
    }
    #expect(try isPoint("text == 'a'"))
    #expect(try isPoint("count == 3"))
    #expect(try !isPoint("text == 'a' AND count == 3"))
    #expect(try !isPoint("text ==[c] 'a'"))
    #expect(try !isPoint("text != 'a'"))
    #expect(try !isPoint("text == nil"))
    #expect(try !isPoint("text == 'a'", sort: "count"))
    #expect(try !isPoint("code == 'a'", entity: "Pebble"), "sub-entities share the table")
    #expect(try !isPoint("code == 'a'", entity: "Gem"))
  }

  @Test func `a nil key meets no constraint and is no look-up`() throws {
    let contexts = try [true, false].map { try Self.context(unique: $0) }
    let request = FetchRequest<ManagedObject>(
      entity: "Stone", where: .compare(.path(["text"]), .equal, .literal(.null)))
    #expect(try contexts.map { try $0.fetch(request).map(\.objectID.number) } == [[3, 4], [3, 4]])
  }

  @Test func `unsaved objects are found by their keys`() throws {
    let context = try Self.context(unique: true)
    func request(_ text: String, pending: Bool = true) -> FetchRequest<ManagedObject> {
      var request = FetchRequest<ManagedObject>(
        entity: "Stone", where: .compare(.path(["text"]), .equal, .literal(.string(text))))
      request.includesPendingChanges = pending
      return request
    }
    let inserted = try context.insert("Stone")
    try inserted.setValue(.string("new"), for: "text")
    let stored = try #require(try context.fetch(request("caf\u{E9}")).first)
    #expect(try context.fetch(request("new")) == [inserted])
    #expect(try context.fetch(request("new", pending: false)).isEmpty)
    try stored.setValue(.string("other"), for: "text")
    #expect(try context.fetch(request("caf\u{E9}")).isEmpty)
    #expect(try context.fetch(request("caf\u{E9}", pending: false)) == [stored])
    #expect(try context.fetch(request("other")) == [stored])
    let empty = try #require(try context.fetch(request("")).first)
    context.delete(empty)
    #expect(try context.fetch(request("")).isEmpty)
    try context.save()
    #expect(try context.fetch(request("new")) == [inserted])
    #expect(try context.fetch(request("other")) == [stored])
    #expect(try context.fetch(request("")).isEmpty)
    // A swap within one context, not saved yet.
    try stored.setValue(.string("new"), for: "text")
    try inserted.setValue(.string("other"), for: "text")
    #expect(try context.fetch(request("new")) == [stored])
    #expect(try context.fetch(request("other")) == [inserted])
  }

  @Test func `an object that the context holds keeps its values`() throws {
    let container = try Self.container(unique: true)
    let context = container.newContext()
    let request = FetchRequest<ManagedObject>(
      entity: "Stone", where: .compare(.path(["text"]), .equal, .literal(.string("caf\u{E9}"))))
    let held = try #require(try context.fetch(request).first)
    let other = container.newContext()
    try #require(try other.fetch(request).first).setValue(.int(9), for: "small")
    try other.save()
    #expect(try context.fetch(request) == [held])
    #expect(try held.value("small") == .int(-3))
    context.refresh(held, mergeChanges: true)
    #expect(try held.value("small") == .int(9))
  }
}
