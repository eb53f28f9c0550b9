import BolideStorage
import CSQLite
import Foundation
import Synchronization

/// An open file: a few connections, of which one at a time writes.
///
/// Connections are alike and change their parts: the one that commits with a pin stays behind as the
/// snapshot of what it committed, and the next writer takes another.
final class SQLiteStore: OpenStore {
  let path: String
  let options: OpenOptions
  private let file: SharedFile
  /// Whether commits leave a mark.
  let isMarked: Bool
  private let forkCount = ForkCount.current
  private let state: Mutex<State>

  private struct State {
    var schema: StoredSchema
    /// The store's use of the file, until it is closed.
    var use: FileUse?
    /// Connections that nobody uses, the one used last at the end.
    var idle: [Connection]
    /// When each open snapshot was taken.
    var snapshots = ReadTimes()
    var isClosed = false
  }

  /// The most connections kept for later, each with its page cache.
  private static let idleLimit = 4

  init(
    path: String, options: OpenOptions, use: FileUse, schema: StoredSchema, connection: Connection,
    isMarked: Bool
  ) {
    self.path = path
    self.options = options
    file = use.file
    self.isMarked = isMarked
    state = Mutex(State(schema: schema, use: use, idle: [connection]))
  }

  deinit { try? close() }

  var layout: Layout { state.withLock { $0.schema.layout } }

  /// Refuses work in a process that fork(2) made: locks and shared memory stayed with the parent.
  func checkProcess() throws(BolideError) {
    if ForkCount.current != forkCount {
      throw BolideError(.storeForked, "The store \(path) was opened before this process was forked")
    }
  }

  private func checkOpen() throws(BolideError) {
    try checkProcess()
    if state.withLock({ $0.isClosed }) { throw .closed("store") }
  }

  // MARK: Connections

  /// A connection that nobody else uses, idle or new, for the schema that the store has now.
  private func takeConnection(until deadline: ContinuousClock.Instant) throws(BolideError) -> Session {
    let (idle, schema, use, isClosed) = state.withLock {
      ($0.idle.popLast(), $0.schema, $0.use, $0.isClosed)
    }
    if isClosed { throw .closed("store") }
    let connection: Connection
    if let idle {
      connection = idle
    } else {
      connection = try SQLiteOpening.connect(path, options: options, use: use, deadline: deadline)
    }
    connection.deadline = deadline
    connection.adopt(schema)
    return Session(connection: connection, schema: schema)
  }

  /// Takes a connection back; one whose transaction could not be ended is closed, which ends it.
  private func giveBack(_ connection: Connection) {
    let isUsable = !connection.isInTransaction
    let surplus = state.withLock { state -> Connection? in
      if state.isClosed || !isUsable || state.idle.count >= Self.idleLimit { return connection }
      state.idle.append(connection)
      return nil
    }
    withExtendedLifetime(surplus) {}
  }

  // MARK: Reading

  func snapshot() throws(BolideError) -> any Snapshot {
    try checkOpen()
    let now = ContinuousClock.now
    let session = try takeConnection(until: now + options.timeout)
    do throws(BolideError) {
      try holdState(of: session)
    } catch {
      session.connection.endTransaction()
      giveBack(session.connection)
      throw error
    }
    return register(session, takenAt: now)
  }

  private func holdState(of session: Session) throws(BolideError) {
    if try session.connection.holdState() { return }
    throw BolideError(.storeSchemaChanged, "The layout of \(path) was changed by another opening of it")
  }

  private func register(
    _ session: Session, takenAt instant: ContinuousClock.Instant
  ) -> SQLiteSnapshot {
    let place = state.withLock { $0.snapshots.begin(at: instant) }
    return SQLiteSnapshot(session, place: place, of: self)
  }

  /// Ends a snapshot's transaction and takes its connection back.
  func endSnapshot(_ place: Int, of connection: Connection) {
    state.withLock { $0.snapshots.end(place) }
    if connection.isForked { return }
    connection.endTransaction()
    giveBack(connection)
    if file.takePostponedCheckpoint() { checkpointIfFree() }
  }

  // MARK: Writing

