import BolideStorage
import CSQLite
import Foundation

/// One handle of the SQLite library, with its prepared statements.
///
/// It is opened without SQLite's own mutex, and is `Sendable` because only one thread uses it at a time:
/// the pool hands it to a snapshot, which has a lock inside, or to the transaction whose turn it is to
/// write, and takes it back afterwards.
final class Connection: @unchecked Sendable {
  let handle: OpaquePointer
  let path: String
  /// Memory in which rows are put together.
  let scratch = RowScratch()
  /// When waiting for locks of other processes ends with `store.busy`.
  var deadline: ContinuousClock.Instant
  /// The frames in the log after the last commit of this connection.
  private(set) var logFrames: Int32 = 0
  /// The schema that the prepared statements were made for.
  private var schema: StoredSchema?
  /// SQLite's own counter of changes of tables when the layout's epoch was last found to be the schema's.
  private var checkedCookie: Int64?
  /// The statement that is left in the middle of reading, to hold a state.
  private var holding: Statement?
  private var prepared: [StatementKey: Prepared] = [:]
  /// The kept statement that was last asked for: the same is often asked for again.
  private var lastKept: (key: StatementKey, entry: Prepared)?
  /// The kept statements that begin and end every snapshot.
  private var versionSelect: Statement?
  private var rollback: Statement?
  private let forkCount = ForkCount.current
  /// Keeps what is shared with other connections to the file; `nil` for a file that is no store yet.
  private let use: FileUse?
  /// What the function of a plan threw, until the statement that called it fails.
  private var functionFailure: BolideError?

  /// A statement, and how its result columns become a row.
  struct Prepared {
    var statement: Statement
    var decoder: RowDecoder?
    var binder: RowBinder?
  }

