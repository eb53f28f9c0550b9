import BolideConformance
import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideScenario
import BolideStorage
import Foundation
import Synchronization
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

  @Test func `operations reach every rule that the model has`() throws {
    let text = Oracle.transcript(operations: 3_000, seed: 5)
    for step in [
      "batch-insert", "batch-update", "batch-delete Fireball", "batch-delete Observer",
      " observer=Observer#", " observer=null", "keeper=Observer#", "owner=Observer#", "delete Note#",
      "delete Observer#",
      "error validation.denied",
      "error conflict.unique", "error history.token-expired", "purge before=", "purge consumed",
      "merge consumer=watch",
      "pinned at", "unpinned", "reopen", "crash", "signalled up to", "no signal", "  delete Fireball#",
      "  dateTimeStamp 2020",
    ] {
      let isThere = text.contains(step)
      #expect(isThere, "\(step)")
    }
  }

  /// A store that does something else than it is told.
  private static func broken<Transaction: ForwardingTransaction>(
    _ transaction: Transaction.Type
  ) -> ReplayStore {
    broken(StoreWrapping(transaction: { Transaction($0, $1) }))
  }

  /// A wrapped store in memory, which is called like the one that it wraps, and which no other takes the place of.
  private static func broken(_ wrapping: StoreWrapping) -> ReplayStore {
    var store = ReplayStore(ForwardingBackend(MemoryBackend(), wrapping))
    #expect(store.name == ReplayStore.memory.name)
    store.name = "broken"
    return store
  }

  /// Finds what is wrong with a store, in at most ten steps that show it.
  private static func find(_ store: ReplayStore, seed: UInt64 = 1) throws {
    try withOptions([.memory, store]) { options in
      let figures = Oracle(options).run(operations: 2_000, seed: seed)
      let failure = try #require(figures.failure)
      #expect(failure.isRepeated)
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

  @Test func `a failure that does not repeat is told all the same`() throws {
    let count = Countdown(12)
    let store = Self.broken(
      StoreWrapping(transaction: { base, wrapping in
        count.ends() ? FailedCommit(base, wrapping) : ForwardingTransaction(base, wrapping)
      }))
    try Self.withOptions([.memory, store]) { options in
      let figures = Oracle(options).run(operations: 2_000, seed: 1)
      let failure = try #require(figures.failure)
      #expect(!failure.isRepeated)
      #expect(failure.store == "broken")
      #expect(failure.operationsAfter == failure.operationsBefore)
      #expect(failure.comparison.contains { $0.contains("store.io") })
      let file = options.scratch.appending(path: "found.scenario")
      try Data(failure.scenario.utf8).write(to: file)
      #expect(try Replay(options).run(.init(path: file.path)).hasPassed)
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

  @Test func `a store that forgets what deleted objects were is found`() throws {
    try Self.find(Self.broken(NoTombstones.self))
  }

  @Test func `a store that gives back the number of a transaction is found`() throws {
    try Self.find(Self.broken(LostMetadata.self))
  }

  @Test func `a store that does not ring is found`() throws {
    try Self.find(Self.broken(StoreWrapping(store: { Silent($0, $1) })))
  }

  @Test func `a store whose pins move is found`() throws {
    try Self.find(Self.broken(StoreWrapping(store: { Live($0, $1) })))
  }

  @Test func `a store that misses an entry of an index is found`() throws {
    try Self.find(
      Self.broken(StoreWrapping(snapshot: { ShortIndex($0, $1) }, transaction: { ShortWalk($0, $1) })))
  }
}

/// Ends once.
private final class Countdown: Sendable {
  private let left: Mutex<Int>
  init(_ count: Int) { left = Mutex(count) }
  func ends() -> Bool {
    left.withLock { left in
      left -= 1
      return left == 0
    }
  }
}

/// Cannot commit.
private final class FailedCommit: ForwardingTransaction {
  override func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    throw BolideError(.storeIO, "made to fail")
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

/// Appends history without what deleted objects were.
private final class NoTombstones: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try super.append(record, runs: runs, tombstones: [])
  }
}

/// Keeps the first value of each key: numbers are given out again, and consumers do not move.
private final class LostMetadata: ForwardingTransaction {
  override func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    if try metadata(key) == nil { try super.setMetadata(key, value) }
  }
}

/// Rings for nobody.
private final class Silent: ForwardingStore, @unchecked Sendable {
  private final class Registration: Sendable {}

  override func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    Registration()
  }
}

/// Gives snapshots that look at the newest state each time they are asked for rows.
private final class Live: ForwardingStore, @unchecked Sendable {
  private final class Moving: ForwardingSnapshot, @unchecked Sendable {
    private let store: any OpenStore

    init(_ base: any Snapshot, _ wrapping: StoreWrapping, of store: any OpenStore) {
      self.store = store
      super.init(base, wrapping)
    }

    required init(_ base: any Snapshot, _ wrapping: StoreWrapping) { fatalError("made by the store alone") }

    override func scan(
      _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
      columns: ColumnSet, into batch: inout RowBatch
    ) throws(BolideError) {
      let newest = try store.snapshot()
      defer { newest.close() }
      try newest.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    }
  }

  override func snapshot() throws(BolideError) -> any Snapshot {
    Moving(try base.snapshot(), wrapping, of: base)
  }
}

/// How many entries of an index are read where the last ones are to be left out.
private func shortened(_ limit: Int, of range: KeyRange) -> Int {
  if case .index = range, limit > 3 { 2 } else { limit }
}

/// Leaves out the last entry of an index that has more than two in a range.
private final class ShortIndex: ForwardingSnapshot, @unchecked Sendable {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let short = shortened(limit, of: range)
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: short, columns: columns, into: &batch)
    if short < limit { place = nil }
  }
}

/// ``ShortIndex`` for what a transaction reads.
private final class ShortWalk: ForwardingTransaction {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let short = shortened(limit, of: range)
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: short, columns: columns, into: &batch)
    if short < limit { place = nil }
  }
}
