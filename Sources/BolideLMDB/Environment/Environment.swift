import BolideStorage
import CLMDB
import Foundation

/// One LMDB environment: the file, its map, its readers and its writer, for all opens in this process.
final class Environment: @unchecked Sendable {
  /// Reader slots of the lock file: how many snapshots all processes together may hold.
  static let readerSlots = 1024

  /// The absolute path of the folder.
  let path: String
  /// Whether the file could be opened for reading only.
  let isReadOnly: Bool
  let mapLock = MapLock()
  let queue = WriterQueue()
  let readers = ReaderPool()
  let signals = CommitSignals()
  /// The lock between processes; opened by the first writer, under the queue.
  private var fileLock: FileLock?
  private let forks = ForkCount.current
  /// The last page of the file after a commit here; under the queue.
  var lastPage = 0

  /// The environment proper; changes only under the exclusive map lock (``reopen(databases:)``).
  private(set) var handle: OpaquePointer
  private(set) var databaseLimit: Int
  /// Whether there is a map; changes only under the exclusive map lock.
  private var isMapped = true

  /// Guards everything below.
  private let lock = NSLock()
  private var databases: [String: MDB_dbi] = [:]

  init(_ folder: StoreFolder, mapBytes: Int?, isReadOnly: Bool, databases: Int) throws(BolideError) {
    path = folder.path
    self.isReadOnly = isReadOnly
    databaseLimit = databases
    handle = try Self.openHandle(
      path, mapBytes: mapBytes ?? MapSize.largest(), isReadOnly: isReadOnly, databases: databases)
    var dead: Int32 = 0
    mdb_reader_check(handle, &dead)
  }

  private static func openHandle(
    _ path: String, mapBytes: Int, isReadOnly: Bool, databases: Int
  ) throws(BolideError) -> OpaquePointer {
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "make an environment")
    guard let handle = created else { throw LMDBFailure.damaged("LMDB made no environment") }
    var code = mdb_env_set_maxreaders(handle, UInt32(readerSlots))
    if code == 0 { code = mdb_env_set_maxdbs(handle, MDB_dbi(databases)) }
    if code == 0 { code = mdb_env_set_mapsize(handle, max(mapBytes, 64 << 10)) }
    if code == 0 {
      let flags = MDB_NOTLS | (isReadOnly ? MDB_RDONLY : 0)
      code = mdb_env_open(handle, path, UInt32(flags), 0o600)
    }
    if code != 0 {
      mdb_env_close(handle)
      throw LMDBFailure.error(code, "open \(path)")
    }
    return handle
  }

  /// Ends the environment; the last lease is gone, so no transaction is open.
  func close() {
    readers.dropParked()
    mapLock.lockExclusively()
    if isMapped { mdb_env_close(handle) }
    isMapped = false
    mapLock.unlock()
  }

  /// Looks at the map, which stays in its place meanwhile.
  @inline(__always)
  func withMap<Result>(
    _ body: () throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    mapLock.lockShared()
    defer { mapLock.unlock() }
    guard isMapped else { throw LMDBFailure.closed("environment of \(path)") }
    return try body()
  }

  /// The number that LMDB gave to the newest commit of all processes; `nil` when the environment is closed.
  var newestCommit: Int? {
    mapLock.lockShared()
    defer { mapLock.unlock() }
    if !isMapped { return nil }
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    return info.me_last_txnid
  }

  /// The path of the data file.
  var dataPath: String { path + "/" + StoreFolder.dataName }

  /// Whether this process is a child of the one that opened the environment.
  var isOfParentProcess: Bool { forks != ForkCount.current }

  /// Throws in a forked child.
  func checkProcess() throws(BolideError) {
    if isOfParentProcess {
      throw BolideError(.storeForked, "The store at \(path) was opened before this process was forked")
    }
  }
}

// MARK: - Named databases

extension Environment {
  /// The handle of a named database, if it was opened before.
  func database(_ name: String) -> MDB_dbi? {
    lock.lock()
    defer { lock.unlock() }
    return databases[name]
  }

  /// Remembers handles; called after the transaction that opened them was committed.
  func remember(_ opened: [String: MDB_dbi]) {
    lock.lock()
    databases.merge(opened) { _, new in new }
    lock.unlock()
  }

  /// Opens a named database inside a transaction, creating it where asked.
  static func openDatabase(
    _ name: String, integerKeys: Bool, creating: Bool, in transaction: OpaquePointer
  ) throws(BolideError) -> MDB_dbi {
    var database: MDB_dbi = 0
    let flags = (integerKeys ? MDB_INTEGERKEY : 0) | (creating ? MDB_CREATE : 0)
    let code = mdb_dbi_open(transaction, name, UInt32(flags), &database)
    if code == MDB_NOTFOUND { throw LMDBFailure.damaged("The database \(name) is missing") }
    try check(code, "open the database \(name)")
    return database
  }

