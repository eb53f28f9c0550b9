import BolideStorage
import Foundation
import Testing

@testable import BolideLMDB

/// The memory map, reader slots and the ends of transactions.
@Suite struct MapTests {
  /// L1: imports into a small map with a reader open.
  @Test func `a full map undoes the transaction and grows, and old snapshots stay right`() throws {
    let fixture = try Fixture()
    let store = try fixture.open(mapBytes: 1 << 20)
    try store.insert([("first", String(repeating: "n", count: 5_000))])
    let old = try store.snapshot()
    var fullTimes = 0
    var next: Number = 2
    for save in 0..<20 {
      let rows = (0..<500).map { ("\(save)-\($0)", String(repeating: "x", count: 1_000)) }
      while true {
        do {
          try store.insert(rows, from: next)
          break
        } catch ErrorCode.storeMapFull {
          fullTimes += 1
          #expect(try store.read { try $0.count(of: 0) } == Int(next) - 1)
        }
      }
      next += 500
    }
    #expect((1...8).contains(fullTimes))
    #expect(try old.numbers() == [1])
    #expect(try old.numbers(.index(1, lower: nil, upper: nil)) == [1])
    old.close()
    try store.read { (snapshot) throws in
      #expect(try snapshot.count(of: 0) == 10_001)
      #expect(try snapshot.numbers(.index(0, lower: nil, upper: nil)).count == 10_001)
    }
    #expect(try store.statistics().details["mapBytes"] ?? 0 > 20 << 20)
  }

  /// L7: the file grows under a pin, which statistics tell, and no more after it.
  @Test func `a pinned snapshot costs room while it lasts`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert((0..<1_000).map { ("w\($0)", "note") })
    func rewrite(_ times: Int) throws {
      for round in 0..<times {
        try store.write { transaction in
          var taken: [Taken] = []
          let rows = Fixture.batch(
            (0..<1_000).map { ("w\($0)", "note \(round)") }, numbers: (1...1_000).map { Number($0) })
          try transaction.update(rows, of: 0, columns: ColumnSet([1]), taken: &taken)
        }
      }
    }
    let pin = try store.snapshot()
    try rewrite(20)
    let pinned = try store.statistics()
    #expect(pinned.snapshots == 1)
    #expect(try #require(pinned.oldestSnapshotAge) > 0)
    pin.close()
    try rewrite(20)
    let after = try store.statistics()
    #expect(after.storeBytes <= pinned.storeBytes + pinned.storeBytes / 4)
    #expect(after.snapshots == 0)
  }

  @Test func `a transaction that did not fit is over`() throws {
    let fixture = try Fixture()
    let store = try fixture.open(mapBytes: 256 << 10)
    let transaction = try store.begin(until: .now)
    var taken: [Taken] = []
    let rows = Fixture.batch((0..<500).map { ("w\($0)", String(repeating: "x", count: 3_000)) })
    #expect(
      code { _ = try transaction.insert(rows, of: 0, numberedFrom: 1, taken: &taken) } == .storeMapFull)
    #expect(code { _ = try transaction.commit(pinning: false) } == .storeClosed)
    transaction.rollback()
    let next = try store.begin(until: .now)
    next.rollback()
  }

  @Test func `slots for snapshots run out with an error and come back`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    var snapshots: [any Snapshot] = []
    let failure = code { for _ in 0...Environment.readerSlots { snapshots.append(try store.snapshot()) } }
    #expect(failure == .storeLimit)
    #expect(snapshots.count == Environment.readerSlots)
    #expect(try snapshots[1_000].texts([1]) == ["a"])
    // A commit that cannot pin must not store anything.
    let transaction = try store.begin(until: .now)
    try transaction.setMetadata("k", [1])
    #expect(code { _ = try transaction.commit(pinning: true) } == .storeLimit)
    transaction.rollback()
    snapshots.removeLast(24)
    #expect(try store.read { try $0.metadata("k") } == nil)
    #expect(try store.statistics().snapshots == 1_000)
  }

  @Test func `a snapshot outlives its store`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    let snapshot = try store.snapshot()
    try store.close()
    let again = try fixture.open()
    try again.insert([("b", nil)], from: 2)
    #expect(try snapshot.count(of: 0) == 1)
    #expect(try again.read { try $0.count(of: 0) } == 2)
  }

  @Test func `after fork the child is refused`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let snapshot = try store.snapshot()
    // Swift hides fork(2), for good reasons; C libraries still call it.
    let symbol = try #require(dlsym(UnsafeMutableRawPointer(bitPattern: 0), "fork"))
    let fork = unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
    let child = fork()
    if child == 0 {
      let refused = [
        code { _ = try store.snapshot() }, code { _ = try store.begin(until: .now) },
        code { _ = try snapshot.head() },
      ]
      _exit(refused == [.storeForked, .storeForked, .storeForked] ? 0 : 1)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    #expect(status == 0)
    #expect(try snapshot.count(of: 0) == 0)
    try store.insert([("a", nil)])
  }

  @Test func `another thread may not use a transaction`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let transaction = UncheckedBox(try store.begin(until: .now))
    let codes = try inParallel(1) { _ in code { try transaction.value.setMetadata("k", nil) } }
    #expect(codes == [.storeMisuse])
    transaction.value.rollback()
  }

  @Test func `a layout that another open changed is noticed`() throws {
    let fixture = try Fixture()
    let one = try fixture.open()
    let other = try fixture.open()
    var layout = Fixture.layout
    layout.tables[0].columns.append(ColumnLayout(name: "more", type: .int64))
    try one.write { try $0.change(layout) }
    #expect(one.layout.epoch == 2)
    #expect(code { _ = try other.begin(until: .now) } == .storeSchemaChanged)
    #expect(code { _ = try other.snapshot() } == .storeSchemaChanged)
    #expect(try one.read { try $0.count(of: 0) } == 0)
    let again = try fixture.open()
    #expect(again.layout == one.layout)
  }

  @Test func `metadata keys have any length`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let keys =
      ["", "k", String(repeating: "k", count: 400), String(repeating: "k", count: 401)]
      + (0..<3).map { String(repeating: "long", count: 1_000) + "\($0)" }
    try store.write { (transaction) throws in
      for (number, key) in keys.enumerated() { try transaction.setMetadata(key, [UInt8(number)]) }
      try transaction.setMetadata(keys[4], nil)
    }
    try store.read { (snapshot) throws in
      let values = try keys.map { try snapshot.metadata($0) }
      #expect(values == [[0], [1], [2], [3], nil, [5], [6]])
    }
  }

  @Test func `with power durability a store works the same`() throws {
    let fixture = try Fixture()
    let store = try fixture.open(options: OpenOptions(durability: .power))
    try store.insert([("a", nil)])
    #expect(try store.read { try $0.texts([1]) } == ["a"])
  }
}

/// Carries a value that is not `Sendable` to the thread that must refuse it.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
