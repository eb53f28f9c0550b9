import Synchronization

/// Who is to be told, within this process, that a file has new history.
final class CommitBells: Sendable {
  private struct State {
    var rings: [UInt64: @Sendable () -> Void] = [:]
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Adds a bell; it rings until the registration is released.
  func add(_ ring: @escaping @Sendable () -> Void) -> Registration {
    let id = state.withLock { state in
      state.next += 1
      state.rings[state.next] = ring
      return state.next
    }
    return Registration(id, in: self)
  }

  /// Rings all bells; they may call the store.
  func ring() {
    let rings = state.withLock { Array($0.rings.values) }
    for ring in rings { ring() }
  }

  private func remove(_ id: UInt64) {
    // The closure is released outside the lock: what it holds may have a registration, too.
    let removed = state.withLock { $0.rings.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }

  /// Keeps a bell ringing.
  final class Registration: Sendable {
    private let id: UInt64
    private let bells: CommitBells

    init(_ id: UInt64, in bells: CommitBells) {
      self.id = id
      self.bells = bells
    }

    deinit { bells.remove(id) }
  }
}
