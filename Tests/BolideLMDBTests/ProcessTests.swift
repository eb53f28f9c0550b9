import BolideStorage
import Foundation
import Testing

@testable import BolideLMDB

/// Several processes on one store (rules S-1, S-3).
///
/// A second process is this test program again, running the same test with the path of the store in its
/// environment: then the test does the other process's part.
@Suite struct ProcessTests {
  @Test("two processes write one store in turn")
  func twoWriters() throws {
    if let path = ChildProcess.storePath {
      try Self.count(50, in: try Fixture.open(path))
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open()
    let child = try ChildProcess("ProcessTests/twoWriters", store: fixture.path())
    try Self.count(50, in: store)
    #expect(child.end() == 0)
    try store.read { (snapshot) throws in
      #expect(try snapshot.metadata("count") == [100])
      #expect(try snapshot.head().transaction == 100)
      var records: [TransactionRecord] = []
      try snapshot.transactions(after: 0, limit: 1_000, into: &records)
      #expect(records.map(\.mark.transaction) == Array(1...100))
      #expect(Set(records.map(\.processID)).count == 2)
    }
  }

  private static func count(_ times: Int, in store: any OpenStore) throws {
    for _ in 0..<times {
      try store.write { (transaction) throws in
        let count = try transaction.metadata("count")?.first ?? 0
        try transaction.setMetadata("count", [count + 1])
        let mark = Mark(transaction: try transaction.head().transaction + 1, nonce: .random(in: 1 ... .max))
        let record = TransactionRecord(
          mark: mark, timestamp: 0, author: nil, contextName: nil, processName: "test",
          processID: Int64(getpid()))
        try transaction.append(record, runs: [], tombstones: [])
      }
    }
  }

  @Test("a writer that is killed blocks nobody and leaves nothing")
  func killedWriter() throws {
    if let path = ChildProcess.storePath {
      let store = try Fixture.open(path)
      let snapshot = try store.snapshot()
      let transaction = try store.begin(until: .now + .seconds(20))
      var taken: [Taken] = []
      _ = try transaction.insert(Fixture.batch([("b", nil)]), of: 0, numberedFrom: 2, taken: &taken)
      ChildProcess.waitToBeKilled()
      withExtendedLifetime((snapshot, transaction)) {}
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    let child = try ChildProcess("ProcessTests/killedWriter", store: fixture.path())
    child.waitUntilReady()
    #expect(code { _ = try store.begin(until: .now + .milliseconds(30)) } == .storeBusy)
    child.kill()
    #expect(child.end() != 0)
    try store.maintain()
    #expect(try store.read { try $0.numbers() } == [1])
    try store.insert([("b", nil)], from: 2)
    #expect(try store.read { try $0.holders(["a", "b"]) } == [1, 2])
  }

  /// S7: nothing of the save that found no room is there, and the next goes in.
  @Test("a full disk undoes the transaction and keeps what was there")
  func fullDisk() throws {
    guard let path = ChildProcess.storePath else {
      let fixture = try Fixture()
      #expect(try ChildProcess("ProcessTests/fullDisk", store: fixture.path()).end() == 0)
      let store = try fixture.open(layout: nil)
      #expect(try store.read { try $0.holders(["a", "b", "w0"]) } == [1, 2, 0])
      return
    }
    let store = try Fixture.open(path)
    try store.insert([("a", String(repeating: "n", count: 200_000))])
    // The limit is this process's alone, which is why another process tries it.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    limit.rlim_cur = 1 << 20
    limit.rlim_max = 1 << 20
    #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    let rows = (0..<2_000).map { ("w\($0)", String(repeating: "x", count: 1_000)) }
    #expect(code { try store.insert(rows.map { ($0.0, $0.1) }, from: 2) } == .storeFull)
    #expect(try store.read { try $0.numbers() } == [1])
    try store.insert([("b", nil)], from: 2)
    #expect(try store.read { try $0.holders(["a", "b", "w0"]) } == [1, 2, 0])
  }

  @Test("what another process commits rings here, own bookkeeping does not")
  func ringing() throws {
    if let path = ChildProcess.storePath {
      try Self.count(1, in: try Fixture.open(path))
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open()
    let rings = DispatchSemaphore(value: 0)
    let registration = store.onCommit { rings.signal() }
    for round in 1...2 {
      try store.insert([("own \(round)", nil)], from: Number(round))
      let child = try ChildProcess("ProcessTests/ringing", store: fixture.path())
      #expect(rings.wait(timeout: .now() + 20) == .success)
      #expect(child.end() == 0)
      #expect(try store.read { try $0.head().transaction } == UInt64(round))
    }
    // Every commit before the ring is known by then, so nothing is left to ring for.
    try store.insert([("last", nil)], from: 3)
    #expect(rings.wait(timeout: .now() + .milliseconds(700)) == .timedOut)
    withExtendedLifetime(registration) {}
  }

  /// L6: 20 processes that are killed hold more readers than there are slots.
  @Test("readers of killed processes are cleared, and their pages used again")
  func killedReaders() throws {
    if let path = ChildProcess.storePath {
      let store = try Fixture.open(path)
      let snapshots = try (0..<60).map { _ in try store.snapshot() }
      ChildProcess.waitToBeKilled()
      withExtendedLifetime(snapshots) {}
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    for _ in 0..<20 {
      let child = try ChildProcess("ProcessTests/killedReaders", store: fixture.path())
      child.waitUntilReady()
      child.kill()
      #expect(child.end() != 0)
    }
    let snapshots = try (0..<200).map { _ in try store.snapshot() }
    #expect(try snapshots.allSatisfy { try $0.count(of: 0) == 1 })
    for snapshot in snapshots { snapshot.close() }
    // Pages that the dead ones saw are used again.
    let pages = { try store.statistics().details["pages"] ?? 0 }
    for round in 0..<30 {
      try store.write { try $0.setMetadata("k", [UInt8](repeating: UInt8(round), count: 20_000)) }
    }
    let before = try pages()
    for round in 0..<60 {
      try store.write { try $0.setMetadata("k", [UInt8](repeating: UInt8(round), count: 20_000)) }
    }
    let after = try pages()
    #expect(after <= before + 10)
  }

  @Test("what another process commits beside history does not ring, and what follows it does")
  func bookkeeping() throws {
    if let path = ChildProcess.storePath {
      let store = try Fixture.open(path)
      for value in UInt8(0)..<5 { try store.write { try $0.setMetadata("position", [value]) } }
      try store.close()
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open()
    let rings = DispatchSemaphore(value: 0)
    let registration = store.onCommit { rings.signal() }
    #expect(try ChildProcess("ProcessTests/bookkeeping", store: fixture.path()).end() == 0)
    #expect(try store.read { try $0.metadata("position") } == [4])
    // The watch looks for half a second after a write; a writer looks, too.
    #expect(rings.wait(timeout: .now() + .milliseconds(700)) == .timedOut)
    try store.write { try $0.setMetadata("own", [1]) }
    #expect(rings.wait(timeout: .now()) == .timedOut)
    try Self.count(1, in: store)
    #expect(rings.wait(timeout: .now() + 20) == .success)
    withExtendedLifetime(registration) {}
  }

  /// L8: the new size is adopted, and the pinned view stays.
  @Test("a map that another process enlarged is adopted")
  func enlargedMap() throws {
    let rows = (0..<2_000).map { ("w\($0)", String(repeating: "x", count: 1_000)) }
    if let path = ChildProcess.storePath {
      let store = try Fixture.open(path, mapBytes: 16 << 20)
      try store.insert(rows.map { ($0.0, $0.1) }, from: 2)
      try store.close()
      return
    }
    let fixture = try Fixture()
    let store = try fixture.open(mapBytes: 256 << 10)
    try store.insert([("a", nil)])
    let pinned = try store.snapshot()
    let child = try ChildProcess("ProcessTests/enlargedMap", store: fixture.path())
    #expect(child.end() == 0)
    #expect(try store.read { try $0.count(of: 0) } == 2_001)
    #expect(try pinned.numbers(.index(0, lower: nil, upper: nil)) == [1])
    try store.insert([("b", nil)], from: 3_000)
    #expect(try store.read { try $0.holders(["a", "w1999", "b"]) } == [1, 2_001, 3_000])
  }
}

/// This test program, running one test again in a process of its own.
final class ChildProcess {
  private static let variable = "BOLIDE_LMDB_TEST_STORE"
  private static let readyLine = "ready to be killed\n"

  /// The store that the parent shares with this process; `nil` in the parent.
  static var storePath: String? { ProcessInfo.processInfo.environment[variable] }

  private let process = Process()
  private let output = Pipe()

  init(_ test: String, store: String) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = ["--filter", test, "--testing-library", "swift-testing"]
    process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: store]) { $1 }
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// In the child: says that it is ready, and waits for ever.
  static func waitToBeKilled() {
    FileHandle.standardOutput.write(Data(readyLine.utf8))
    while true { pause() }
  }

  /// In the parent: waits until the child says that it is ready, or ends.
  func waitUntilReady() {
    var seen = Data()
    while seen.range(of: Data(Self.readyLine.utf8)) == nil {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return }
      seen += data
    }
  }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the end; 0 when the child's test passed.
  func end() -> Int32 {
    _ = try? output.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -1
  }
}
