import BolideStorage
import CLMDB
import Foundation

/// One open of a store kept by LMDB. Opens of one file share its ``Environment``.
final class LMDBStore: OpenStore, @unchecked Sendable {
  let backend: LMDBBackend
  let options: OpenOptions
  /// Guards what follows, and makes the end of a transaction that changes the layout one step with it.
  private let lock = NSLock()
  private var lease: EnvironmentLease?
  private var schema: StoredSchema
  /// The last state whose epoch was seen to be that of `schema`.
  private var checkedState = 0

  init(_ backend: LMDBBackend, _ options: OpenOptions, _ lease: EnvironmentLease, _ schema: StoredSchema) {
    self.backend = backend
    self.options = options
    self.lease = lease
    self.schema = schema
  }

  var layout: Layout {
    lock.lock()
    defer { lock.unlock() }
    return schema.layout
  }

  /// The lease, while the store is open and this process is the one that opened it.
  private func openLease() throws(BolideError) -> EnvironmentLease {
    guard let lease else { throw LMDBFailure.closed("store") }
    try lease.environment.checkProcess()
    return lease
  }

  func use() throws(BolideError) -> EnvironmentLease {
    lock.lock()
    defer { lock.unlock() }
    return try openLease()
  }

  func snapshot() throws(BolideError) -> any Snapshot {
    lock.lock()
    defer { lock.unlock() }
    let lease = try openLease()
    let reading = try lease.environment.beginRead()
    let state = mdb_txn_id(reading.transaction)
    if state == checkedState { return LMDBSnapshot(lease, reading, schema) }
    do throws(BolideError) {
      try lease.environment.withMap { () throws(BolideError) in
        try Self.checkEpoch(schema, reading.transaction)
      }
    } catch {
      lease.environment.endRead(reading)
      throw error
    }
    checkedState = state
    return LMDBSnapshot(lease, reading, schema)
  }

  func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    try beginWriting(until: deadline)
  }

  func beginWriting(until deadline: ContinuousClock.Instant) throws(BolideError) -> LMDBTransaction {
    let lease = try use()
    if options.isReadOnly {
      throw BolideError(.storeReadOnly, "The store at \(lease.environment.path) was opened for reading only")
    }
    try lease.environment.enterWriting(until: deadline)
    var begun: OpaquePointer?
    var followsOthers = false
    do throws(BolideError) {
      let transaction = try lease.environment.beginWrite(options.durability)
      begun = transaction
      followsOthers = lease.environment.signals.beginWriting(mdb_txn_id(transaction))
      lock.lock()
      defer { lock.unlock() }
      _ = try openLease()
      try Self.checkEpoch(schema, transaction)
      if followsOthers {
        let head = try ReadView.head(of: transaction, in: schema.fixed.metadata)
        followsOthers = lease.environment.signals.announce(head.transaction)
      }
      return LMDBTransaction(self, lease, transaction, schema, followsOthers: followsOthers)
    } catch {
      if let begun { mdb_txn_abort(begun) }
      lease.environment.leaveWriting()
      if followsOthers { lease.environment.signals.ring() }
      throw error
    }
  }

  /// Throws when another open has changed the layout since this store was opened.
  private static func checkEpoch(
    _ schema: StoredSchema, _ transaction: OpaquePointer
  ) throws(BolideError) {
    let view = ReadView(transaction: transaction, schema: schema)
    let epoch = try view.record(MetadataRecord.epoch, in: schema.fixed.metadata) { (bytes) in
      bytes.count == 8 ? bytes.number(0, UInt64.self) : nil
    }
    guard let epoch = epoch ?? nil else { throw LMDBFailure.damaged("The epoch of the layout is damaged") }
    if epoch != schema.layout.epoch {
      throw BolideError(
        .storeSchemaChanged,
        "The layout has epoch \(epoch), and the store was opened at \(schema.layout.epoch)")
    }
  }

  /// Commits a transaction, and takes over the layout that it changed to in the same step.
  func commit(_ transaction: OpaquePointer, changing new: StoredSchema?) -> Int32 {
    guard let new else { return mdb_txn_commit(transaction) }
    lock.lock()
    defer { lock.unlock() }
    let code = mdb_txn_commit(transaction)
    if code == 0 { schema = new }
    return code
  }

  func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    // Registering looks for commits and rings for what it finds: a listener may read this store.
    let lease = lock.withLock { self.lease }
    defer { withExtendedLifetime(lease) {} }
    return RingRegistration(lease?.environment, ring)
  }

  func statistics() throws(BolideError) -> Statistics {
    let lease = try use()
    defer { withExtendedLifetime(lease) {} }
    let environment = lease.environment
    let figures = try environment.figures()
    let (count, oldest) = environment.readers.figures
    let age = oldest.map { Double($0.components.seconds) + Double($0.components.attoseconds) / 1e18 }
    return Statistics(
      storeBytes: figures.bytes, logBytes: 0, snapshots: count, oldestSnapshotAge: age,
      details: figures.details)
  }

  func verify() throws(BolideError) {
    let lease = try use()
    defer { withExtendedLifetime(lease) {} }
    let environment = lease.environment
    // Where writers go on too fast to find a state before it is the last but one, another is tried.
    for _ in 0..<64 {
      let reading = try environment.beginRead()
      defer { environment.endRead(reading) }
      if try Self.checkPages(reading, in: PageFile(environment.dataPath), isWhole: true) { return }
    }
    throw BolideError(
      .storeBusy, "Writers of \(environment.path) followed each other too fast to look at its pages")
  }

  func maintain() throws(BolideError) {
    let lease = try use()
    defer { withExtendedLifetime(lease) {} }
    try lease.environment.clearDeadReaders()
  }

  func close() throws(BolideError) {
    lock.lock()
    let last = lease
    lease = nil
    lock.unlock()
    // The last reference may close the environment: not under the lock.
    withExtendedLifetime(last) {}
  }
}

/// Rings as long as someone holds it.
private final class RingRegistration: Sendable {
  private let environment: Environment?
  private let id: UInt64

  init(_ environment: Environment?, _ ring: @escaping @Sendable () -> Void) {
    self.environment = environment
    id = environment.map { $0.signals.add(ring, in: $0) } ?? 0
  }

  deinit { environment?.signals.remove(id) }
}

extension Environment {
  /// Sizes for people.
  func figures() throws(BolideError) -> (bytes: Int, details: [String: Int]) {
    var status = stat()
    guard stat(dataPath, &status) == 0 else {
      throw LMDBFailure.system(errno, "look at \(path)")
    }
    var info = MDB_envinfo()
    var main = MDB_stat()
    try withMap {
      mdb_env_info(handle, &info)
      mdb_env_stat(handle, &main)
    }
    let details = [
      "pages": info.me_last_pgno + 1, "pageBytes": Int(main.ms_psize), "mapBytes": info.me_mapsize,
      "readerSlots": Int(info.me_maxreaders), "readerSlotsUsed": Int(info.me_numreaders),
      "databases": main.ms_entries,
    ]
    return (Int(status.st_size), details)
  }
}
