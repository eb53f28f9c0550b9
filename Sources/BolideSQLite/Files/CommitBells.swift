import BolideStorage
import Foundation
import Synchronization

/// Who is to be told that a store's file has new history (rule H-8).
///
/// Commits of this process ring directly. Those of other processes are noticed by ``FolderWatch``, while anybody listens;
/// the number of the newest transaction tells them from what was told already.
final class CommitBells: Sendable {
  private struct Bell {
    var ring: @Sendable () -> Void
    var head: @Sendable () -> UInt64?
  }

  private struct State {
    var bells: [UInt64: Bell] = [:]
    var next: UInt64 = 0
    /// The newest transaction that was rung for.
    var announced: UInt64 = 0
    /// The transaction that this process is committing: it will be rung for directly.
    var expected: UInt64?
    /// Whether the last look failed: that is rung for once.
    var isBlind = false
    var watch: FolderWatch?
  }

  private let state = Mutex(State())

  /// Adds a bell; it rings until the registration is released.
  ///
  /// - Parameters:
  ///   - path: the file that writers touch after a commit, in full.
  ///   - head: the number of the newest transaction; `nil` where it cannot be read.
  func add(
    _ ring: @escaping @Sendable () -> Void, watching path: String, head: @escaping @Sendable () -> UInt64?
  ) -> any AnyObject & Sendable {
    let newest = head()
    let id = state.withLock { state in
      state.next += 1
      if state.bells.isEmpty { state.announced = newest ?? 0 }
      state.bells[state.next] = Bell(ring: ring, head: head)
      if state.watch == nil {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        state.watch = FolderWatch(folder) { [weak self] in self?.look() }
      }
      return state.next
    }
    // Commits between the first look and the start of the watch are told of here.
    look()
    return Registration(id, in: self)
  }

  /// Says that this process is about to commit a transaction, which it alone can while it is the writer.
  func expect(_ transaction: UInt64) { state.withLock { $0.expected = transaction } }

  /// Says that the commit failed, so that another process may have committed a transaction of that number.
  func forgetExpected() {
    state.withLock { $0.expected = nil }
    look()
  }

  /// Rings for a commit of this process.
  func ring(_ transaction: UInt64) {
    let bells = state.withLock { state in
      if state.expected == transaction { state.expected = nil }
      state.announced = max(state.announced, transaction)
      return Array(state.bells.values)
    }
    // Bells may call the store.
    for bell in bells { bell.ring() }
  }

  /// Rings if there is a transaction that was not rung for.
  private func look() {
    let heads = state.withLock { $0.bells.values.map(\.head) }
    // An open that is closed cannot tell; another of the same file can.
    var newest: UInt64?
    for head in heads {
      newest = head()
      if newest != nil { break }
    }
    let bells = state.withLock { state -> [Bell] in
      guard let newest else {
        defer { state.isBlind = true }
        return state.isBlind ? [] : Array(state.bells.values)
      }
      state.isBlind = false
      if newest <= state.announced || newest == state.expected { return [] }
      state.announced = newest
      return Array(state.bells.values)
    }
    for bell in bells { bell.ring() }
  }

  private func remove(_ id: UInt64) {
    // What the closures hold is released outside the lock: it may have a registration, too.
    let removed = state.withLock { state in
      let bell = state.bells.removeValue(forKey: id)
      let watch = state.bells.isEmpty ? state.watch : nil
      if watch != nil { state.watch = nil }
      return (bell, watch)
    }
    withExtendedLifetime(removed) {}
  }

  private final class Registration: Sendable {
    private let id: UInt64
    private let bells: CommitBells

    init(_ id: UInt64, in bells: CommitBells) {
      self.id = id
      self.bells = bells
    }

    deinit { bells.remove(id) }
  }
}