  /// Opens the environment again with room for more named databases.
  ///
  /// The caller holds the writer queue and the file lock, and has no transaction open.
  func reopen(databases limit: Int) throws(BolideError) {
    mapLock.lockExclusively()
    defer { mapLock.unlock() }
    if readers.isInUse {
      throw BolideError(
        .storeLimit,
        "The new layout needs \(limit) databases, and the store can be opened for so many only anew",
        remedy: "close all snapshots of the store in this process and change the layout again")
    }
    readers.dropParked()
    var info = MDB_envinfo()
    mdb_env_info(handle, &info)
    mdb_env_close(handle)
    isMapped = false
    handle = try Self.openHandle(path, mapBytes: info.me_mapsize, isReadOnly: false, databases: limit)
    isMapped = true
    databaseLimit = limit
    try openDatabasesAgain()
  }

  /// Opens the databases that were open before under the handles they had, which all opens of the store know.
  private func openDatabasesAgain() throws(BolideError) {
    lock.lock()
    let known = databases.sorted { $0.value < $1.value }
    lock.unlock()
    var begun: OpaquePointer?
    try check(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &begun), "begin reading \(path)")
    guard let transaction = begun else { throw LMDBFailure.damaged("LMDB began no transaction") }
    do throws(BolideError) {
      // LMDB gives handles in order, so they come out the same; if they did not, nothing could be read.
      for (name, database) in known {
        let opened = try Self.openDatabase(
          name, integerKeys: Catalogue.hasIntegerKeys(name), creating: false, in: transaction)
        if opened != database { throw LMDBFailure.misuse("The database \(name) got another handle") }
      }
    } catch {
      mdb_txn_abort(transaction)
      isMapped = false
      mdb_env_close(handle)
      throw error
    }
    try check(mdb_txn_commit(transaction), "keep the databases of \(path) open")
  }
}

// MARK: - The map

extension Environment {
  /// Takes over the map size that another process gave the file.
  func adoptMap() throws(BolideError) {
    mapLock.lockExclusively()
    let code = mdb_env_set_mapsize(handle, 0)
    if code != 0, code != EINVAL { isMapped = false }
    mapLock.unlock()
    // EINVAL: a writer of this process has begun meanwhile, and has adopted the size before that.
    if code != EINVAL { try check(code, "adopt the new map size of \(path)") }
  }

  /// Enlarges the map, after a transaction did not fit and was undone. The caller holds the writer queue.
  func growMap() throws(BolideError) {
    var info = MDB_envinfo()
    mapLock.lockExclusively()
    defer { mapLock.unlock() }
    mdb_env_info(handle, &info)
    let size = info.me_mapsize
    let (larger, overflow) = size.multipliedReportingOverflow(by: 4)
    guard !overflow, MapSize.isAvailable(larger) else {
      throw BolideError(
        .storeLimit, "The store needs a memory map larger than \(size) bytes, which the system refuses",
        remedy: "allow the process more address space")
    }
    let code = mdb_env_set_mapsize(handle, larger)
    // The old map is gone: without a new one nothing can be read until the store is opened again.
    if code != 0, code != EINVAL { isMapped = false }
    try check(code, "enlarge the map of \(path)")
  }
}

// MARK: - Writing

extension Environment {
  /// Waits for other writers, of this process first, then of others.
  func enterWriting(until deadline: ContinuousClock.Instant) throws(BolideError) {
    if isReadOnly { throw BolideError(.storeReadOnly, "The store at \(path) cannot be written") }
    var isIn = queue.enter(until: deadline)
    if isIn {
      do throws(BolideError) {
        isIn = try openFileLock().lock(until: deadline)
      } catch {
        queue.leave()
        throw error
      }
      if !isIn { queue.leave() }
    }
    if !isIn {
      throw BolideError(.storeBusy, "Another writer held the store at \(path) until the deadline")
    }
  }

  private func openFileLock() throws(BolideError) -> FileLock {
    if let fileLock { return fileLock }
    let opened = try FileLock(folder: path)
    fileLock = opened
    return opened
  }

  /// Lets the next writer in.
  func leaveWriting() {
    if let newestCommit { signals.endWriting(newest: newestCommit) }
    fileLock?.unlock()
    queue.leave()
  }

  /// Begins the write transaction, between ``enterWriting(until:)`` and ``leaveWriting()``.
  func beginWrite(_ durability: OpenOptions.Durability) throws(BolideError) -> OpaquePointer {
    while true {
      var transaction: OpaquePointer?
      let code = try withMap {
        mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), durability == .process ? 1 : 0)
        return mdb_txn_begin(handle, nil, 0, &transaction)
      }
      if code == 0, let transaction { return transaction }
      guard code == MDB_MAP_RESIZED else { throw LMDBFailure.error(code, "begin writing \(path)") }
      try adoptMap()
    }
  }
}
