import BolideStorage
import Synchronization

/// The calls of the storage contract that can fail.
public enum StoreCall: String, Sendable, CaseIterable {
  case open, snapshot, begin, statistics, maintain, copy, move, fork, close
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
