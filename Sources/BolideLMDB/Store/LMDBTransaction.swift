import BolideStorage
import CLMDB
import Foundation

/// The write transaction of a store: one of LMDB, on the thread that began it (rule S-3).
final class LMDBTransaction: WriteTransaction {
  let store: LMDBStore
  private let lease: EnvironmentLease
  private let thread = pthread_self()
  /// Whether other processes have committed to history before it what was not rung for.
  private let followsOthers: Bool
  private var transaction: OpaquePointer?
  /// The layout, as this transaction may have changed it.
  var schema: StoredSchema
  private var hasChangedLayout = false
  /// Databases that were opened for a changed layout.
  private(set) var opened: [String: MDB_dbi] = [:]
  /// Rows whose keys were released and that are to be written again, by table.
  var released: [TableID: Set<Number>] = [:]
  /// Entries of indexes that are not unique, kept back until they are looked at, by table.
  var pending: [TableID: [PendingKeys]] = [:]
  /// The number of the transaction that was appended to history.
  var appended: UInt64?
  /// Whether something was written, so that the transaction cannot be begun anew unseen.
  private var hasWritten = false

  /// Takes over a transaction that was begun, and the turn as the writer.
  init(
    _ store: LMDBStore, _ lease: EnvironmentLease, _ transaction: OpaquePointer, _ schema: StoredSchema,
    followsOthers: Bool
  ) {
    self.store = store
    self.lease = lease
    self.transaction = transaction
    self.schema = schema
    self.followsOthers = followsOthers
  }

  deinit { rollback() }

  var environment: Environment { lease.environment }

  /// The transaction of LMDB, while it is open and in its process and thread.
  private func current() throws(BolideError) -> OpaquePointer {
    guard let transaction else { throw LMDBFailure.closed("transaction") }
    try environment.checkProcess()
    guard pthread_equal(thread, pthread_self()) != 0 else {
      throw LMDBFailure.misuse("A write transaction was used on a thread that did not begin it")
    }
    return transaction
  }

  /// Reads what the transaction sees.
  func view() throws(BolideError) -> ReadView {
    ReadView(transaction: try current(), schema: schema)
  }

  /// Writes; where the map is full, undoes the transaction and enlarges the map.
  func write<Result>(
    _ body: (OpaquePointer) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    let transaction = try current()
    hasWritten = true
    do throws(BolideError) {
      return try body(transaction)
    } catch {
      if error.code == .storeMapFull { try undoAndGrow() }
      throw LMDBFailure.ofWriting(error, to: environment.dataPath)
    }
  }

  private func undoAndGrow() throws(BolideError) {
    guard let ended = transaction else { return }
    transaction = nil
    mdb_txn_abort(ended)
    defer { leave() }
    try environment.growMap()
  }

  /// Lets the next writer in, and rings for what others committed.
  private func leave() {
    environment.leaveWriting()
    if followsOthers { environment.signals.ring() }
  }

  /// Takes over a changed layout, which the store has from the commit on.
  func adopt(_ schema: StoredSchema, opened databases: [String: MDB_dbi]) {
    self.schema = schema
    opened.merge(databases) { _, new in new }
    hasChangedLayout = true
  }

  /// Marks the store as moved away: nobody who has it open, or opens its files, reads or writes it any more.
  func retire() throws(BolideError) {
    let database = schema.fixed.metadata
    try write { (transaction) throws(BolideError) in
      let writer = RecordWriter(transaction: transaction, database: database)
      var epoch: [UInt8] = []
      epoch.appendLittle(UInt64.max)
      try writer.put(MetadataRecord.epoch, epoch)
      try writer.delete(MetadataRecord.catalogue)
    }
  }

  /// Makes room for a number of databases, which takes beginning anew where there are too many.
  func makeRoom(databases count: Int) throws(BolideError) {
    if count <= environment.databaseLimit { return }
    let ended = try current()
    if hasWritten {
      throw BolideError(
        .storeLimit, "The new layout needs more databases than the store was opened for",
        remedy: "change the layout before anything else in its transaction")
    }
    transaction = nil
    mdb_txn_abort(ended)
    do throws(BolideError) {
      try environment.reopen(databases: Catalogue.databaseLimit(for: count))
      transaction = try environment.beginWrite(store.options.durability)
    } catch {
      if transaction == nil { leave() }
      throw error
    }
  }
}

// MARK: - The end

extension LMDBTransaction {
  func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    try settleAll()
    let committing = try current()
    if released.contains(where: { !$0.value.isEmpty }) {
      rollback()
      throw LMDBFailure.misuse("Rows were released and not written again")
    }
    // A reader slot is taken before the commit: a commit that succeeded must not throw for lack of one.
    let reading = pinning ? try environment.beginRead() : nil
    transaction = nil
    let code = store.commit(committing, changing: hasChangedLayout ? schema : nil)
    guard code == 0 else {
      if let reading { environment.endRead(reading) }
      defer { leave() }
      if code == MDB_MAP_FULL { try environment.growMap() }
      throw LMDBFailure.ofWriting(
        LMDBFailure.error(code, "commit to \(environment.path)"), to: environment.dataPath)
    }
    environment.remember(opened)
    environment.lookAfterGrowth()
    defer {
      leave()
      if let appended { environment.ring(appended) }
    }
    guard let reading else { return nil }
    do throws(BolideError) {
      // Nobody else can have committed yet.
      try environment.renew(reading)
    } catch {
      // The commit stands, so that its caller may not be told otherwise; the state can be read like any other.
      environment.endRead(reading)
      return nil
    }
    return LMDBSnapshot(lease, reading, schema)
  }

  func rollback() {
    guard let ended = transaction, !environment.isOfParentProcess else { return }
    transaction = nil
    mdb_txn_abort(ended)
    leave()
  }
}

// MARK: - Reading

extension LMDBTransaction {
  func head() throws(BolideError) -> Mark { try view().head() }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? { try view().metadata(key) }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try view().rows(numbers, of: table, columns: columns, into: &batch)
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try view().find(keys, of: table, by: index, columns: columns, into: &batch)
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    if case .index = range { try settle(table) }
    try view().scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }

  func count(of table: TableID) throws(BolideError) -> Int { try view().count(of: table) }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after last: Link?, limit: Int,
    into links: inout [Link]
  ) throws(BolideError) {
    try view().links(link, of: numbers, side: side, after: last, limit: limit, into: &links)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try view().linkCounts(link, of: numbers, side: side, into: &counts)
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try view().transactions(after: number, limit: limit, into: &records)
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try view().transaction(number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try view().runs(of: transaction, into: &runs)
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try view().tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }

  func historyStart() throws(BolideError) -> Mark { try view().historyStart() }
}
