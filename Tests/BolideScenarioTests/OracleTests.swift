import BolideConformance
import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideScenario
import BolideStorage
import Foundation
import Testing

/// The oracle: random operations against a plain model, and what it does with a failure.
@Suite struct OracleTests {
  private static func withOptions<Result>(
    _ stores: [ReplayStore], _ body: (ReplayOptions) throws -> Result
  ) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(ReplayOptions(stores: stores, scratch: folder))
  }

  @Test func `stores do what the model says`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    let stores: [ReplayStore] = [.memory, ReplayStore(SQLiteBackend()), ReplayStore(LMDBBackend())]
    try Self.withOptions(stores) { options in
      let figures = Oracle(options).run(operations: 200, seed: seed)
      #expect(figures.operations == 200)
      #expect(figures.steps > 200)
      #expect(figures.failure == nil, "seed \(seed): \(figures.failure?.scenario ?? "")")
    }
  }

  /// A store that does something else than it is told.
  private static func broken<Transaction: ForwardingTransaction>(
    _ transaction: Transaction.Type
  ) -> ReplayStore {
    let backend = ForwardingBackend(
      MemoryBackend(), StoreWrapping(transaction: { Transaction($0, $1) }))
    return ReplayStore("broken", capabilities: backend.capabilities.named) { folder in
      StoreLocation(backend, Location(path: folder.path))
    }
  }

  private static func find(_ store: ReplayStore) throws {
    try withOptions([.memory, store]) { options in
      let figures = Oracle(options).run(operations: 2_000, seed: 1)
      let failure = try #require(figures.failure)
      #expect(failure.stepCount <= 10, "\(failure.scenario)")
      #expect(!failure.comparison.isEmpty)
      #expect(failure.operationsAfter < failure.operationsBefore)
      // What was written is a scenario that shows the failure, and that a right store passes.
      let file = options.scratch.appending(path: "found.scenario")
      try Data(failure.scenario.utf8).write(to: file)
      #expect(try Replay(options).run(.init(path: file.path)).failure?.step == failure.step)
      var right = options
      right.stores = [.memory]
      #expect(try Replay(right).run(.init(path: file.path)).hasPassed)
    }
  }

  @Test func `a store that forgets to delete is found`() throws {
    try Self.find(Self.broken(ForgetfulDelete.self))
  }

  @Test func `a store that takes no link away is found`() throws {
    try Self.find(Self.broken(StickyLinks.self))
  }

  @Test func `a store that drops too much history is found`() throws {
    try Self.find(Self.broken(GreedyPurge.self))
  }
}

/// Leaves the last of several rows.
private final class ForgetfulDelete: ForwardingTransaction {
  override func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try super.delete(numbers.count > 1 ? Array(numbers.dropLast()) : numbers, of: table)
  }
}

/// Says that links were removed and keeps them.
private final class StickyLinks: ForwardingTransaction {
  override func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    removed += links.map { _ in true }
  }
}

/// Drops one transaction more than it should.
private final class GreedyPurge: ForwardingTransaction {
  override func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try super.dropHistory(through: min(number + 1, try head().transaction), limit: limit)
  }
}
