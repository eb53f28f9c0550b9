import Dispatch
import Synchronization

/// Whose turn it is to write, among all openings of a store in this process: first come, first served, each until its
/// deadline (rule S-3).
///
/// Locks of files are tried only by the one whose turn it is, so threads of a process never wait for each other by
/// sleeping and trying again.
package final class WriterQueue: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [DispatchSemaphore] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Waits for the turn; false when it did not come by the deadline: then nothing is held.
  package func enter(until deadline: ContinuousClock.Instant) -> Bool {
    let turn = state.withLock { state -> DispatchSemaphore? in
      if !state.isTaken {
        state.isTaken = true
        return nil
      }
      let turn = DispatchSemaphore(value: 0)
      state.waiting.append(turn)
      return turn
    }
    guard let turn else { return true }
    if turn.wait(timeout: .now() + Self.interval(until: deadline)) == .success { return true }
    return state.withLock { state in
      guard let place = state.waiting.firstIndex(where: { $0 === turn }) else {
        return true  // The turn came at the last instant.
      }
      state.waiting.remove(at: place)
      return false
    }
  }

  /// Takes the turn if nobody has it.
  package func tryEnter() -> Bool {
    state.withLock { state in
      if state.isTaken { return false }
      state.isTaken = true
      return true
    }
  }

  /// Gives the turn to the next.
  package func leave() {
    let next = state.withLock { state -> DispatchSemaphore? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.signal()
  }

  private static func interval(until deadline: ContinuousClock.Instant) -> DispatchTimeInterval {
    let left = max(.zero, min(ContinuousClock.now.duration(to: deadline), .seconds(1 << 30)))
    let parts = left.components
    return .nanoseconds(Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
  }
}
