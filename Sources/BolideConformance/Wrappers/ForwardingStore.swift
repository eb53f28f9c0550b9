import BolideStorage

/// A store that passes every call on, and wraps the snapshots and transactions it gives out.
///
/// It keeps nothing but references that do not change, so it may cross threads as the store below it may.
open class ForwardingStore: OpenStore, @unchecked Sendable {
  /// Where calls go.
  public let base: any OpenStore
  /// Who looks at calls, and what becomes of snapshots and transactions.
  public let wrapping: StoreWrapping

  /// Wraps a store.
  public required init(_ base: any OpenStore, _ wrapping: StoreWrapping) {
    self.base = base
    self.wrapping = wrapping
  }

  open var layout: Layout { base.layout }

  open func snapshot() throws(BolideError) -> any Snapshot {
    try wrapping.before(.snapshot)
    return wrapping.snapshot(try base.snapshot(), wrapping)
  }

  open func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    try wrapping.before(.begin)
    return wrapping.transaction(try base.begin(until: deadline), wrapping)
  }

  open func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    base.onCommit(ring)
  }

  open func statistics() throws(BolideError) -> Statistics {
    try wrapping.before(.statistics)
    return try base.statistics()
  }

  open func maintain() throws(BolideError) {
    try wrapping.before(.maintain)
    try base.maintain()
  }

  open func verify() throws(BolideError) { try base.verify() }

  open func copy(to location: Location) throws(BolideError) {
    try wrapping.before(.copy)
    try base.copy(to: location)
  }

  open func move(
    to location: Location, until deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    try wrapping.before(.move)
    try base.move(to: location, until: deadline)
  }

  open func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    try wrapping.before(.fork)
    return wrapping.store(try base.fork(to: location, setting: metadata), wrapping)
  }

  open func close() throws(BolideError) {
    try wrapping.before(.close)
    try base.close()
  }
}

/// A backend whose stores are wrapped.
public final class ForwardingBackend: Backend {
  private let base: any Backend
  private let wrapping: StoreWrapping

  /// Wraps a backend.
  public init(_ base: any Backend, _ wrapping: StoreWrapping) {
    self.base = base
    self.wrapping = wrapping
  }

  public var name: String { base.name }
  public var capabilities: Capabilities { base.capabilities }
  public var limits: Limits { base.limits }

  public func open(
    _ location: Location, layout: Layout?, options: OpenOptions
  ) throws(BolideError) -> any OpenStore {
    try wrapping.before(.open)
    return wrapping.store(try base.open(location, layout: layout, options: options), wrapping)
  }
}
