import Bolide
import BolideConformance
import BolideMemory
import BolideStorage
import Synchronization
import Testing

/// Rule H-7: a follower goes on whoever else writes, and for however long.
@Suite struct FollowerTests {
  private static let schema = Schema(
    entities: [
      EntityDescription(name: "Note", attributes: [AttributeDescription(name: "text", type: .string)])
    ])

  @Test func `a follower outlasts a writer that holds the store for long`() async throws {
    let writer = BusyWriter()
    let backend = ForwardingBackend(
      MemoryBackend(), writer.wrapping)
    let container = try PersistentContainer(
      Self.schema, at: StoreLocation(backend, Location(path: "followed")))
    let context = container.newContext(author: "a")
    for text in ["one", "two"] {
      try context.insert("Note").setValue(.string(text), for: "text")
      try context.save()
    }
    var iterator = container.history(as: "view").makeAsyncIterator()
    #expect(try await iterator.next()?.number == 1)
    // Each is a deadline that passed while it waited for its turn.
    writer.left.withLock { $0 = 7 }
    #expect(try await iterator.next()?.number == 2)
    #expect(writer.left.withLock { $0 } == 0)
    #expect(try container.consumer("view")?.position.number == 1)
    // Another error ends it.
    writer.left.withLock { $0 = -1 }
    await #expect {
      _ = try await iterator.next()
    } throws: {
      ($0 as? BolideError)?.code == .storeIO
    }
  }

  @Test func `a follower that waits for a writer ends when its task is cancelled`() async throws {
    let writer = BusyWriter()
    let backend = ForwardingBackend(
      MemoryBackend(), writer.wrapping)
    let container = try PersistentContainer(
      Self.schema, at: StoreLocation(backend, Location(path: "cancelled")))
    writer.left.withLock { $0 = .max }
    let task = Task { () -> Int in
      var count = 0
      for try await _ in container.history(as: "view") { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value == 0)
  }
}

/// How often begins find the store busy; below zero they cannot be done at all.
private final class BusyWriter: Sendable {
  let left = Mutex(0)

  var wrapping: StoreWrapping {
    StoreWrapping(store: { base, wrapping in
      let store = BusyStore(base, wrapping)
      store.writer = self
      return store
    })
  }
}

private final class BusyStore: ForwardingStore, @unchecked Sendable {
  var writer = BusyWriter()

  override func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    let left = writer.left.withLock { left in
      defer { if left > 0 { left -= 1 } }
      return left
    }
    if left > 0 { throw BolideError(.storeBusy, "another writer has its turn") }
    if left < 0 { throw BolideError(.storeIO, "made to fail") }
    return try super.begin(until: deadline)
  }
}