  /// How many statements are kept before those with other columns or bounds make room.
  private static let statementLimit = 512

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: the file as messages name it.
  ///   - name: the file as SQLite opens it, where that differs.
  ///   - flags: `SQLITE_OPEN_…` besides NOMUTEX.
  ///   - use: the use of the file, where the connection is a store's.
  init(
    _ path: String, name: String? = nil, flags: Int32, use: FileUse? = nil, deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(name ?? path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let extended = handle.map { sqlite3_extended_errcode($0) } ?? code
      let error = SQLiteFailure.error(extended, on: handle, path: path, while: "opening it")
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    self.use = use
    self.deadline = deadline
    sqlite3_extended_result_codes(handle, 1)
    let context = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().wait(attempt: attempt)
      }, context)
    sqlite3_wal_hook(
      handle,
      { context, _, _, frames in
        guard let context else { return SQLITE_OK }
        Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().logFrames = frames
        return SQLITE_OK
      }, context)
    let registered = PlanFunction.register(on: handle, context: context)
    if registered != SQLITE_OK { throw error(registered, while: "opening it") }
  }

  deinit {
    // After fork(2) the handle is the parent's: closing it here could take files away from under it.
    guard !isForked else { return }
    for entry in prepared.values { sqlite3_finalize(entry.statement.handle) }
    sqlite3_close_v2(handle)
  }

  /// Whether this process is a copy, made by fork(2), of the one that opened the connection.
  var isForked: Bool { ForkCount.current != forkCount }

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// SQLite's busy handler: sleeps a little until the deadline, then gives up.
  private func wait(attempt: Int32) -> Int32 {
    let remaining = ContinuousClock.now.duration(to: deadline)
    guard remaining > .zero else { return 0 }
    let pause = min(Duration.microseconds(100 << min(attempt, 5)), remaining)
    usleep(UInt32(clamping: pause.components.attoseconds / 1_000_000_000_000) + 1)
    return 1
  }

  // MARK: Running SQL

  func error(_ code: Int32, while action: @autoclosure () -> String) -> BolideError {
    let extended = sqlite3_extended_errcode(handle)
    return SQLiteFailure.error(
      extended & 0xFF == code & 0xFF ? extended : code, on: handle, path: path, while: action())
  }

  /// Remembers why a function of a plan failed, for the statement that called it.
  func note(failure: BolideError) { functionFailure = failure }

  /// Runs statements that give no rows.
  func execute(_ sql: String, while action: @autoclosure () -> String) throws(BolideError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, while: action()) }
  }

  /// Prepares a statement that the caller finalizes.
  func prepare(
    _ sql: String, isKept: Bool = false, while action: @autoclosure () -> String
  ) throws(BolideError) -> Statement {
    var statement: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code, while: action()) }
    return Statement(handle: statement)
  }

  /// Steps a statement; true when it has a row.
  @inline(__always)
  func step(_ statement: Statement, while action: @autoclosure () -> String) throws(BolideError) -> Bool {
    let code = sqlite3_step(statement.handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let failure = functionFailure ?? error(code, while: action())
    functionFailure = nil
    statement.reset()
    throw failure
  }

  /// Fails unless binding succeeded.
  @inline(__always)
  func check(_ code: Int32, while action: @autoclosure () -> String) throws(BolideError) {
    if code != SQLITE_OK { throw error(code, while: action()) }
  }

  /// The first column of the first row of a statement, such as a pragma; `nil` for none.
  func value(_ sql: String, while action: @autoclosure () -> String) throws(BolideError) -> Int64? {
    let statement = try prepare(sql, while: action())
    defer { sqlite3_finalize(statement.handle) }
    return try step(statement, while: action()) ? statement.int(0) : nil
  }

  // MARK: Kept statements

  /// Forgets statements that were made for another schema.
  func adopt(_ schema: StoredSchema) {
    guard self.schema !== schema else { return }
    forgetStatements()
    self.schema = schema
    checkedCookie = nil
  }

  /// Takes the newest committed state, or in a write transaction its own, and tells whether it has the
  /// layout that the connection's statements were made for.
  ///
  /// A statement in the middle of reading holds the state, also over a commit of the same connection: it
  /// is then exactly what was committed, while between a commit and a new read another process could
  /// write. ``endTransaction()`` lets go of it.
  ///
  /// Every change of the layout changes tables, and so SQLite's counter of such changes, which is cheaper
  /// to read than the epoch.
  func holdState() throws(BolideError) -> Bool {
    let select: Statement
    if let versionSelect { select = versionSelect } else { select = try kept("PRAGMA schema_version") }
    versionSelect = select
    guard try step(select, while: "reading the layout's epoch") else { return false }
    holding = select
    let cookie = select.int(0)
    if cookie == checkedCookie { return true }
    guard try StoredSchema.epoch(on: self) == schema?.layout.epoch else { return false }
    checkedCookie = cookie
    return true
  }

  /// Lets go of the state that ``holdState()`` took.
  func releaseState() {
    holding?.reset()
    holding = nil
  }

  /// Ends whatever transaction is open; what it wrote is undone.
  func endTransaction() {
    releaseState()
    guard isInTransaction else { return }
    if rollback == nil { rollback = try? kept("ROLLBACK") }
    guard let rollback else { return }
    _ = try? step(rollback, while: "ending a transaction")
    rollback.reset()
  }

  func forgetStatements() {
    for entry in prepared.values { sqlite3_finalize(entry.statement.handle) }
    prepared.removeAll(keepingCapacity: true)
    lastKept = nil
    versionSelect = nil
    rollback = nil
  }

  /// Forgets statements that differ from a wanted one in columns or bounds alone: of those, unlike of
  /// others, no call uses two at a time.
  private func forgetStatements(like key: StatementKey) {
    lastKept = nil
    for (other, entry) in prepared where other.isVariant(of: key) {
      sqlite3_finalize(entry.statement.handle)
      prepared[other] = nil
    }
  }

  /// The kept statement of a key, prepared when it is wanted for the first time.
  func kept(
    _ key: StatementKey, make: () throws(BolideError) -> (String, RowDecoder?, RowBinder?)
  ) throws(BolideError) -> Prepared {
    if let lastKept, lastKept.key == key { return lastKept.entry }
    if let found = prepared[key] {
      lastKept = (key, found)
      return found
    }
    if prepared.count >= Self.statementLimit { forgetStatements(like: key) }
    let (sql, decoder, binder) = try make()
    let statement = try prepare(sql, isKept: true, while: "preparing a statement")
    let entry = Prepared(statement: statement, decoder: decoder, binder: binder)
    prepared[key] = entry
    return entry
  }

  /// The kept statement of a fixed text.
  func kept(_ sql: StaticString) throws(BolideError) -> Statement {
    // The address of a literal says which it is; hashing its text would cost more than some statements do.
    try kept(.literal(UInt(bitPattern: sql.utf8Start))) { () throws(BolideError) in ("\(sql)", nil, nil) }
      .statement
  }

  /// The kept statement of a text that names tables of the layout.
  func kept(sql: String) throws(BolideError) -> Statement {
    try kept(.text(sql)) { () throws(BolideError) in (sql, nil, nil) }.statement
  }
}

/// What a kept statement does.
enum StatementKey: Hashable {
  case insert(TableID)
  case update(TableID, ColumnSet)
  case delete(TableID)
  case deleteSeveral(TableID)
  case rows(TableID, ColumnSet)
  case find(TableID, IndexID, ColumnSet)
  case holder(TableID, IndexID)
  case scan(ScanShape)
  case tombstones(TableID)
  case bury(TableID)
  /// The text of a plan, and what its answers are decoded as: equal texts may give rows of a table or values of their own,
  /// and a fold's type is not in its text.
  case plan(String, [ValueType] = [], from: Int32 = 1)
  case literal(UInt)
  case text(String)

  /// Whether both do the same to whatever tables, columns and bounds.
  func isVariant(of other: StatementKey) -> Bool {
    switch (self, other) {
    case (.update, .update), (.rows, .rows), (.find, .find), (.scan, .scan), (.plan, .plan): true
    default: false
    }
  }
}
