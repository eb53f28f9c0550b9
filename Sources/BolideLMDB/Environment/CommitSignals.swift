import BolideStorage
import Foundation

/// Who wants to be told of commits, and which commits they were told of (rule H-8).
///
/// Commits of this process ring when they end. Those of others are found by looking at the number of
/// the newest commit: when the folder was written to, and whenever this process writes.
final class CommitSignals: @unchecked Sendable {
  private let lock = NSLock()
  private var rings: [UInt64: @Sendable () -> Void] = [:]
  private var lastRing: UInt64 = 0
  /// The newest commit that is this process's own or was rung for.
  private var known = 0
  private var watch: FolderWatch?

  /// Adds a listener, and watches the folder from the first on.
  func add(_ ring: @escaping @Sendable () -> Void, in environment: Environment) -> UInt64 {
    let newest = environment.newestCommit ?? 0
    lock.lock()
    defer { lock.unlock() }
    if watch == nil {
      known = max(known, newest)
      watch = FolderWatch(environment.path) { [weak environment] in
        guard let environment, let newest = environment.newestCommit else { return }
        if environment.signals.note(newest) { environment.signals.ring() }
      }
    }
    lastRing += 1
    rings[lastRing] = ring
    return lastRing
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
  private func note(_ commit: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    defer { known = max(known, commit) }
    return commit > known
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
  /// Tells all who listen that something was committed: those of this process directly, others by the
  /// time of the data file, which is set only now because LMDB's own write precedes visibility.
  func ring() {
    utimensat(AT_FDCWD, dataPath, nil, 0)
    signals.ring()
  }
}
