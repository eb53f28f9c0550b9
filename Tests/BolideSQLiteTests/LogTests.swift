import BolideSQLite
import BolideStorage
import Foundation
import Synchronization
import Testing

/// The log beside the file, and the signals that follow a commit.
@Suite struct LogTests {
  /// A row of about a megabyte, without a key.
  private static let megabyte = RowBatch(
    [Array(repeating: .null, count: 6) + [.binary(Array(repeating: 7, count: 1 << 20)), .null]],
    FireballWatch.fireball.format)

  /// Commits about a megabyte so many times.
  private static func write(_ megabytes: Int, to store: any OpenStore, from first: Number) throws {
    var taken: [Taken] = []
    for number in first..<first + Number(megabytes) {
      _ = try store.write { try $0.insert(megabyte, of: 0, numberedFrom: number, taken: &taken) }
    }
  }

  /// S19: the log grows under a pin, is told of, and shrinks after it.
  @Test func `the log is copied into the file as it grows, and emptied when no snapshot needs it`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    try Self.write(10, to: store, from: 1)
    #expect(try store.statistics().logBytes < 7 << 20)
    let pin = try store.snapshot()
    try Self.write(10, to: store, from: 11)
    let pinned = try store.statistics()
    #expect(pinned.logBytes > 10 << 20)
    #expect(pinned.snapshots == 1)
    #expect(try #require(pinned.oldestSnapshotAge) >= 0)
    #expect(try pin.count(of: 0) == 10)
    pin.close()
    try store.maintain()
    try Self.write(1, to: store, from: 21)
    let after = try store.statistics()
    #expect(after.logBytes <= 4 << 20)
    #expect(after.snapshots == 0 && after.oldestSnapshotAge == nil)
    #expect(after.storeBytes > 20 << 20)
  }

  @Test func `commits that pin what they committed for a moment keep the log small`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    var taken: [Taken] = []
    for number in 1...Number(30) {
      let transaction = try store.begin(until: .now + .seconds(30))
      _ = try transaction.insert(Self.megabyte, of: 0, numberedFrom: number, taken: &taken)
      try #require(try transaction.commit(pinning: true)).close()
      #expect(try store.statistics().logBytes < 8 << 20)
    }
  }

  @Test func `a generation moved by end, maintain, begin keeps the log small`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    var pin = try store.snapshot()
    for round in 0..<Number(10) {
      try Self.write(1, to: store, from: 1 + round)
      #expect(try pin.count(of: 0) == Int(round))
      pin.close()
      try store.maintain()
      pin = try store.snapshot()
    }
    #expect(try store.statistics().logBytes <= 4 << 20)
    pin.close()
  }

  @Test func `commits with history ring in every opening of the file and touch it, others do not`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let other = try folder.open(layout: nil)
    let rings = Mutex(0)
    let bell = other.onCommit { rings.withLock { $0 += 1 } }
    let old = [FileAttributeKey.modificationDate: Date(timeIntervalSinceReferenceDate: 0)]
    try FileManager.default.setAttributes(old, ofItemAtPath: folder.store)
    let touched = { () -> Bool in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.store)
      return attributes[.modificationDate] as? Date != old[.modificationDate]
    }
    try store.write { try $0.setMetadata("position", [1]) }
    #expect(rings.withLock { $0 } == 0)
    #expect(try !touched())
    try store.write { try $0.append([]) }
    #expect(rings.withLock { $0 } == 1)
    #expect(try touched())
    let transaction = try store.begin(until: .now + .seconds(30))
    try transaction.append([])
    transaction.rollback()
    #expect(rings.withLock { $0 } == 1)
    withExtendedLifetime(bell) {}
    _ = consume bell
    try store.write { try $0.append([]) }
    #expect(rings.withLock { $0 } == 1)
    try other.close()
    try store.close()
  }

  @Test func `a bell may write to the store`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    let bell = store.onCommit { [weak store] in try? store?.write { try $0.setMetadata("rung", [1]) } }
    try store.write { try $0.append([]) }
    #expect(try store.read { try $0.metadata("rung") } == [1])
    withExtendedLifetime(bell) {}
  }

  @Test func `writers of one process take turns`() async throws {
    let folder = try TemporaryFolder()
    let stores = [try folder.open(), try folder.open(layout: nil)]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask {
          for round in 0..<50 {
            try stores[worker % 2].write { transaction in
              let number = Number(try transaction.count(of: 0) + 1)
              try transaction.insert(
                [FireballWatch.sighting(worker * 1000 + round)], into: 0, FireballWatch.fireball, from: number
              )
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try stores[0].read { try $0.numbers(of: 0, FireballWatch.fireball) } == Array(1...200))
    for store in stores { try store.close() }
  }
}
