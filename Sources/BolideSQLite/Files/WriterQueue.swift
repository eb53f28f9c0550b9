import Dispatch
import Synchronization

/// Whose turn it is to write, among all openings of a file in this process: first come, first served.
///
/// SQLite's own lock is tried only by the one whose turn it is, so threads of a process never wait for each
/// other by sleeping and trying again.
final class WriterQueue: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  /// Waits for the turn; false when it did not come by the deadline.
  func enter(until deadline: ContinuousClock.Instant) -> Bool {
    let waiter = DispatchSemaphore(value: 0)
    let isFree = state.withLock { state in
      if state.isTaken {
        state.waiting.append(waiter)
        return false
      }
      state.isTaken = true
      return true
    }
    if isFree { return true }
    let parts = max(ContinuousClock.now.duration(to: deadline), .zero).components
    let nanoseconds = Double(parts.seconds) * 1e9 + Double(parts.attoseconds) / 1e9
    let timeout = DispatchTime.now() + .nanoseconds(Int(min(nanoseconds, 1e18)))
    if waiter.wait(timeout: timeout) == .success { return true }
    return state.withLock { state in
      guard let place = state.waiting.firstIndex(where: { $0 === waiter }) else {
        return true  // The turn came at the last instant.
      }
      state.waiting.remove(at: place)
      return false
    }
  }

  /// Takes the turn if nobody has it.
  func tryEnter() -> Bool {
    state.withLock { state in
      if state.isTaken { return false }
      state.isTaken = true
      return true
    }
  }

  /// Gives the turn to the next.
  func leave() {
    let next = state.withLock { state -> DispatchSemaphore? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.signal()
  }
}
