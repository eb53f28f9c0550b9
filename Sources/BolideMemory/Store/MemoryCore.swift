import BolideStorage
import Synchronization

/// What all openers of one location share: the newest state, the writer's turn, open snapshots, rings.
final class MemoryCore: Sendable {
  let pool: PagePool
  let queue = WriterQueue()
  private let shared: Mutex<Shared>

  private static let epochs = Atomic<UInt64>(0)

  private struct Shared {
    var newest: StoreState
    var hasMoved = false
    /// When each open snapshot was taken, by its place; `nil` for a place that is free.
    var starts: [ContinuousClock.Instant?] = []
    var freePlaces: [Int] = []
    var rings: [ObjectIdentifier: @Sendable () -> Void] = [:]
  }

  /// Starts from a state; a fork shares its origin's pool because it shares its pages.
  init(_ state: StoreState) {
    pool = state.pool
    shared = Mutex(Shared(newest: state))
  }

  /// An epoch that no page has yet.
  static func nextEpoch() -> UInt64 { epochs.wrappingAdd(1, ordering: .relaxed).newValue }

  /// The newest committed state.
  var newest: StoreState { shared.withLock(\.newest) }

  /// Makes a state the newest.
  func publish(_ state: StoreState) {
    // The state before is given up outside the lock: that may free many pages.
    let before = shared.withLock { shared in
      let before = shared.newest
      shared.newest = state
      return before
    }
    withExtendedLifetime(before) {}
  }

  /// Whether the store is elsewhere now.
  var hasMoved: Bool { shared.withLock(\.hasMoved) }

  /// Waits for the turn to write, which ends with `queue.leave()`.
  ///
  /// - Throws: `store.busy` past the deadline.
  func enter(until deadline: ContinuousClock.Instant) throws(BolideError) {
    guard queue.enter(until: deadline) else {
      throw BolideError(.storeBusy, "another transaction of this store did not end in time")
    }
  }

  /// Says that the store is elsewhere now; the caller has the turn to write.
  func retire() { shared.withLock { $0.hasMoved = true } }

  /// Rings for every registration.
  func ring() {
    for ring in shared.withLock({ Array($0.rings.values) }) { ring() }
  }

  func register(_ ring: @escaping @Sendable () -> Void) -> RingRegistration {
    let registration = RingRegistration(self)
    shared.withLock { $0.rings[ObjectIdentifier(registration)] = ring }
    return registration
  }

  fileprivate func unregister(_ registration: ObjectIdentifier) {
    let ring = shared.withLock { $0.rings.removeValue(forKey: registration) }
    withExtendedLifetime(ring) {}
  }

  // Snapshots

  /// Takes the newest state and a place among the open snapshots.
  func open() -> (state: StoreState, place: Int) {
    let now = ContinuousClock.now
    return shared.withLock { shared in
      guard let place = shared.freePlaces.popLast() else {
        shared.starts.append(now)
        return (shared.newest, shared.starts.count - 1)
      }
      shared.starts[place] = now
      return (shared.newest, place)
    }
  }

  /// Takes a place for a snapshot of a state that is known.
  func open(_ state: StoreState) -> (state: StoreState, place: Int) { (state, open().place) }

  /// Gives a place up.
  func close(_ place: Int) {
    shared.withLock { shared in
      shared.starts[place] = nil
      shared.freePlaces.append(place)
    }
  }

  /// Sizes; pages are those of this store and its forks.
  var statistics: Statistics {
    let (count, oldest) = shared.withLock { shared in
      (shared.starts.count - shared.freePlaces.count, shared.starts.lazy.compactMap { $0 }.min())
    }
    let age = oldest.map { oldest in
      let parts = oldest.duration(to: .now).components
      return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
    let pages = pool.livePages
    return Statistics(
      storeBytes: pages * Page.size, logBytes: 0, snapshots: count, oldestSnapshotAge: age,
      details: ["pages": pages])
  }
}

/// Keeps a ring alive; releasing it ends the ringing.
final class RingRegistration: Sendable {
  private let core: MemoryCore

  init(_ core: MemoryCore) { self.core = core }

  deinit { core.unregister(ObjectIdentifier(self)) }
}
