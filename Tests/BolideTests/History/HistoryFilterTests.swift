import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// Rule H-3: what a filter over history keeps; nil is a value.
@Suite struct HistoryFilterTests {
  private func transaction(_ number: UInt64, author: String?) throws -> PersistentHistoryTransaction {
    let token = try #require(
      PersistentHistoryToken("c2f0c1f4-6bd8-4a9e-8c55-0d4a9c6f8f11:\(number):00000000deadbeef"))
    func change(_ entity: String, _ number: Number, _ kind: ChangeKind) -> PersistentHistoryChange {
      PersistentHistoryChange(
        objectID: ManagedObjectID(storeID: token.storeID, entityName: entity, number: number), kind: kind,
        updatedProperties: [], tombstone: [:])
    }
    return PersistentHistoryTransaction(
      number: number, token: token, timestamp: Date(timeIntervalSinceReferenceDate: Double(number)),
      author: author, contextName: nil, processName: "test", processID: 7, storeID: token.storeID,
      changes: PersistentHistoryChanges([
        change("Fireball", 3, .insert), change("Fireball", 4, .delete), change("Group", 3, .update),
      ]))
  }

  /// The changes that pass, as `Entity#number`; `nil` where the transaction does not.
  private func kept(_ text: String, author: String? = nil) throws -> [String]? {
    let filter = try HistoryFilter(parsing: text)
    let transaction = try transaction(5, author: author)
    guard try filter.mayMatch(transaction) else { return nil }
    return try filter.apply(to: transaction)?.map(\.objectID.description)
  }

  @Test func `a predicate may ask for the changes`() throws {
    let transaction = try transaction(5, author: "x")
    func kept(_ predicate: Predicate<PersistentHistoryTransaction>) throws -> Int? {
      let filter = HistoryFilter(predicate)
      // What decides before the changes are read sees none.
      let bare = PersistentHistoryTransaction(
        number: transaction.number, token: transaction.token, timestamp: transaction.timestamp, author: "x",
        contextName: nil, processName: "test", processID: 7, storeID: transaction.storeID, changes: [])
      guard try filter.mayMatch(bare) else { return nil }
      return try filter.apply(to: transaction)?.count
    }
    #expect(try kept(#Predicate { !$0.changes.isEmpty }) == 3)
    #expect(try kept(#Predicate { $0.changes.isEmpty }) == nil)
    #expect(try kept(#Predicate { $0.author == "x" && $0.changes.count > 2 }) == 3)
    #expect(try kept(#Predicate { $0.changes.contains { $0.objectID.number == 4 } }) == 3)
    #expect(try kept(#Predicate { $0.author == "x" }) == 3)
    #expect(try kept(#Predicate { $0.author != "x" }) == nil)
    #expect(HistoryFilter(#Predicate { $0.changes.count > 2 }).needsChanges)
    #expect(!HistoryFilter(#Predicate { $0.author != "x" && $0.number > 2 }).needsChanges)
  }

  @Test func `a request for nothing looks no further than where it begins`() throws {
    let container = try PersistentContainer(
      Schema(entities: [EntityDescription(name: "Item")]), at: MemoryBackend.freshLocation())
    let context = container.newContext(author: "x")
    for _ in 0..<3 {
      _ = try context.insert("Item")
      try context.save()
    }
    for limit in [0, -1] {
      var request = PersistentHistoryRequest(after: .number(1))
      request.limit = limit
      let result = try container.history(request)
      #expect(result.transactions.isEmpty && result.scannedThrough.number == 1)
      let rest = try container.history(PersistentHistoryRequest(after: .token(result.scannedThrough)))
      #expect(rest.transactions.map(\.number) == [2, 3])
      request.after = .number(3)
      #expect(try container.history(request).scannedThrough.number == 3)
    }
  }

  private static let all = ["Fireball#3", "Fireball#4", "Group#3"]

  @Test(
    arguments: [
      ("author != 'x'", nil, all), ("author != 'x'", "x", nil), ("author == nil", nil, all),
      ("author IN {'a', null}", nil, all), ("number > 4 AND number <= 5.0", nil, all),
      ("number > 5", nil, nil),
      ("timestamp > 2001-01-01T00:00:04Z", nil, all),
      ("contextName == nil AND processName == 'test'", nil, all),
      ("processID == 7 AND process != 'x' AND context == nil", nil, all),
      ("entity == 'Fireball'", nil, ["Fireball#3", "Fireball#4"]), ("kind == 'delete'", nil, ["Fireball#4"]),
      ("object == 3", nil, ["Fireball#3", "Group#3"]), ("object == Fireball#3", nil, ["Fireball#3"]),
      ("Group#3 != object", nil, ["Fireball#3", "Fireball#4"]), ("NOT object IN {3, 4}", nil, nil),
      ("kind == 'insert' AND author == 'x'", "y", nil),
    ] as [(String, String?, [String]?)])
  func `transactions and changes pass as the condition says`(
    _ text: String, _ author: String?, _ expected: [String]?
  ) throws {
    #expect(try kept(text, author: author) == expected)
  }

  @Test(
    arguments: [
      ("auhtor == 'x'", ErrorCode.predicateUnknownPath), ("number == 'x'", .predicateType),
      ("author == 3", .predicateType), ("author.name == 'x'", .predicateUnknownPath),
      ("object > Fireball#3", .predicateType), ("SELF == Fireball#3", .predicateUnknownPath),
      ("author =", .predicateSyntax),
    ] as [(String, ErrorCode)])
  func `a filter that does not fit history is an error`(_ text: String, _ code: ErrorCode) {
    let error = #expect(throws: BolideError.self) { try HistoryFilter(parsing: text) }
    #expect(error?.code == code)
  }

  @Test func `a tree that does not fit is an error when it is used`() throws {
    let filter = HistoryFilter(.compare(.path(["size"]), .equal, .literal(.int(1))))
    #expect(throws: BolideError.self) { try filter.verify() }
    #expect(throws: BolideError.self) { try filter.mayMatch(transaction(1, author: nil)) }
  }
}
