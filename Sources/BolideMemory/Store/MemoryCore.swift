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
    var snapshots: [ObjectIdentifier: ContinuousClock.Instant] = [:]
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

  func opened(_ snapshot: MemorySnapshot) {
    shared.withLock { $0.snapshots[ObjectIdentifier(snapshot)] = .now }
  }

  func closed(_ snapshot: MemorySnapshot) {
    shared.withLock { _ = $0.snapshots.removeValue(forKey: ObjectIdentifier(snapshot)) }
  }

  /// Sizes; pages are those of this store and its forks.
  var statistics: Statistics {
    let (count, oldest) = shared.withLock { ($0.snapshots.count, $0.snapshots.values.min()) }
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
