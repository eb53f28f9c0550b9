import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

private final class Item: ManagedObject {
  @Attribute var title = ""
  @Attribute var price: Double?
  @Relationship var list: List?
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

  @Test func `what has no counterpart is named when the request runs`() throws {
    let error = #expect(throws: BolideError.self) { try lists(#Predicate { $0.name.count == 5 }) }
    #expect(error?.code == .predicateUnsupportedExpression)
  }
}
