import BolideStorage
import Synchronization

/// The calls of the storage contract that can fail.
public enum StoreCall: String, Sendable, CaseIterable {
  case open, snapshot, begin, statistics, maintain, copy, fork, close
  case head, metadata, rows, find, scan, count, links, linkCounts, transactions, transaction, runs, tombstones
  case historyStart, run
  case insert, update, release, delete, link, unlink, append, dropHistory, setMetadata, change, commit
  case write
}

/// Looks at every call before it is passed on, and may throw in its place.
public protocol CallObserver: Sendable {
  /// Called before a call is passed on; what it throws is thrown instead.
  func before(_ call: StoreCall) throws(BolideError)
}

/// Records calls in order.
public final class CallRecorder: CallObserver {
  private let recorded = Mutex<[StoreCall]>([])

  /// A recorder without calls.
  public init() {}

  /// The calls so far.
  public var calls: [StoreCall] { recorded.withLock { $0 } }

  public func before(_ call: StoreCall) { recorded.withLock { $0.append(call) } }
}

/// Fails one call, counted from the moment it is armed.
public final class CallBreaker: CallObserver {
  private let state = Mutex(State())

  private struct State {
    var callsLeft: Int?
    var broken: StoreCall?
  }

  /// What the broken call throws.
  public static let failure = BolideError(
    .storeIO, "a call was made to fail", underlying: .init(domain: "suite", code: 5, text: "injected"))

  /// A breaker that is not armed.
  public init() {}

  /// Fails the call that comes after `count` others.
  public func arm(after count: Int) {
    state.withLock { $0 = State(callsLeft: count, broken: nil) }
  }

  /// Lets all calls pass again; returns the call that was made to fail, if it came to that.
  @discardableResult
  public func disarm() -> StoreCall? {
    state.withLock { state in
      let broken = state.broken
      state = State()
      return broken
    }
  }

  public func before(_ call: StoreCall) throws(BolideError) {
    let fails = state.withLock { state in
      guard let left = state.callsLeft else { return false }
      state.callsLeft = left == 0 ? nil : left - 1
      if left == 0 { state.broken = call }
      return left == 0
    }
    if fails { throw Self.failure }
  }
}