  func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    try beginWriting(until: deadline)
  }

  private func beginWriting(until deadline: ContinuousClock.Instant) throws(BolideError) -> SQLiteTransaction
  {
    try checkOpen()
    if options.isReadOnly {
      throw BolideError(.storeReadOnly, "The store \(path) was opened for reading only")
    }
    guard file.writers.enter(until: deadline) else {
      throw BolideError(.storeBusy, "Another transaction of this process held \(path)")
    }
    let session: Session
    do throws(BolideError) {
      session = try takeConnection(until: deadline)
    } catch {
      file.writers.leave()
      throw error
    }
    do throws(BolideError) {
      let begin = try session.connection.kept("BEGIN IMMEDIATE")
      defer { begin.reset() }
      _ = try session.connection.step(begin, while: "beginning a transaction")
      try holdState(of: session)
      session.connection.releaseState()
    } catch {
      abandon(session)
      throw error
    }
    return SQLiteTransaction(session, of: self)
  }

  /// Ends a transaction without a trace.
  func abandon(_ session: Session) {
    session.connection.endTransaction()
    giveBack(session.connection)
    file.writers.leave()
  }

  /// Commits a transaction that was appended to history, if one was.
  func announcing(
    _ appended: UInt64?, _ commit: () throws(BolideError) -> Void
  ) throws(BolideError) {
    guard let appended else { return try commit() }
    file.bells.expect(appended)
    do throws(BolideError) {
      try commit()
    } catch {
      file.bells.forgetExpected()
      throw error
    }
  }

  /// Ends a committed transaction: announces it, and looks after the log.
  ///
  /// - Parameters:
  ///   - appended: the transaction that was appended to history, if one was.
  ///   - isPinned: whether the connection holds the committed state and becomes its snapshot.
  func end(_ session: Session, appended: UInt64?, isPinned: Bool) -> SQLiteSnapshot? {
    state.withLock { $0.schema = session.schema }
    if appended != nil { StoreFile.touch(path) }
    let frames = session.connection.logFrames
    let snapshot = isPinned ? register(session, takenAt: .now) : nil
    if !isPinned { giveBack(session.connection) }
    file.writers.leave()
    if let appended { file.bells.ring(appended) }
    if file.isCheckpointDue(frames) {
      // A connection that holds what it committed keeps its place from before in the log, too: while it does, the log
      // cannot be copied whole, and only then is it begun anew.
      if isPinned { file.postponeCheckpoint() } else { checkpointIfFree() }
    }
    return snapshot
  }

  func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    file.bells.add(ring, watching: path) { [weak self] in self?.newestTransaction }
  }

  /// The number of the newest transaction, where it can be read.
  private var newestTransaction: UInt64? {
    guard let snapshot = try? snapshot() else { return nil }
    defer { snapshot.close() }
    return try? snapshot.head().transaction
  }

  // MARK: Upkeep

  func maintain() throws(BolideError) {
    try checkOpen()
    if !options.isReadOnly { try checkpoint() }
  }

  /// Makes a checkpoint that is due. One stays due if another writer has the turn, whose commit looks after it.
  private func checkpointIfFree() {
    guard file.writers.tryEnter() else { return }
    defer { file.writers.leave() }
    try? checkpoint()
  }

  /// Copies what no snapshot needs from the log into the main file, without waiting for anybody.
  private func checkpoint() throws(BolideError) {
    let connection = try takeConnection(until: .now).connection
    defer { giveBack(connection) }
    var frames: Int32 = 0
    var copied: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(
      connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    // Busy says that another process is at it: then the work is being done.
    if code & 0xFF == SQLITE_BUSY { return }
    guard code == SQLITE_OK else { throw connection.error(code, while: "copying the log into the store") }
    file.noteCheckpoint(leaving: frames == copied ? 0 : frames)
  }

  func verify() throws(BolideError) {
    try checkOpen()
    let connection = try takeConnection(until: .now + options.timeout).connection
    defer { giveBack(connection) }
    let check = try connection.prepare("PRAGMA integrity_check(1)", while: "checking its pages")
    defer { sqlite3_finalize(check.handle) }
    guard try connection.step(check, while: "checking its pages") else { return }
    let finding = check.text(0)
    if finding != "ok" { throw .damaged("The file \(path) is damaged: \(finding)") }
  }

  func statistics() throws(BolideError) -> Statistics {
    try checkOpen()
    let (count, oldest) = state.withLock { ($0.snapshots.count, $0.snapshots.oldest) }
    let connection = try takeConnection(until: .now + options.timeout).connection
    defer { giveBack(connection) }
    let age = oldest.map { instant -> Double in
      let parts = instant.duration(to: .now).components
      return Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    }
    return Statistics(
      storeBytes: StoreFile.size(path), logBytes: StoreFile.size(path + "-wal"), snapshots: count,
      oldestSnapshotAge: age,
      details: [
        "pages": Int(try connection.value("PRAGMA page_count", while: "counting pages") ?? 0),
        "free pages": Int(try connection.value("PRAGMA freelist_count", while: "counting pages") ?? 0),
      ])
  }

  func copy(to location: Location) throws(BolideError) {
    try copy(to: location, setting: [:], isSynced: true)
  }

  func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    // A copy is kept in case the store is lost; a fork is tried things on, and is as durable as its store.
    try copy(to: location, setting: metadata, isSynced: options.durability == .power)
    var options = options
    options.isReadOnly = false
    return try SQLiteBackend().open(location, layout: nil, options: options)
  }

  func move(to location: Location, until deadline: ContinuousClock.Instant) throws(BolideError) {
    try moveByCopy(to: location, in: beginWriting(until: deadline)) { transaction throws(BolideError) in
      try transaction.retire()
    } removeCopy: {
      StoreFile.remove(location.path)
    }
    StoreFile.remove(path)
  }

  private func copy(
    to location: Location, setting metadata: [String: [UInt8]], isSynced: Bool
  ) throws(BolideError) {
    try checkOpen()
    let session = try takeConnection(until: .now + options.timeout)
    defer { giveBack(session.connection) }
    try SQLiteCopy(of: session.connection, to: location.path, setting: metadata, isSynced: isSynced).run()
  }

  func close() throws(BolideError) {
    try checkProcess()
    var idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    // Let go of outside the lock, after the connections.
    let use = state.withLock { state in
      defer { state.use = nil }
      return state.use
    }
    defer { withExtendedLifetime(use) {} }
    // The last connection to close takes the log away; it is emptied first in case others stay. Readers
    // may keep that from happening: then the one who closes last does it.
    guard let last = idle.popLast() else { return }
    idle.removeAll()
    if !options.isReadOnly {
      last.deadline = .now
      sqlite3_wal_checkpoint_v2(last.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    }
  }
}
