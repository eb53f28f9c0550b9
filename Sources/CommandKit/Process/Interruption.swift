import Foundation
import Synchronization

/// Ends the process in good order when a signal asks for it.
///
/// Stores survive a kill at any instant, so nothing waits for running work: what was registered to be cleaned up
/// (temporary folders, a progress line) is cleaned up, and the process ends with the status given.
package final class Interruption: Sendable {
  private struct State {
    var next = 0
    var cleanups: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())
  private let end: @Sendable (Int32) -> Void

  /// - Parameter end: Ends the process; tests pass a closure that records the status.
  package init(end: @escaping @Sendable (Int32) -> Void = { _exit($0) }) {
    self.end = end
  }

  /// Starts to listen for a signal; when it comes, cleanups run and the process ends with the status.
  ///
  /// From the return of this call on, the signal's default action is off.
  package func listen(for number: Int32, endingWith status: Int32) {
    SignalPipe.shared.listen(for: number) { [self] in
      runCleanups()
      end(status)
    }
  }

  /// Registers work to do before the process ends early, and returns the key that takes it back.
  package func atEnd(_ cleanup: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.next += 1
      state.cleanups[state.next] = cleanup
      return state.next
    }
  }

  /// Takes back what `atEnd` registered, because the work was done in the ordinary way.
  package func forget(_ key: Int) {
    state.withLock { $0.cleanups[key] = nil }
  }

  private func runCleanups() {
    let cleanups = state.withLock { state in
      defer { state.cleanups = [:] }
      return state.cleanups
    }
    for (_, cleanup) in cleanups.sorted(by: { $0.key > $1.key }) { cleanup() }
  }
}

/// Brings signals from the handler, where almost nothing is allowed, to a thread where everything is.
private final class SignalPipe: Sendable {
  static let shared = SignalPipe()
  /// Where the handler writes; a handler can reach nothing but globals.
  private static let writeEnd = Atomic<Int32>(-1)

  private let actions = Mutex<[Int32: @Sendable () -> Void]>([:])

  private init() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.writeEnd.store(ends[1], ordering: .sequentiallyConsistent)
    let readEnd = ends[0]
    Thread.detachNewThread { [self] in
      var number: UInt8 = 0
      while true {
        let count = read(readEnd, &number, 1)
        if count == 1 {
          actions.withLock { $0[Int32(number)] }?()
        } else if count == 0 || errno != EINTR {
          return
        }
      }
    }
  }

  func listen(for number: Int32, _ action: @escaping @Sendable () -> Void) {
    // Without a pipe the signal keeps its default action, which ends the process as well.
    guard Self.writeEnd.load(ordering: .sequentiallyConsistent) >= 0 else { return }
    actions.withLock { $0[number] = action }
    signal(number) { number in
      var byte = UInt8(truncatingIfNeeded: number)
      let saved = errno
      _ = write(SignalPipe.writeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
      errno = saved
    }
  }
}
