import BolideStorage
import Foundation
import Synchronization
import Testing

@testable import BolideLMDB

/// Copies and forks.
@Suite struct CopyTests {
  @Test func `forks and copies taken while others write are whole states`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("start", nil)])
    let isDone = Shared(false)
    let (writer, taken) = try withThread {
      var number: Number = 2
      while !isDone.value {
        // Two rows a transaction, and old ones go: pages are freed and used again all the time.
        try store.insert([("w\(number)", "even"), ("w\(number + 1)", "odd")], from: number)
        if number > 40 { try store.write { try $0.delete([number - 40, number - 39], of: 0) } }
        number += 2
      }
      return number
    } while: {
      defer { isDone.set(true) }
      var states: [[Number]] = []
      for round in 0..<12 {
        let path = fixture.path("copy\(round)")
        if round % 2 == 0 {
          try store.fork(to: Location(path: path)).close()
        } else {
          try store.copy(to: Location(path: path))
        }
        let file = try PageFile(path + "/data.mdb")
        #expect(file.problem(in: try file.newestMeta(), budget: nil) == nil)
        let copy = try Fixture.open(path, layout: nil)
        let rows = try copy.read { try $0.numbers() }
        #expect(try copy.read { try $0.numbers(.index(0, lower: nil, upper: nil)).sorted() } == rows)
        #expect(rows.count % 2 == 1)
        states.append(rows)
        try copy.insert([("own", nil)], from: 1_000_000)
        try copy.close()
      }
      return states
    }
    #expect(writer > 2)
    for (earlier, later) in zip(taken, taken.dropFirst()) {
      #expect((earlier.last ?? 0) <= (later.last ?? 0))
    }
    #expect(try store.read { try $0.holders(["own"]) } == [0])
  }

  @Test func `a place that is taken stays as it was, and nothing is left beside it`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try Data("x".utf8).write(to: fixture.folder.appending(path: "file"))
    let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted()
    for name in ["file", "store"] {
      #expect(code { try store.copy(to: Location(path: fixture.path(name))) } == .storeIO)
      #expect(code { _ = try store.fork(to: Location(path: fixture.path(name))) } == .storeIO)
    }
    #expect(code { try store.copy(to: Location(path: fixture.path("none/copy"))) } == .storeMissing)
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).sorted() == before)
    #expect(try Data(contentsOf: fixture.folder.appending(path: "file")) == Data("x".utf8))
  }

  /// Runs `side` on another thread while `body` runs here, and returns what both made.
  private func withThread<Side: Sendable, Main>(
    _ side: @escaping @Sendable () throws -> Side, while body: () throws -> Main
  ) throws -> (Side, Main) {
    let result = Shared<Result<Side, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let outcome = Result { try side() }
      result.set(outcome)
      done.signal()
    }
    let main = Result { try body() }
    done.wait()
    guard let made = try result.value?.get() else { throw CancellationError() }
    return (made, try main.get())
  }
}

/// A value that two threads look at.
private final class Shared<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  init(_ value: Value) { storage = Mutex(value) }

  var value: Value { storage.withLock { $0 } }
  func set(_ value: Value) { storage.withLock { $0 = value } }
}
