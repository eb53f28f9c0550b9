import BolideStorage
import CSQLite
import Foundation

/// The steps of opening a file that exists: is it ours, can this version read it, may it be written.
struct SQLiteOpening {
  private let path: String
  private let use: FileUse
  private let options: OpenOptions
  private let deadline: ContinuousClock.Instant

  init(
    _ path: String, status: stat, options: OpenOptions, deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    use = try FileUse.of(FileIdentity(status), path: path)
    self.path = use.file.path
    self.options = options
    self.deadline = deadline
  }

  func open() throws(BolideError) -> SQLiteStore {
    // A file that this process has open as a store needs no second look.
    try use.file.prove(checkUntouched)
    let connection = try Self.connect(path, options: options, use: use, deadline: deadline)
    try Self.checkHeader(connection)
    if !options.isReadOnly {
      // The usual way a file says that it cannot be written: SQLite opens it for reading and keeps quiet.
      if sqlite3_db_readonly(connection.handle, "main") != 0 {
        throw BolideError(.storeReadOnly, "The file \(path) cannot be written")
      }
      try Self.keepLog(connection)
    }
    let schema = try StoredSchema.read(from: connection)
    return SQLiteStore(
      path: path, options: options, use: use, schema: schema, connection: connection,
      isMarked: try LogMark.exists(on: connection))
  }

  /// Looks at the header in a way that writes nothing and leaves no file beside a database of others.
  private func checkUntouched() throws(BolideError) {
    try StoreFile.checkNoJournal(beside: path)
    // The file is read as it is, without its log, so what a checkpoint was in the middle of may look
    // damaged; with a log beside it only the real opening can tell.
    let hasLog = StoreFile.size(path + "-wal") > 0
    do throws(BolideError) {
      let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
      let name = "file:\(path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path)?immutable=1"
      let connection = try Connection(
        path, name: name, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, deadline: deadline)
      try Self.checkHeader(connection)
      if hasLog { try checkLog(reading: connection, as: name) }
    } catch {
      if error.code == .storeDamaged, hasLog { return }
      throw error
    }
  }

  /// Refuses a log whose commits do not go on from the state of the file (see ``LogMark``).
  ///
  /// Another process may write meanwhile, and the file is looked at without its locks. So both are looked at until the
  /// file's mark and the log's salt stand still from before to after: then what was seen held at one time.
  private func checkLog(reading connection: Connection, as name: String) throws(BolideError) {
    guard let page = try LogMark.page(on: connection) else { return }
    var mark = try LogMark.current(on: connection)
    while ContinuousClock.now < deadline {
      let log = LogFile(path + "-wal", markPage: page)
      guard let log, log.hasCommits, let seen = mark, !log.marks.contains(seen) else { return }
      let again = try Connection(
        path, name: name, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, deadline: deadline)
      mark = try LogMark.current(on: again)
      if mark == seen, LogFile(path + "-wal", markPage: page)?.salt == log.salt {
        throw BolideError(
          .storeForeignLog,
          "The log \(path)-wal does not go on from the state of \(path): it is that of another file, or of an earlier "
            + "or later state of this one",
          remedy:
            "put back the log or the file that it belongs to, or move the log away; if another program wrote to "
            + "the store, have SQLite apply its log: sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'")
      }
    }
    throw BolideError(.storeBusy, "The log of \(path) changed as often as it was looked at")
  }

  /// Checks that the database is a store, of this format.
  private static func checkHeader(_ connection: Connection) throws(BolideError) {
    let path = connection.path
    let id = try connection.value("PRAGMA application_id", while: "opening it")
    if id == Int64(StoreFile.movedID) {
      throw BolideError(.storeMissing, "The store at \(path) was moved away; what is left can be removed")
    }
    guard id == Int64(StoreFile.applicationID) else {
      throw BolideError(.storeForeign, "\(path) is a SQLite database, but not a Bolide store")
    }
    guard let format = try connection.value("PRAGMA user_version", while: "opening it"),
      format > 0
    else { throw .damaged("The format of \(path) cannot be read") }
    if format > Int64(StoreFile.format) {
      throw BolideError(
        .storeNewer, "\(path) has the format \(format); this version knows \(StoreFile.format)")
    }
  }

  /// Makes sure that the file keeps a log, whatever someone did to it with other tools.
  private static func keepLog(_ connection: Connection) throws(BolideError) {
    let statement = try connection.prepare("PRAGMA journal_mode = WAL", while: "opening it")
    defer { sqlite3_finalize(statement.handle) }
    guard try connection.step(statement, while: "opening it"), statement.text(0) == "wal" else {
      throw BolideError(
        .storeIO, "The file system of \(connection.path) does not let SQLite keep a log",
        remedy: "move the store to a local file system")
    }
  }

  /// A connection with the settings that all of a store have.
  static func connect(
    _ path: String, options: OpenOptions, use: FileUse?, deadline: ContinuousClock.Instant
  ) throws(BolideError) -> Connection {
    // For reading, too, the file is opened for writing where it can be: only then does SQLite remove the
    // log's files with the last connection.
    let connection = try Connection(path, flags: SQLITE_OPEN_READWRITE, use: use, deadline: deadline)
    let synchronous = options.durability == .power ? "FULL" : "NORMAL"
    // What is deleted may stay in free pages until they are used again: secure_delete would write every
    // freed page. There is no `wal_autocheckpoint` here: it would replace the connection's hook, which
    // itself has replaced SQLite's checkpoints by the store's own, after the commit was announced.
    try connection.execute(
      """
      PRAGMA synchronous = \(synchronous);
      PRAGMA cache_size = -\(max(1, options.cacheBytes / 1024));
      PRAGMA journal_size_limit = 4194304;
      PRAGMA secure_delete = OFF;
      PRAGMA temp_store = MEMORY;
      PRAGMA foreign_keys = OFF;
      PRAGMA trusted_schema = OFF;
      PRAGMA query_only = \(options.isReadOnly ? "ON" : "OFF");
      """, while: "opening it")
    return connection
  }

  /// Makes a store under another name and gives it its own when it is whole.
  ///
  /// Where another process was faster, its store is the one.
  static func create(
    _ path: String, layout: Layout, options: OpenOptions, deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    let schema = try StoredSchema(layout, names: SQLNames().adapted(to: layout))
    let place = try StoreFile.place(for: path)
    try StoreFile.checkNoLog(beside: place.path)
    try StoreFile.createEmpty(place.temporary)
    do throws(BolideError) {
      try fill(place.temporary, for: place.path, schema: schema, deadline: deadline)
    } catch {
      StoreFile.discard(place.temporary)
      throw error
    }
    _ = try StoreFile.publish(place.temporary, as: place.path)
  }

  private static func fill(
    _ temporary: String, for path: String, schema: StoredSchema, deadline: ContinuousClock.Instant
  ) throws(BolideError) {
    let connection = try Connection(
      path, name: temporary, flags: SQLITE_OPEN_READWRITE, deadline: deadline)
    try connection.execute(
      """
      PRAGMA application_id = \(StoreFile.applicationID);
      PRAGMA user_version = \(StoreFile.format);
      BEGIN
      """, while: "creating the store")
    for sql in TableSQL.create(schema) { try connection.execute(sql, while: "creating the store") }
    try LogMark.begin(on: connection)
    try schema.write(to: connection)
    try connection.execute("COMMIT", while: "creating the store")
    try keepLog(connection)
  }
}
