import BolideStorage
import CLMDB
import Foundation

/// Who wants to be told of commits, and which commits they were told of (rule H-8).
///
/// Commits of this process ring when they end. Those of others are found by looking at the number of
/// the newest commit: when the folder was written to, and whenever this process writes. Where there is a
/// new one, the newest transaction of history tells whether it is one to ring for or bookkeeping.
final class CommitSignals: @unchecked Sendable {
  private let lock = NSLock()
  private var rings: [UInt64: @Sendable () -> Void] = [:]
  private var lastRing: UInt64 = 0
  /// The newest commit that is this process's own or was looked at.
  private var known = 0
  /// The newest transaction of history that was rung for.
  private var announced: UInt64 = 0
  private var watch: FolderWatch?

  /// Adds a listener, and watches the folder from the first on.
  func add(_ ring: @escaping @Sendable () -> Void, in environment: Environment) -> UInt64 {
    let newest = environment.newestState
    lock.lock()
    if watch == nil {
      known = max(known, newest?.commit ?? 0)
      announced = max(announced, newest?.transaction ?? 0)
      watch = FolderWatch(environment.path) { [weak environment] in environment?.lookForCommits() }
    }
    lastRing += 1
    let id = lastRing
    rings[id] = ring
    lock.unlock()
    // Commits between the first look and the start of the watch are told of here.
    environment.lookForCommits()
    return id
  }

  func remove(_ id: UInt64) {
    lock.lock()
    rings[id] = nil
    let ended = rings.isEmpty ? watch : nil
    if rings.isEmpty { watch = nil }
    lock.unlock()
    withExtendedLifetime(ended) {}
  }

  /// Rings for all listeners.
  func ring() {
    lock.lock()
    let rings = Array(rings.values)
    lock.unlock()
    for ring in rings { ring() }
  }

  /// Takes note of a commit; whether it is news.
  fileprivate func note(_ commit: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    defer { known = max(known, commit) }
    return commit > known
  }

  /// Whether a commit was not looked at yet.
  fileprivate func isNews(_ commit: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return commit > known
  }

  /// Takes note of the newest transaction of history; whether it is to be rung for.
  func announce(_ transaction: UInt64) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    defer { announced = max(announced, transaction) }
    return transaction > announced
  }

  /// Takes note of the commit that this process may make now, so that it is not taken for another's.
  ///
  /// - Returns: whether others have committed since the last that is known.
  func beginWriting(_ commit: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    defer { known = commit }
    return commit - 1 > known && watch != nil
  }

  /// Takes note of the commit that there is after all; a transaction that wrote nothing made none.
  func endWriting(newest: Int) {
    lock.lock()
    known = newest
    lock.unlock()
  }
}

extension Environment {
  /// Tells all who listen that a transaction was committed: those of this process directly, others by the
  /// time of the data file, which is set only now because LMDB's own write precedes visibility.
  func ring(_ transaction: UInt64) {
    utimensat(AT_FDCWD, dataPath, nil, 0)
    _ = signals.announce(transaction)
    signals.ring()
  }

  /// Rings if another process has committed to history.
  fileprivate func lookForCommits() {
    guard let newestCommit, signals.isNews(newestCommit) else { return }
    // LMDB tells a commit's number a moment before readers get its state: what counts is the state that is read.
    guard let state = newestState else { return signals.ring() }
    if signals.note(state.commit), signals.announce(state.transaction) { signals.ring() }
  }

  /// The number of the newest commit that can be read, and that of its newest transaction of history.
  fileprivate var newestState: (commit: Int, transaction: UInt64)? {
    guard let metadata = database(Catalogue.metadataName), let reading = try? beginRead() else { return nil }
    defer { endRead(reading) }
    return try? withMap { () throws(BolideError) in
      (
        mdb_txn_id(reading.transaction),
        try ReadView.head(of: reading.transaction, in: metadata).transaction
      )
    }
  }
}
