import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// How contexts follow others while nobody calls them: streams that are waited for, and the view context (rule M-3).
@Suite struct FollowingTests {
  private let container: PersistentContainer

  init() throws { container = try Chat.container() }

  @Test @MainActor func `the view context merges as soon as the main actor is free`() async throws {
    let view = container.viewContext
    view.automaticallyMergesChangesFromParent = true
    let controller = FetchedResultsController(
      FetchRequest<Message>(sort: [SortDescriptor(\.rank)]), in: view)
    try controller.performFetch()
    let delegate = ChangeWaiter()
    controller.delegate = delegate
    let container = container
    await withCheckedContinuation { continuation in
      delegate.didChange = { continuation.resume() }
      Task {
        try await container.performBackgroundTask(author: "import") { context in
          let message = Message(context: context)
          message.text = "from elsewhere"
          try context.save()
        }
      }
    }
    #expect(controller.objectIDs.count == 1)
    #expect(controller.object(at: RowPath(section: 0, row: 0)).text == "from elsewhere")
  }

  @Test @MainActor func `a stream of changes wakes its reader when another context saves`() async throws {
    let view = container.newContext(author: "view")
    view.automaticallyMergesChangesFromParent = true
    var changes = view.didChange.makeAsyncIterator()
    async let saved = container.performBackgroundTask(author: "import") { context in
      let message = Message(context: context)
      try context.save()
      return message.objectID
    }
    let change = await changes.next()
    #expect(try await change?.inserted == [saved])
    #expect(change?.author == "view")
  }

  @Test @MainActor func `a stream of changes wakes its reader when its own context is edited`() async throws {
    let view = container.newContext(author: "view")
    var changes = view.didChange.makeAsyncIterator()
    let message = Message(context: view)
    #expect(await changes.next()?.inserted == [message.objectID])
    message.text = "edited"
    #expect(await changes.next()?.updated == [message.objectID])
  }

  @Test func `a stream of changes ends when its task is cancelled`() async throws {
    let container = container
    let reader = Task {
      let context = container.newContext()
      for await _ in context.didChange {}
      return true
    }
    reader.cancel()
    #expect(await reader.value)
  }

  @Test func `a stream of saves tells each save, in any task`() async throws {
    let told = container.didSave
    let reader = Task {
      var authors: [String?] = []
      for await save in told {
        authors.append(save.author)
        if authors.count == 3 { break }
      }
      return authors
    }
    for author in ["a", "b", "c"] {
      _ = try await container.performBackgroundTask(author: author) { context in
        _ = Message(context: context)
        return try context.save().inserted
      }
    }
    #expect(await reader.value == ["a", "b", "c"])
  }

  @Test func `derived values of objects that were not edited are told by the save`() throws {
    let schema = Schema(entities: [
      EntityDescription(
        name: "Account",
        attributes: [
          AttributeDescription(
            name: "total", type: .double, derivation: .sum(relationship: "entries", attribute: "amount"))
        ],
        relationships: [
          RelationshipDescription(name: "entries", destination: "Entry", inverse: "account", isToMany: true)
        ]),
      EntityDescription(
        name: "Entry", attributes: [AttributeDescription(name: "amount", type: .double)],
        relationships: [
          RelationshipDescription(name: "account", destination: "Account", inverse: "entries")
        ]),
    ])
    let container = try PersistentContainer(
      schema, at: StoreLocation(MemoryBackend(), Location(path: "ledger")))
    let context = container.newContext(author: "user")
    let account = try context.insert("Account")
    let entry = try context.insert("Entry")
    try entry.setObject(account, for: "account")
    try context.save()
    let changes = context.didChange
    try entry.setValue(.double(4), for: "amount")
    try context.save()
    let change = try #require(changes.nextIfAvailable())
    #expect(change.updated == [entry.objectID])
    #expect(change.refreshed == [account.objectID])
    #expect(try account.value("total") == .double(4))
  }
}

private final class ChangeWaiter: FetchedResultsControllerDelegate {
  typealias Object = Message

  var didChange: (() -> Void)?

  func controllerDidChangeContent(_ controller: FetchedResultsController<Message>) {
    didChange?()
    didChange = nil
  }
}
