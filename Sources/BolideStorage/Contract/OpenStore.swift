/// An open store: gives out snapshots and write transactions. All calls may come from any thread.
public protocol OpenStore: AnyObject, Sendable {
  /// The layout the store has now.
  var layout: Layout { get }

  /// The newest committed state, unchanged by whatever is committed later (rule G-1).
  ///
  /// - Throws: `store.closed`, `store.schema-changed`, `store.limit`, `store.io`, `store.forked-process`.
  func snapshot() throws(BolideError) -> any Snapshot

  /// Begins the one write transaction, waiting for other writers, of other processes too, until the deadline.
  ///
  /// The transaction is used and ended on the calling thread, without awaiting anything (rule S-3).
  /// - Throws: `store.busy` past the deadline, `store.read-only`, `store.schema-changed`, `store.closed`.
  func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction

  /// Calls `ring` after each commit that appended to history: possibly once too often, never too rarely (rule H-8).
  ///
  /// - Returns: a registration; ringing ends when it is released.
  func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable

  /// Sizes and readers, for people.
  func statistics() throws(BolideError) -> Statistics

  /// Upkeep that is cheap now: checkpoints the log, clears readers of dead processes.
  func maintain() throws(BolideError)

  /// Looks at the store's files as a whole, also at what opening leaves out since it would take too long: for
  /// `bolide check`, before it reads rows.
  ///
  /// - Throws: `store.damaged`.
  func verify() throws(BolideError)

  /// Writes a complete copy of the newest state to a free location of the same backend, also while the store is in use.
  ///
  /// - Throws: `store.io` where the place is taken; nothing is left there on an error.
  func copy(to location: Location) throws(BolideError)

  /// Moves the store to a free location of the same backend, also while it is in use, and closes it.
  ///
  /// What is left behind cannot be written any more: other openings of it, in other processes too, keep the
  /// snapshots that they hold and get `store.schema-changed` for whatever they begin. Until the new place holds all of
  /// the store it stays where it was.
  /// - Throws: `store.io` where the place is taken, `store.busy` past the deadline, `store.read-only`,
  ///   `store.unsupported`; the store is where it was then, and open.
  func move(to location: Location, until deadline: ContinuousClock.Instant) throws(BolideError)

  /// A copy in which some metadata have other values, opened: in constant time where the capabilities say so.
  ///
  /// What makes the copy a store of its own is in `metadata`: nobody may ever find it at its place without them, not
  /// after a crash either.
  /// - Throws: as ``copy(to:)``.
  func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore

  /// Closes the store. Open snapshots stay readable until they are closed; further calls throw `store.closed`.
  func close() throws(BolideError)
}

extension OpenStore {
  /// A copy as it is, opened.
  public func fork(to location: Location) throws(BolideError) -> any OpenStore {
    try fork(to: location, setting: [:])
  }

  /// A store that finds damage as it reads has nothing to look at before.
  public func verify() throws(BolideError) {}

  /// A store that is not told how is not moved.
  public func move(to location: Location, until deadline: ContinuousClock.Instant) throws(BolideError) {
    throw BolideError(
      .storeUnsupported, "the store cannot be moved", remedy: "copy it, close it and remove its files")
  }
}

/// What a store says of its size and use.
public struct Statistics: Hashable, Sendable {
  /// Bytes of the main file, or of all pages in memory.
  public var storeBytes: Int
  /// Bytes of a log beside it that the next checkpoint may free.
  public var logBytes: Int
  /// Snapshots open in this process.
  public var snapshots: Int
  /// The age of the oldest open snapshot of this process, in seconds.
  public var oldestSnapshotAge: Double?
  /// Further figures by name, such as `pages`.
  public var details: [String: Int]

  /// Assembles the figures.
  public init(
    storeBytes: Int, logBytes: Int, snapshots: Int, oldestSnapshotAge: Double?, details: [String: Int] = [:]
  ) {
    self.storeBytes = storeBytes
    self.logBytes = logBytes
    self.snapshots = snapshots
    self.oldestSnapshotAge = oldestSnapshotAge
    self.details = details
  }
}
