import BolideStorage
import CLMDB
import Foundation

extension LMDBStore {
  func copy(to location: Location) throws(BolideError) {
    try copy(to: location, setting: [:], isCompact: true, isSynced: true)
  }

  func move(to location: Location, until deadline: ContinuousClock.Instant) throws(BolideError) {
    let path = try use().environment.path
    try moveByCopy(to: location, in: beginWriting(until: deadline)) { transaction throws(BolideError) in
      try transaction.retire()
    } removeCopy: { () throws(BolideError) in
      try StoreFolder(location).remove(withFolder: true)
    }
    // Under another name first, so that whoever makes a store in this place finds it free at once.
    let left = path + ".moved-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard rename(path, left) == 0 else { throw LMDBFailure.system(errno, "move \(path) out of the way") }
    try StoreFolder(Location(path: left)).remove(withFolder: true)
  }

  /// A copy of the file as it is, which is quicker than one without its free pages. It is on disk for good
  /// with its first commit, or at once where each commit is to survive a power failure.
  func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    try copy(to: location, setting: metadata, isCompact: false, isSynced: options.durability == .power)
    // A fork is made to be written, also that of a store that is only read.
    var options = options
    options.isReadOnly = false
    return try Self.open(backend, location, layout: nil, options: options, isFresh: true)
  }

  /// Copies into a folder of another name, which then takes its place in one step.
  private func copy(
    to location: Location, setting metadata: [String: [UInt8]], isCompact: Bool, isSynced: Bool
  ) throws(BolideError) {
    // The lease keeps the environment open if another thread closes the store meanwhile.
    let lease = try use()
    defer { withExtendedLifetime(lease) {} }
    let environment = lease.environment
    let target = try StoreFolder(location)
    try Self.checkFree(target)
    let parent = URL(fileURLWithPath: target.path).deletingLastPathComponent().path
    let name = URL(fileURLWithPath: target.path).lastPathComponent
    let draft = "\(parent)/.\(name).copy-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard mkdir(draft, 0o700) == 0 else { throw LMDBFailure.system(errno, "make the folder \(draft)") }
    var isDone = false
    defer {
      if !isDone {
        for file in [StoreFolder.dataName, StoreFolder.lockName] { unlink(draft + "/" + file) }
        rmdir(draft)
      }
    }
    try Self.makeFile(draft + "/" + StoreFolder.dataName, isSynced: isSynced) {
      (file) throws(BolideError) in
      if isCompact { try environment.copyCompactly(to: file) } else { try environment.copy(to: file) }
    }
    try Environment.set(metadata, in: draft, isSynced: isSynced)
    try Self.makeFile(draft + "/" + StoreFolder.lockName, isSynced: isSynced) { (file) throws(BolideError) in
      let text = StoreFolder.madeText
      let count = text.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count != text.count { throw LMDBFailure.system(errno, "write \(draft)/\(StoreFolder.lockName)") }
    }
    // A folder moves onto nothing or an empty folder: whoever took the place meanwhile keeps it.
    guard rename(draft, target.path) == 0 else {
      throw Self.taken(target.path, errno)
    }
    isDone = true
    if isSynced { target.sync() }
  }

  private static func checkFree(_ folder: StoreFolder) throws(BolideError) {
    var status = stat()
    guard lstat(folder.path, &status) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty) ?? false
    if !isFolder || !isEmpty { throw taken(folder.path, EEXIST) }
  }

  private static func taken(_ path: String, _ code: Int32) -> BolideError {
    BolideError(
      .storeIO, "The copy cannot be put at \(path)", remedy: "choose a place where nothing is",
      underlying: .init(domain: "errno", code: code, text: String(cString: strerror(code))))
  }

  /// Makes a file for its owner only, fills it and waits until it is on disk if asked to.
  private static func makeFile(
    _ path: String, isSynced: Bool, _ fill: (Int32) throws(BolideError) -> Void
  ) throws(BolideError) {
    let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LMDBFailure.system(errno, "make the file \(path)") }
    defer { Foundation.close(descriptor) }
    try fill(descriptor)
    if isSynced, fsync(descriptor) != 0 { throw LMDBFailure.system(errno, "sync the file \(path)") }
  }
}

extension Environment {
  /// Writes the newest state without its free pages into a new file.
  fileprivate func copyCompactly(to file: Int32) throws(BolideError) {
    let code = try withMap { mdb_env_copyfd2(handle, file, UInt32(MDB_CP_COMPACT)) }
    try check(code, "copy \(path)")
  }

  /// Sets metadata of a store in a folder that nobody else knows.
  fileprivate static func set(
    _ metadata: [String: [UInt8]], in folder: String, isSynced: Bool
  ) throws(BolideError) {
    if metadata.isEmpty { return }
    var created: OpaquePointer?
    try check(mdb_env_create(&created), "make an environment")
    guard let environment = created else { throw LMDBFailure.damaged("LMDB made no environment") }
    defer { mdb_env_close(environment) }
    var status = stat()
    stat(folder + "/" + StoreFolder.dataName, &status)
    // Also the copy of a store whose map is full has room for these few pages.
    try check(mdb_env_set_mapsize(environment, Int(status.st_size) + (1 << 20)), "set the size of a map")
    try check(mdb_env_set_maxdbs(environment, 1), "set the number of databases")
    let flags = UInt32(MDB_NOLOCK | (isSynced ? 0 : MDB_NOSYNC))
    try check(mdb_env_open(environment, folder, flags, 0o600), "open \(folder)")
    var begun: OpaquePointer?
    try check(mdb_txn_begin(environment, nil, 0, &begun), "begin writing \(folder)")
    guard let transaction = begun else { throw LMDBFailure.damaged("LMDB began no transaction") }
    do throws(BolideError) {
      let database = try openDatabase(
        Catalogue.metadataName, integerKeys: Catalogue.hasIntegerKeys(Catalogue.metadataName),
        creating: false, in: transaction)
      let writer = RecordWriter(transaction: transaction, database: database)
      for (name, value) in metadata { try writer.set(name, value) }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check(mdb_txn_commit(transaction), "write metadata to \(folder)")
  }

  /// Writes the newest state into a new file.
  fileprivate func copy(to target: Int32) throws(BolideError) {
    let file = try PageFile(dataPath)
    for _ in 0..<8 {
      let reading = try beginRead()
      defer { endRead(reading) }
      if try file.copy(UInt64(mdb_txn_id(reading.transaction)), to: target) { return }
    }
    // Writers follow each other too fast to catch one of their states: LMDB finds it from inside.
    guard ftruncate(target, 0) == 0 else { throw LMDBFailure.system(errno, "copy \(path)") }
    lseek(target, 0, SEEK_SET)
    try copyCompactly(to: target)
  }
}
