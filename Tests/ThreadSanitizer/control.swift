// Shows that a race would be found, and that what a contended Mutex orders is none: "control race" must be reported by the
// thread sanitizer, "control mutex" must not.
import Foundation
import Synchronization

final class Counter: @unchecked Sendable {
  private let mutex = Mutex(())
  /// Whose turn it is, without an order that the sanitizer would see: it finds races of accesses that are close in time.
  private let turn = Atomic<Int>(0)
  private(set) var count = 0

  func race(_ thread: Int) {
    for _ in 0..<50 {
      while turn.load(ordering: .relaxed) != thread {}
      count += 1
      turn.store(1 - thread, ordering: .relaxed)
    }
  }

  func takeTurns() {
    for _ in 0..<100_000 { mutex.withLock { _ in count += 1 } }
  }
}

let counter = Counter()
let takesTurns = CommandLine.arguments.last == "mutex"
let ended = DispatchSemaphore(value: 0)
for thread in 0..<2 {
  Thread {
    if takesTurns { counter.takeTurns() } else { counter.race(thread) }
    ended.signal()
  }.start()
}
for _ in 0..<2 { ended.wait() }
print(counter.count)
