import Bolide
import BolidePreview
import BolideStorage
import Foundation
import Testing

// What users write, compiled and run: a model, an import, edits, a follower, a preview and its forks.

final class Fireball: ManagedObject {
  @Attribute(.unique) var dateTimeStamp: Date
  @Attribute var latitude: Double?
  @Attribute(.indexed) var impactEnergy: Double?
  @Attribute var isFavorite = false
  @Relationship var groups: ToMany<FireballGroup>
}

final class FireballGroup: ManagedObject {
  @Attribute var name = ""
  @Relationship(inverse: \Fireball.groups) var fireballs: ToMany<Fireball>
  @Derived("fireballs.@count") var fireballCount: Int64
}

final class CatalogQuake: ManagedObject {
  override class var uniquenessConstraints: [[String]] { [["net", "code"]] }
  @Attribute(.preservedOnDeletion) var net = ""
  @Attribute(.preservedOnDeletion) var code = ""
}

final class TodoItem: ManagedObject {
  override class var entityName: String { "Task" }
  @Attribute var title = ""
  @Attribute var isCompleted = false
  @Attribute var dueDate: Date?
}

struct Sighting: Codable, Sendable {
  var dateTimeStamp: Date
  var latitude: Double?
  var impactEnergy: Double?
}

let fireballWatch = Schema(Fireball.self, FireballGroup.self)
let day1 = (1...5).map {
  Sighting(
    dateTimeStamp: Date(timeIntervalSinceReferenceDate: Double($0)), latitude: nil, impactEnergy: Double($0))
}

func importSightings(_ sightings: [Sighting], into container: PersistentContainer) async throws
  -> BatchInsertResult
{
  try await container.performBackgroundTask(author: "Fireball Data Import") { context in
    context.mergePolicy = .objectTrump
    return try context.execute(
      BatchInsertRequest(Fireball.self, from: sightings) { fireball, sighting in
        fireball.dateTimeStamp = sighting.dateTimeStamp
        fireball.latitude = sighting.latitude
        fireball.impactEnergy = sighting.impactEnergy
      })
  }
}

extension PersistentContainer {
  static func preview() throws -> PersistentContainer {
    try .inMemory(fireballWatch) { context in
      let pacific = FireballGroup(context: context)
      pacific.name = "Pacific"
      for day in 1...20 {
        let fireball = Fireball(context: context)
        fireball.dateTimeStamp = Date(timeIntervalSinceReferenceDate: Double(day) * 86_400)
        if day.isMultiple(of: 2) { fireball.groups.insert(pacific) }
      }
    }
  }
}

@Suite struct APIExamplesTests {
  @Test func `classes say what the schema is`() throws {
    #expect(fireballWatch.problems().isEmpty)
    let fireball = try #require(fireballWatch.entity(named: "Fireball"))
    #expect(fireball.uniquenessConstraints == [["dateTimeStamp"]])
    #expect(fireball.indexes == [["impactEnergy"]])
    #expect(fireball.relationships.map(\.inverse) == ["fireballs"])
    let quake = try #require(Schema(CatalogQuake.self).entity(named: "CatalogQuake"))
    #expect(quake.uniquenessConstraints == [["net", "code"]])
    #expect(quake.attributes.allSatisfy { $0.isPreservedOnDeletion })
    #expect(Schema(TodoItem.self).entities.map(\.name) == ["Task"])
  }

