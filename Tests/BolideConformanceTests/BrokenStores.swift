import BolideConformance
import BolideStorage
import Synchronization

// Each class makes one mistake in one call and is right in all others.

/// Its snapshots show whatever is newest.
final class LiveSnapshots: ForwardingStore, @unchecked Sendable {
  override func snapshot() throws(BolideError) -> any Snapshot {
    let snapshot = LiveSnapshot(try base.snapshot(), wrapping)
    snapshot.store = base
    return snapshot
  }

  private final class LiveSnapshot: ForwardingSnapshot, @unchecked Sendable {
    var store: (any OpenStore)?

    override func scan(
      _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
      columns: ColumnSet, into batch: inout RowBatch
    ) throws(BolideError) {
      let newest = try store?.snapshot()
      defer { newest?.close() }
      try newest?.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    }
  }
}

final class IsNeverBusy: ForwardingStore, @unchecked Sendable {
  override func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    do {
      return try super.begin(until: deadline)
    } catch  where error.code == .storeBusy {
      throw BolideError(.storeIO, "the lock could not be taken")
    }
  }
}

final class IsBusyAtOnce: ForwardingStore, @unchecked Sendable {
  override func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    try super.begin(until: .now)
  }
}

final class NeverRings: ForwardingStore, @unchecked Sendable {
  override func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    base.onCommit {}
  }
}

final class RingsForever: ForwardingStore, @unchecked Sendable {
  private let kept = Mutex<[any AnyObject & Sendable]>([])

  override func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    let registration = base.onCommit(ring)
    kept.withLock { $0.append(registration) }
    return registration
  }
}

final class CopiesOverAnything: ForwardingStore, @unchecked Sendable {
  override func copy(to location: Location) throws(BolideError) {
    do {
      try super.copy(to: location)
    } catch {
      return
    }
  }
}

/// Moves a copy, and leaves the store usable where it was.
final class StaysWhereItWas: ForwardingStore, @unchecked Sendable {
  override func move(
    to location: Location, until deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    try base.copy(to: location)
  }
}

final class CopiesNothing: ForwardingStore, @unchecked Sendable {
  override func copy(to location: Location) throws(BolideError) {}
}

/// What it calls a fork is the store itself.
final class ForksIntoItself: ForwardingStore, @unchecked Sendable {
  override func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore { self }
}

/// A fork that is told apart from its origin by nothing.
final class ForksUnchanged: ForwardingStore, @unchecked Sendable {
  override func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    try super.fork(to: location, setting: [:])
  }
}

final class ForgetsSnapshots: ForwardingStore, @unchecked Sendable {
  override func statistics() throws(BolideError) -> Statistics {
    var statistics = try super.statistics()
    statistics.snapshots = 0
    return statistics
  }
}

/// Counts a page for every snapshot that was ever taken.
final class LeaksPages: ForwardingStore, @unchecked Sendable {
  private let taken = Atomic<Int>(0)

  override func snapshot() throws(BolideError) -> any Snapshot {
    taken.wrappingAdd(1, ordering: .relaxed)
    return try super.snapshot()
  }

  override func statistics() throws(BolideError) -> Statistics {
    var statistics = try super.statistics()
    statistics.storeBytes += taken.load(ordering: .relaxed) * 4096
    return statistics
  }
}

final class ForgetsItsLayout: ForwardingStore, @unchecked Sendable {
  override var layout: Layout { Layout(tables: [], links: [], entities: []) }
}

/// Goes on after it was closed.
final class NeverCloses: ForwardingStore, @unchecked Sendable {
  override func close() throws(BolideError) {}
}

/// Takes its snapshots along when it is closed.
final class ClosesSnapshots: ForwardingStore, @unchecked Sendable {
  private let open = Mutex<[any Snapshot]>([])

  override func snapshot() throws(BolideError) -> any Snapshot {
    let snapshot = try super.snapshot()
    open.withLock { $0.append(snapshot) }
    return snapshot
  }

  override func close() throws(BolideError) {
    for snapshot in open.withLock({ $0 }) { snapshot.close() }
    try super.close()
  }
}
