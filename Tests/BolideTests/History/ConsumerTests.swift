import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Synchronization
import Testing

/// Rule H-7: consumers keep their position in the store, and purging never passes the slowest.
@Suite struct ConsumerTests {
  private static let schema = Schema(
    entities: [
      EntityDescription(name: "Note", attributes: [AttributeDescription(name: "text", type: .string)])
    ])

  private let clock = TestClock()

  private func container() throws -> PersistentContainer {
    try PersistentContainer(
      Self.schema, at: StoreLocation(MemoryBackend(), Location(path: "consumers")),
      options: ContainerOptions(environment: .fixed(clock: clock)))
  }

  private func write(_ count: Int, author: String, in container: PersistentContainer) throws {
    let context = container.newContext(author: author)
    for number in 0..<count {
      try context.insert("Note").setValue(.string("\(author) \(number)"), for: "text")
      try context.save()
    }
  }

  @Test func `a purge keeps what the slowest has not seen`() throws {
    let container = try container()
    try container.registerConsumer("view")
    try container.registerConsumer("exporter")
    try write(30, author: "a", in: container)
    let all = try container.history(PersistentHistoryRequest()).transactions
    try container.advanceConsumer("view", to: all[29].token)
    try container.advanceConsumer("exporter", to: all[9].token)
    #expect(try container.purgeConsumedHistory() == 10)
    let rest = try container.history(
      PersistentHistoryRequest(after: .token(try #require(try container.consumer("exporter")).position)))
    #expect(rest.transactions.map(\.number) == Array(11...30))
    #expect(try container.purgeConsumedHistory() == 0)
    #expect(try container.check().isEmpty)
  }

  @Test func `a budget ends the wait for a consumer`() throws {
    let container = try container()
    try container.registerConsumer("view")
    try container.registerConsumer("sleeper", budget: .init(maximumCount: 5))
    try write(20, author: "a", in: container)
    try container.advanceConsumer("view", to: try container.currentToken())
    #expect(try container.purgeConsumedHistory() == 15)
    let position = try #require(try container.consumer("sleeper")).position
    #expect { try container.history(PersistentHistoryRequest(after: .token(position))) } throws: {
      ($0 as? BolideError)?.code == .historyExpired
    }
  }

  @Test func `an age is counted by the store's clock`() throws {
    let container = try container()
    try container.registerConsumer("sleeper", budget: .init(maximumAge: 60))
    try write(3, author: "a", in: container)
    clock.now += 50
    try write(2, author: "a", in: container)
    #expect(try container.purgeConsumedHistory() == 0)
    clock.now += 20
    #expect(try container.purgeConsumedHistory() == 3)
  }

  @Test func `a position only moves forward, and wakes nobody`() throws {
    let container = try container()
    try container.registerConsumer("view")
    try write(3, author: "a", in: container)
    let rings = Rings()
    let registration = container.onRemoteChange { rings.ring() }
    let all = try container.history(PersistentHistoryRequest()).transactions
    try container.advanceConsumer("view", to: all[2].token)
    try container.advanceConsumer("view", to: all[0].token)
    #expect(try container.consumer("view")?.position == all[2].token)
    #expect(try container.currentToken().number == 3)
    #expect(rings.count == 0)
    withExtendedLifetime(registration) {}
    #expect { try container.advanceConsumer("nobody", to: all[0].token) } throws: {
      ($0 as? BolideError)?.code == .historyConsumer
    }
  }

  @Test func `a follower gets each transaction once, and acknowledges by asking on`() async throws {
    let container = try container()
    try write(3, author: "import", in: container)
    try write(2, author: "me", in: container)
    var seen: [UInt64] = []
    for try await transaction in container.history(as: "view", where: #Predicate { $0.author != "me" }) {
      seen.append(transaction.number)
      if seen.count == 3 { try write(1, author: "late", in: container) }
      if seen.count == 4 { break }
    }
    #expect(seen == [1, 2, 3, 6])
    // The last one was not acknowledged, so it comes again.
    #expect(try container.consumer("view")?.position.number == 3)
    for try await transaction in container.history(as: "view", where: #Predicate { $0.author != "me" }) {
      #expect(transaction.number == 6)
      break
    }
  }

  @Test func `a cancelled follower ends`() async throws {
    let container = try container()
    let task = Task { () -> Int in
      var count = 0
      for try await _ in container.history(as: "view") { count += 1 }
      return count
    }
    task.cancel()
    #expect(try await task.value == 0)
  }
}

private final class Rings: Sendable {
  private let rung = Mutex(0)
  var count: Int { rung.withLock { $0 } }
  func ring() { rung.withLock { $0 += 1 } }
}
