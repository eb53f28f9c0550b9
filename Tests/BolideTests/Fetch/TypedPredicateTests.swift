import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

private final class Item: ManagedObject {
  @Attribute var title = ""
  @Attribute var price: Double?
  @Attribute var isSold = false
  @Relationship var list: List?

  // What is computed from stored properties is none of them.
  var shout: String { title.uppercased() }
  var isLeft: Bool { !isSold }
  var isThere: Bool { true }
  var copy: String {
    get { title + "" }
    set { title = newValue }
  }
  var both: String { title + (list?.name ?? "") }
  var listID: ManagedObjectID? { list?.objectID }
  var ownID: ManagedObjectID { list?.objectID ?? objectID }
  var cost: Double? { price.map { $0 * 2 } }
}

private final class List: ManagedObject {
  @Attribute var name = ""
  @Relationship(inverse: \Item.list) var items: ToMany<Item>
}

/// Predicates over typed classes, on objects in a store.
@Suite struct TypedPredicateTests {
  private let context: ManagedObjectContext

  init() throws {
    let location = StoreLocation(MemoryBackend(), Location(path: "memory"))
    context = try PersistentContainer(Schema(Item.self, List.self), at: location).newContext()
    for (name, prices) in [("Groceries", [1, 2.5]), ("Books", [20]), ("Empty", [])] as [(String, [Double?])] {
      let list = List(context: context)
      list.name = name
      for price in prices {
        let item = Item(context: context)
        item.title = "\(name) \(price ?? 0)"
        item.price = price
        item.list = list
      }
    }
    try context.save()
  }

  private func lists(_ predicate: Predicate<List>) throws -> [String] {
    try context.fetch(FetchRequest(List.self, where: predicate)).map(\.name)
  }

  @Test func `members are asked`() throws {
    #expect(try lists(#Predicate { $0.items.isEmpty }) == ["Empty"])
    #expect(try lists(#Predicate { $0.items.count > 1 }) == ["Groceries"])
    #expect(try lists(#Predicate { $0.items.contains { ($0.price ?? 0) > 2 } }) == ["Groceries", "Books"])
    #expect(
      try lists(#Predicate { $0.items.allSatisfy { $0.title.contains("Books") } }) == ["Books", "Empty"])
    #expect(try lists(#Predicate { $0.items.filter { $0.price == 1 }.isEmpty }) == ["Books", "Empty"])
    let item = try #require(try context.fetch(FetchRequest(Item.self)).first { $0.price == 20 })
    let id = item.objectID
    #expect(try lists(#Predicate { $0.items.contains { $0.objectID == id } }) == ["Books"])
  }

  @Test func `texts are searched`() throws {
    #expect(try lists(#Predicate { $0.name.starts(with: "Bo") }) == ["Books"])
    #expect(try lists(#Predicate { $0.name.contains("o") && !$0.name.contains("k") }) == ["Groceries"])
  }

  @Test func `computed properties are no stored ones`() throws {
    let id = try #require(try context.fetch(FetchRequest(List.self)).first).objectID
    for predicate: Predicate<Item> in [
      #Predicate { $0.shout == "X" }, #Predicate { $0.isLeft }, #Predicate { $0.isThere },
      #Predicate { $0.both == "x" }, #Predicate { $0.listID == id }, #Predicate { $0.ownID == id },
      #Predicate { $0.cost == 2 },
    ] {
      let error = #expect(throws: BolideError.self) {
        try context.fetch(FetchRequest(Item.self, where: predicate))
      }
      #expect(error?.code == .predicateUnsupportedExpression)
    }
    for descriptor: SortDescriptor<Item> in [
      SortDescriptor(\.shout), SortDescriptor(\.title.count), SortDescriptor(\.both), SortDescriptor(\.cost),
      SortDescriptor(\.list?.items.count),
    ] {
      let error = #expect(throws: BolideError.self) {
        try context.fetch(FetchRequest(Item.self, sort: [descriptor]))
      }
      #expect(error?.code == .predicateUnsupportedExpression, "\(descriptor)")
    }
    let update = BatchUpdateRequest(Item.self).set(\.cost, to: 7)
    #expect(throws: BolideError.self) { try context.execute(update) }
    #expect(throws: BolideError.self) {
      try context.execute(BatchUpdateRequest(Item.self).set(\.list?.name, to: "x"))
    }
    #expect(try context.fetch(FetchRequest(Item.self)).allSatisfy { $0.price != 7 && !$0.title.isEmpty })
    #expect(try context.fetch(FetchRequest(Item.self, sort: [SortDescriptor(\.list?.name)])).count == 3)
    #expect(try context.fetch(FetchRequest(Item.self, where: #Predicate { !$0.isSold })).count == 3)
  }

  @Test func `objects of another store are refused, also in lists`() throws {
    let other = try PersistentContainer(Schema(Item.self, List.self), at: MemoryBackend.freshLocation())
      .newContext()
    let list = List(context: other)
    try other.save()
    let foreign = list.objectID
    let own = try #require(try context.fetch(FetchRequest(List.self)).first).objectID
    let ids = [own, foreign]
    for predicate: Predicate<Item> in [
      #Predicate { $0.list?.objectID == foreign },
      #Predicate { $0.list?.objectID != foreign && $0.price == 1 },
    ] {
      let error = #expect(throws: BolideError.self) {
        try context.fetch(FetchRequest(Item.self, where: predicate))
      }
      #expect(error?.code == .contextForeign)
      #expect(throws: BolideError.self) {
        try context.execute(BatchUpdateRequest(Item.self, where: predicate).set(\.title, to: "x"))
      }
      #expect(throws: BolideError.self) {
        try context.execute(BatchDeleteRequest(Item.self, where: predicate))
      }
    }
    let listed = #Predicate<List> { ids.contains($0.objectID) }
    #expect(throws: BolideError.self) { try lists(listed) }
    for text in ["list == %@", "list IN {%@}", "NOT list == %@"] {
      var request = FetchRequest<ManagedObject>(entity: "Item")
      request.condition = try Condition(parsing: text, arguments: [foreign])
      #expect(throws: BolideError.self) { try context.fetch(request) }
      #expect(throws: BolideError.self) { try context.count(for: request) }
      #expect(throws: BolideError.self) { try context.fetchRows(request) }
      request.condition = try Condition(parsing: text, arguments: [own])
      #expect(try context.fetch(request).count == (text.hasPrefix("NOT") ? 1 : 2))
    }
    let own2 = [own, own]
    #expect(try lists(#Predicate { own2.contains($0.objectID) }) == ["Groceries"])
    var request = FetchRequest<ManagedObject>(entity: "Item")
    request.condition = try Condition(parsing: "list IN %@", arguments: [[own, nil] as [ManagedObjectID?]])
    #expect(try context.fetch(request).count == 2)
    // Objects of another entity are no lists.
    let item = try #require(try context.fetch(FetchRequest(Item.self)).first).objectID
    request.condition = try Condition(parsing: "list IN %@", arguments: [[own, item]])
    let error = #expect(throws: BolideError.self) { try context.fetch(request) }
    #expect(error?.code == .predicateType)
  }

  @Test func `what has no counterpart is named when the request runs`() throws {
    let error = #expect(throws: BolideError.self) { try lists(#Predicate { $0.name.count == 5 }) }
    #expect(error?.code == .predicateUnsupportedExpression)
  }
}
