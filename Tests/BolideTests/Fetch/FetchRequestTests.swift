import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// What a request says beside its condition and order.
@Suite struct FetchRequestTests {
  private static let schema = Schema(entities: [
    EntityDescription(
      name: "Item",
      attributes: [
        AttributeDescription(name: "title", type: .string), AttributeDescription(name: "rank", type: .int64),
      ],
      relationships: [
        RelationshipDescription(name: "owner", destination: "Person", inverse: "items"),
        RelationshipDescription(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
      ],
      indexes: [["rank"], ["title", "rank"]]),
    EntityDescription(
      name: "Person",
      attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true),
        RelationshipDescription(name: "badge", destination: "Tag", inverse: "holder"),
      ]),
    EntityDescription(
      name: "Tag", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "items", destination: "Item", inverse: "tags", isToMany: true),
        RelationshipDescription(name: "holder", destination: "Person", inverse: "badge"),
      ]),
  ])

  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let items: [ManagedObject]
  private let people: [ManagedObject]
  private let tags: [ManagedObject]

  /// Items 0 to 9, the even ones Ada's and the odd ones Bo's but for 9; tag x on 0 to 4, tag y on 3.
  init() throws {
    container = try PersistentContainer(Self.schema, at: MemoryBackend.freshLocation())
    let context = container.newContext()
    self.context = context
    people = try ["Ada", "Bo", "Cy"].map { name in
      let person = try context.insert("Person")
      try person.setValue(.string(name), for: "name")
      return person
    }
    items = try (0..<10).map { rank in
      let item = try context.insert("Item")
      try item.setValue(.string("t\(rank % 3)"), for: "title")
      try item.setValue(.int(Int64(rank)), for: "rank")
      return item
    }
    tags = try ["x", "y"].map { name in
      let tag = try context.insert("Tag")
      try tag.setValue(.string(name), for: "name")
      return tag
    }
    for (rank, item) in items.enumerated() where rank != 9 {
      try item.setObject(people[rank % 2], for: "owner")
    }
    try tags[0].addObjects(items[..<5], for: "items")
    try tags[1].addObjects([items[3]], for: "items")
    try context.save()
  }

  private func ids(
    _ entity: String, _ text: String, sort: String = "", pending: Bool = true,
    in context: ManagedObjectContext? = nil
  ) throws -> [Number] {
    var request = FetchRequest<ManagedObject>(entity: entity, where: try Condition(parsing: text))
    request.sort = sort.isEmpty ? [] : try SortTerm.list(parsing: sort)
    request.includesPendingChanges = pending
    let context = context ?? self.context
    let ids = try context.fetchIDs(request).map(\.number)
    #expect(try context.count(for: request) == ids.count)
    #expect(try context.fetch(request).map(\.objectID.number) == ids)
    #expect(try context.fetchBatches(request).map(\.objectID.number) == ids)
    return ids
  }

  // MARK: Unsaved edits

  @Test func `conditions over relationships see unsaved edits`() throws {
    try people[0].setValue(.string("Eve"), for: "name")
    #expect(try ids("Item", "owner.name == 'Eve' AND rank < 4") == [1, 3])
    #expect(try ids("Item", "owner.name == 'Ada'") == [])
    #expect(try ids("Item", "owner.name == 'Ada' AND rank < 4", pending: false) == [1, 3])
    try items[0].setValue(.int(100), for: "rank")
    #expect(try ids("Person", "ANY items.rank > 50") == [1])
    #expect(try ids("Person", "ALL items.rank < 50") == [2, 3])
    #expect(try ids("Person", "items.rank.@max == 100") == [1])
    #expect(try ids("Tag", "NONE items.rank > 50") == [2])
    #expect(try ids("Item", "rank >= 8", sort: "-rank") == [1, 10, 9])
    #expect(try ids("Item", "title == 't0'", sort: "rank") == [4, 7, 10, 1])
    #expect(try ids("Item", "rank > 50", pending: false) == [])
  }

  @Test func `conditions see unsaved links`() throws {
    try items[0].setObject(people[2], for: "owner")
    try items[9].setObject(people[2], for: "owner")
    try items[1].setObject(nil, for: "owner")
    #expect(try ids("Item", "owner.name == 'Cy'") == [1, 10])
    #expect(try ids("Item", "owner == nil") == [2])
    #expect(try ids("Person", "items.@count == 2") == [3])
    #expect(try ids("Person", "ANY items == Item#10") == [3])
    #expect(try ids("Person", "items.rank.@sum == 9") == [3])
    try tags[1].addObjects([items[0], items[9]], for: "items")
    try tags[0].removeObjects([items[3]], for: "items")
    #expect(try ids("Item", "tags.@count == 2") == [1])
    #expect(try ids("Tag", "ANY items.rank == 9") == [2])
    #expect(try ids("Item", "ANY tags.name == 'x'") == [1, 2, 3, 5])
    #expect(try ids("Item", "ANY tags.items.rank == 9") == [1, 4, 10])
    try people[0].setObject(tags[0], for: "badge")
    #expect(try ids("Tag", "holder.name == 'Ada'") == [1])
    #expect(try ids("Person", "badge.name == 'x'") == [1])
    #expect(try ids("Person", "badge.name == 'x'", pending: false) == [])
    try context.save()
    #expect(try ids("Item", "ANY tags.items.rank == 9", pending: false) == [1, 4, 10])
  }

  @Test func `conditions see unsaved inserts and deletes`() throws {
    let person = try context.insert("Person")
    try person.setValue(.string("Dee"), for: "name")
    let item = try context.insert("Item")
    let (dee, new) = (person.objectID.number, item.objectID.number)
    try item.setValue(.int(3), for: "rank")
    try item.setObject(person, for: "owner")
    try item.addObjects([tags[1]], for: "tags")
    #expect(try ids("Item", "owner.name == 'Dee'") == [new])
    #expect(try ids("Person", "ANY items.rank == 3") == [2, dee])
    #expect(try ids("Tag", "items.@count == 2") == [2])
    #expect(try ids("Item", "ANY tags.name == 'y'", sort: "rank") == [4, new])
    #expect(try ids("Item", "rank == 3", sort: "-rank") == [new, 4])
    context.delete(people[1])
    context.delete(items[0])
    context.delete(tags[1])
    #expect(try ids("Person", "TRUEPREDICATE") == [1, 3, dee])
    #expect(try ids("Item", "owner == nil") == [2, 4, 6, 8, 10])
    #expect(try ids("Item", "owner != nil AND rank < 5") == [3, 5, new])
    #expect(try ids("Person", "items.@count == 4") == [1])
    #expect(try ids("Item", "tags.@count == 0 AND rank < 5") == [new])
    #expect(try ids("Tag", "items.@count == 4") == [1])
    #expect(try ids("Item", "owner == nil", pending: false) == [10])
    var rows = FetchRequest<ManagedObject>(
      entity: "Item", where: try Condition(parsing: "owner.name == 'Dee'"))
    rows.propertiesToFetch = try FetchColumn.list(parsing: "owner,owner.name,tags.@count")
    #expect(
      try context.fetchRows(rows).map(\.values) == [
        [.reference(dee), .string("Dee"), .int(0)]
      ])
    rows.condition = nil
    rows.propertiesToGroupBy = ["owner.name"]
    rows.propertiesToFetch = try FetchColumn.list(parsing: "owner.name,@count")
    #expect(
      try context.fetchRows(rows).map(\.values) == [
        [.null, .int(5)], [.string("Ada"), .int(4)], [.string("Dee"), .int(1)],
      ])
  }

  @Test func `an object whose owner is deleted in the same save can be edited`() throws {
    let other = container.newContext()
    context.delete(people[1])
    let request = FetchRequest<ManagedObject>(entity: "Item", where: try Condition(parsing: "owner == nil"))
    let item = try #require(try context.fetch(request).first)
    #expect(try item.object("owner") == nil)
    try item.setValue(.string("new"), for: "title")
    try context.save()
    #expect(try ids("Item", "title == 'new' AND owner == nil", in: other) == [2])
  }

  // MARK: Counts

  @Test func `a count is of what the request gives`() throws {
    func count(_ change: (inout FetchRequest<ManagedObject>) throws -> Void) throws -> Int {
      var request = FetchRequest<ManagedObject>(entity: "Item")
      try change(&request)
      return try context.count(for: request)
    }
    #expect(try count { $0.limit = 4 } == 4)
    #expect(try count { $0.offset = 7 } == 3)
    #expect(try count { $0.limit = -1 } == 0)
    #expect(try count { $0.propertiesToGroupBy = ["title"] } == 3)
    #expect(
      try count {
        $0.propertiesToGroupBy = ["title"]
        $0.having = try Condition(parsing: "@count > 3")
      } == 1)
    #expect(
      try count {
        $0.propertiesToFetch = try FetchColumn.list(parsing: "title")
        $0.returnsDistinctRows = true
        $0.offset = 1
      } == 2)
    #expect(try count { $0.propertiesToFetch = try FetchColumn.list(parsing: "rank.@sum") } == 1)
    let error = #expect(throws: BolideError.self) {
      try count { $0.problem = BolideError(.predicateUnsupported, "no store knows hash values") }
    }
    #expect(error?.code == .predicateUnsupported)
    context.delete(items[2])
    _ = try context.insert("Item")
    _ = try context.insert("Item")
    #expect(try count { _ in } == 11)
    #expect(try count { $0.includesPendingChanges = false } == 10)
  }

  // MARK: Refreshing

  @Test(arguments: [false, true])
  func `refetched objects are refreshed when asked`(_ refreshes: Bool) throws {
    let other = container.newContext()
    let same = try other.fetch(
      FetchRequest<ManagedObject>(
        entity: "Item", where: .compare(.itself, .equal, .object(entity: "Item", number: 1))))[0]
    try same.setValue(.string("elsewhere"), for: "title")
    try other.save()
    try items[0].setValue(.int(77), for: "rank")
    var request = FetchRequest<ManagedObject>(entity: "Item", sort: [SortTerm("rank")], limit: 20)
    request.shouldRefreshRefetchedObjects = refreshes
    _ = try context.fetch(request)
    #expect(try items[0].value("title") == .string(refreshes ? "elsewhere" : "t0"))
    #expect(try items[0].value("rank") == .int(77))
  }

  // MARK: Batches

  @Test func `batches show the state that was fetched`() throws {
    let reading = container.newContext()
    var request = FetchRequest<ManagedObject>(entity: "Item", sort: [SortTerm("rank", ascending: false)])
    request.fetchBatchSize = 4
    let objects = try reading.fetchBatches(request)
    #expect(objects.count == 10)
    #expect(reading.registeredObjects.isEmpty)
    #expect(try objects[0].value("rank") == .int(9))
    #expect(reading.registeredObjects.count == 4)
    context.delete(items[0])
    try items[1].setValue(.int(1000), for: "rank")
    try context.save()
    #expect(try objects.map { try $0.value("rank") } == (0..<10).reversed().map { .int($0) })
    #expect(try reading.fetchBatches(request).count == 9)
    #expect(objects.objectIDs.map(\.number) == (1...10).reversed())
  }

  @Test func `batches are refused for objects of another class`() throws {
    final class Other: ManagedObject {}
    let error = #expect(throws: BolideError.self) {
      try context.fetchBatches(FetchRequest<Other>(entity: "Item"))
    }
    #expect(error?.code == .objectKind)
  }

  // MARK: Prefetching

  @Test func `prefetched objects are read along`() throws {
    let reading = container.newContext()
    var request = FetchRequest<ManagedObject>(entity: "Person", sort: [SortTerm("name")])
    request.relationshipKeyPathsForPrefetching = ["items.tags"]
    let people = try reading.fetch(request)
    // The context holds them without being told to keep all its objects.
    #expect(reading.registeredObjects.allSatisfy { !$0.isFault })
    #expect(reading.registeredObjects.map(\.entityName).count == 3 + 9 + 2)
    #expect(try people[0].objects("items").count == 5)
    request.relationshipKeyPathsForPrefetching = ["name"]
    let error = #expect(throws: BolideError.self) { try reading.fetch(request) }
    #expect(error?.code == .fetchColumn)
    request.relationshipKeyPathsForPrefetching = ["nme"]
    #expect(#expect(throws: BolideError.self) { try reading.fetch(request) }?.code == .predicateUnknownPath)
  }
}
