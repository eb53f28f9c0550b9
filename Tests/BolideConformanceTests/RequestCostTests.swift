import Bolide
import BolideConformance
import BolideStorage
import Foundation
import Testing

/// Rule Q-3, counted: what prefetching and batches save is calls to the store.
@Suite struct RequestCostTests {
  private static let schema = Schema(entities: [
    EntityDescription(
      name: "Item", attributes: [AttributeDescription(name: "rank", type: .int64)],
      relationships: [
        RelationshipDescription(name: "owner", destination: "Person", inverse: "items"),
        RelationshipDescription(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
      ]),
    EntityDescription(
      name: "Person", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
      ]),
    EntityDescription(
      name: "Tag", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "items", destination: "Item", inverse: "tags", isToMany: true)
      ]),
  ])

  private let recorder = CallRecorder()
  private let container: PersistentContainer

  /// A hundred persons with two items each, which have a tag of their own.
  init() throws {
    let provider = WrappedProvider(StoreWrapping(observer: recorder))
    let backend = try #require(provider.backend)
    container = try PersistentContainer(
      Self.schema, at: StoreLocation(backend, Location(path: "costs-\(UUID().uuidString)")))
    let context = container.newContext()
    for rank in 0..<200 {
      let item = try context.insert("Item")
      try item.setValue(.int(Int64(rank)), for: "rank")
      let tag = try context.insert("Tag")
      try tag.setValue(.string("t\(rank)"), for: "name")
      try item.addObjects([tag], for: "tags")
    }
    let items = context.insertedObjects.filter { $0.entityName == "Item" }
      .sorted { $0.objectID < $1.objectID }
    for place in stride(from: 0, to: items.count, by: 2) {
      let person = try context.insert("Person")
      try person.setValue(.string("p\(place)"), for: "name")
      try person.addObjects([items[place], items[place + 1]], for: "items")
    }
    try context.save()
  }

  /// How many calls something makes.
  private func calls(_ body: () throws -> Void) rethrows -> Int {
    let before = recorder.calls.count
    try body()
    return recorder.calls.count - before
  }

  /// Checks what a path's objects cost, read one by one and along with a request.
  private func checkPrefetching(
    _ path: String, of entity: String, _ look: (ManagedObject) throws -> Void
  ) throws {
    var request = FetchRequest<ManagedObject>(entity: entity)
    let alone = container.newContext()
    alone.retainsRegisteredObjects = true
    let objects = try alone.fetch(request)
    let oneByOne = try calls { for object in objects { try look(object) } }
    #expect(oneByOne >= objects.count, "reading \(path) one by one made \(oneByOne) calls")

    request.relationshipKeyPathsForPrefetching = [path]
    let along = container.newContext()
    along.retainsRegisteredObjects = true
    var found: [ManagedObject] = []
    let together = try calls { found = try along.fetch(request) }
    #expect(together <= 12, "fetching with \(path) made \(together) calls")
    let after = try calls { for object in found { try look(object) } }
    #expect(after == 0, "reading \(path) after the fetch made \(after) calls")
    #expect(found.count == objects.count)
  }

  @Test func `a to-one is prefetched in a few calls`() throws {
    try checkPrefetching("owner", of: "Item") { item in
      _ = try #require(try item.object("owner")).value("name")
    }
  }

  @Test func `a to-many is prefetched in a few calls`() throws {
    try checkPrefetching("items", of: "Person") { person in
      let items = try person.objects("items")
      #expect(items.count == 2)
      for item in items { _ = try item.value("rank") }
    }
  }

  @Test func `two levels are prefetched in a few calls`() throws {
    try checkPrefetching("items.tags", of: "Person") { person in
      for item in try person.objects("items") {
        for tag in try item.objects("tags") { _ = try tag.value("name") }
      }
    }
  }

  @Test(arguments: [(200, 1), (50, 4), (10, 20)])
  func `batches are read in calls that count the batches`(size: Int, batches: Int) throws {
    var request = FetchRequest<ManagedObject>(entity: "Item", sort: [SortTerm("rank")])
    request.fetchBatchSize = size
    let context = container.newContext()
    context.retainsRegisteredObjects = true
    let objects = try context.fetchBatches(request)
    let made = try calls { for object in objects { _ = try object.value("rank") } }
    #expect(made == batches)
  }
}
