import BolideStorage
import Dispatch
import Synchronization

/// Lets one writer in at a time, in the order in which they came, each waiting until its deadline at most.
final class WriterQueue: Sendable {
  private let state = Mutex(State())

  private struct State {
    var isBusy = false
    var waiters: [DispatchSemaphore] = []
  }

  /// Waits for the turn of the calling thread.
  func enter(until deadline: ContinuousClock.Instant) throws(BolideError) {
    let turn = state.withLock { state -> DispatchSemaphore? in
      if !state.isBusy {
        state.isBusy = true
        return nil
      }
      let turn = DispatchSemaphore(value: 0)
      state.waiters.append(turn)
      return turn
    }
    guard let turn else { return }
    if turn.wait(timeout: .now() + Self.interval(until: deadline)) == .success { return }
    // The turn may have come between the timeout and here.
    let gaveUp = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0 === turn }) else { return false }
      state.waiters.remove(at: index)
      return true
    }
    if gaveUp { throw BolideError(.storeBusy, "another transaction of this store did not end in time") }
  }

  /// Gives the turn to the next.
  func leave() {
    let next = state.withLock { state -> DispatchSemaphore? in
      if state.waiters.isEmpty {
        state.isBusy = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.signal()
  }

  private static func interval(until deadline: ContinuousClock.Instant) -> DispatchTimeInterval {
    let left = max(.zero, min(ContinuousClock.now.duration(to: deadline), .seconds(1 << 30)))
    let parts = left.components
    return .nanoseconds(Int(parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
  }
}