  @Test func `an import inserts once and keeps what the feed does not carry`() async throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    #expect(try await importSightings(day1, into: container).inserted.count == 5)
    let view = container.newContext(author: "FireballWatch")
    let first = try #require(
      try view.fetch(FetchRequest(Fireball.self, sort: [SortDescriptor(\.dateTimeStamp)], limit: 1)).first)
    first.isFavorite = true
    try view.save()
    let again = try await importSightings(day1, into: container)
    #expect(again.inserted.isEmpty && again.updated.isEmpty && again.unchanged.count == 5)
    #expect(again.transaction == nil)
    let favorites = try view.fetch(FetchRequest(Fireball.self, where: #Predicate { $0.isFavorite }))
    #expect(favorites == [first])
    let bright = try view.fetch(FetchRequest(Fireball.self, where: #Predicate { $0.impactEnergy ?? 0 > 3 }))
    #expect(bright.count == 2)
  }

  @Test func `a deleted fireball returns in no group`() async throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    _ = try await importSightings(day1, into: container)
    let view = container.newContext(author: "FireballWatch")
    let group = FireballGroup(context: view)
    group.fireballs.formUnion(try view.fetch(FetchRequest<Fireball>()))
    try view.save()
    #expect(group.fireballCount == 5)
    for fireball in try view.fetch(FetchRequest(Fireball.self, limit: 1)) { view.delete(fireball) }
    try view.save()
    #expect(group.fireballCount == 4)
    #expect(try await importSightings(day1, into: container).inserted.count == 1)
    #expect(try container.newContext().fetch(FetchRequest<FireballGroup>()).map(\.fireballCount) == [4])
    #expect(try container.check().isEmpty)
  }

  @Test @MainActor func `a pinned view moves when it merges`() async throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    container.viewContext.transactionAuthor = "FireballWatch"
    try container.viewContext.setQueryGeneration(from: .current)
    let token = try container.currentToken()
    _ = try await importSightings(day1, into: container)
    #expect(try container.viewContext.count(for: FetchRequest<Fireball>()) == 0)
    let others = HistoryFilter(#Predicate { $0.author != "FireballWatch" })
    let news = try container.history(PersistentHistoryRequest(after: .token(token), where: others))
    for transaction in news.transactions { try container.viewContext.mergeChanges(from: transaction) }
    #expect(try container.viewContext.count(for: FetchRequest<Fireball>()) == 5)
  }

  @Test func `checking off all is one request, and objects are refreshed by id`() throws {
    let container = try PersistentContainer.inMemory(Schema(TodoItem.self)) { context in
      for title in ["a", "b", "c"] { TodoItem(context: context).title = title }
    }
    let view = container.newContext()
    let items = try view.fetch(FetchRequest<TodoItem>())
    let result = try view.execute(BatchUpdateRequest(TodoItem.self).set(\.isCompleted, to: true))
    #expect(result.updated.count == 3)
    #expect(items.allSatisfy { !$0.isCompleted })
    for id in result.updated {
      try view.refresh(view.existingObject(TodoItem.self, with: id), mergeChanges: false)
    }
    #expect(items.allSatisfy { $0.isCompleted })
  }

  @Test func `a column-bound insert takes tuples`() throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    let context = container.newContext()
    let request = BatchInsertRequest(Fireball.self, \.dateTimeStamp, \.latitude, from: day1) {
      ($0.dateTimeStamp, $0.impactEnergy)
    }
    #expect(try context.execute(request).inserted.count == 5)
    let found = try context.fetch(FetchRequest(Fireball.self, where: #Predicate { $0.latitude == 3 }))
    #expect(found.map(\.dateTimeStamp) == [day1[2].dateTimeStamp])
  }

  @Test func `a record of a batch insert has no relationships`() throws {
    let container = try PersistentContainer.preview()
    let context = container.newContext()
    let group = try #require(try context.fetch(FetchRequest<FireballGroup>()).first)
    #expect(throws: BolideError.self) {
      try context.execute(
        BatchInsertRequest(Fireball.self, from: day1) { fireball, sighting in
          fireball.dateTimeStamp = sighting.dateTimeStamp
          fireball.groups.insert(group)
        })
    }
    #expect(try context.count(for: FetchRequest<Fireball>()) == 20)
  }

  @Test func `a preview forks for each test`() throws {
    let preview = try PersistentContainer.preview()
    let fork = try preview.fork()
    let context = fork.newContext()
    for fireball in try context.fetch(FetchRequest<Fireball>()) { context.delete(fireball) }
    try context.save()
    #expect(try context.fetch(FetchRequest<FireballGroup>()).map(\.fireballCount) == [0])
    #expect(try preview.newContext().fetch(FetchRequest<FireballGroup>()).map(\.fireballCount) == [10])
    #expect(fork.storeID != preview.storeID)
  }

  @Test func `two previews are alike to the last byte of their dumps`() throws {
    func text() throws -> [String] {
      let lines = Lines()
      try PersistentContainer.preview().dump { lines.all.append($0) }
      return lines.all
    }
    let first = try text()
    let second = try text()
    #expect(first == second)
  }

  @Test func `a class that the schema lacks is refused by the save, and traps nowhere`() throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    let context = container.newContext()
    let item = TodoItem(context: context)
    item.title = "lost"
    #expect(item.title.isEmpty && item.isInaccessible && item.context == nil)
    #expect { try context.save() } throws: { ($0 as? BolideError)?.code == .schemaUnknownEntity }
    try context.save()
  }

  @Test func `members can be looked at when their context is gone`() throws {
    let preview = try PersistentContainer.preview()
    var context: ManagedObjectContext? = preview.newContext()
    let group = try #require(try context?.fetch(FetchRequest<FireballGroup>()).first)
    let members = group.fireballs
    context = nil
    #expect(members.count == 10)
    #expect(members.allSatisfy { $0.isInaccessible && $0.latitude == nil })
  }

  @Test func `a setter that is given NaN is refused by the save`() throws {
    let container = try PersistentContainer.inMemory(fireballWatch)
    let context = container.newContext()
    let fireball = Fireball(context: context)
    fireball.dateTimeStamp = day1[0].dateTimeStamp
    fireball.latitude = .nan
    #expect { try context.save() } throws: { ($0 as? BolideError)?.code == .validationNaN }
    fireball.latitude = 1
    try context.save()
    #expect(!context.hasChanges)
  }
}

private final class Lines {
  var all: [String] = []
}
