import BolideStorage
import CSQLite
import Foundation

/// The file of a store, looked at without opening it.
///
/// POSIX drops all locks that a process holds on a file as soon as it closes any descriptor of it. So a
/// file that SQLite may have open is only ever looked at by name here, and read by SQLite alone.
enum StoreFile {
  /// `Boli`, in the file's header: how a store is told from other SQLite databases.
  static let applicationID: Int32 = 0x426F_6C69
  /// `Bolm`, in the header of a file that is left behind by a move.
  static let movedID: Int32 = 0x426F_6C6D
  /// The version of the on-disk layout, in the header's user version.
  static let format: Int32 = 1

  /// What is at a path.
  enum Finding {
    case nothing
    case file(path: String, stat)
    case other(String)
  }

  static func find(_ path: String) -> Finding {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    if status.st_mode & S_IFMT == S_IFDIR { return .other("is a folder") }
    if status.st_mode & S_IFMT != S_IFREG { return .other("is no regular file") }
    if status.st_size == 0 { return .other("is an empty file") }
    guard let resolved = realpath(path, nil) else { return .nothing }
    defer { free(resolved) }
    return .file(path: String(cString: resolved), status)
  }

  static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A path in the same folder that is free, and the wanted path in full.
  ///
  /// - Throws: `store.missing` where the folder is not there.
  static func place(for path: String) throws(BolideError) -> (path: String, temporary: String) {
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    guard let resolved = realpath(folder, nil) else {
      throw BolideError(
        .storeMissing, "The folder of \(path) does not exist",
        underlying: BolideError.Underlying(
          domain: "errno", code: errno, text: String(cString: strerror(errno))))
    }
    defer { free(resolved) }
    let base = String(cString: resolved)
    let parent = base == "/" ? "" : base
    return (
      "\(parent)/\(url.lastPathComponent)",
      "\(parent)/.\(url.lastPathComponent).\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    )
  }

  /// Makes an empty file that only its owner can use; SQLite gives `-wal` and `-shm` the same rights.
  static func createEmpty(_ path: String) throws(BolideError) {
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("create", path) }
    close(descriptor)
  }

  /// Refuses a place without a file beside which the log or journal of another one stands: SQLite would apply it to the
  /// next file there.
  static func checkNoLog(beside path: String) throws(BolideError) {
    guard case .nothing = find(path) else { return }
    for name in ["\(path)-wal", "\(path)-journal"] where size(name) > 0 {
      throw BolideError(
        .storeForeignLog, "Beside \(path) there is the log of a store that is gone, \(name)",
        remedy: "put the store back to which it belongs, or move the log away")
    }
  }

  /// Refuses a file with a journal, which SQLite would play back into it: a store keeps a log and has none.
  static func checkNoJournal(beside path: String) throws(BolideError) {
    let name = "\(path)-journal"
    guard size(name) > 0, let file = FileHandle(forReadingAtPath: name) else { return }
    defer { try? file.close() }
    // A journal that was ended begins with zeros.
    guard let first = try? file.read(upToCount: 1)?.first, first != 0 else { return }
    throw BolideError(
      .storeForeignLog, "Beside \(path) there is the journal of another database, \(name)",
      remedy: "put the database back to which it belongs, or move the journal away")
  }

  /// Gives a finished file its name; false when that is taken.
  ///
  /// A hard link, unlike a rename, never replaces what another process made in the meantime.
  static func publish(_ temporary: String, as path: String) throws(BolideError) -> Bool {
    defer { discard(temporary) }
    if link(temporary, path) == 0 {
      syncFolder(of: path)
      return true
    }
    if errno == EEXIST { return false }
    throw failure("name", path)
  }

  /// Removes the files of a store that is elsewhere now.
  ///
  /// The log goes first: beside no file it would stand where the next store is made.
  static func remove(_ path: String) {
    for suffix in ["-wal", "-shm", ""] { unlink(path + suffix) }
    syncFolder(of: path)
  }

  static func discard(_ temporary: String) {
    for suffix in ["", "-journal", "-wal", "-shm"] { unlink(temporary + suffix) }
  }

  /// Moves the file's time of change: what other processes watch for.
  static func touch(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

  private static func syncFolder(of path: String) {
    let descriptor = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func failure(_ action: String, _ path: String) -> BolideError {
    let code = errno
    let underlying = BolideError.Underlying(
      domain: "errno", code: code, text: String(cString: strerror(code)))
    switch code {
    case EACCES, EPERM, EROFS:
      return BolideError(.storeReadOnly, "Could not \(action) \(path)", underlying: underlying)
    case ENOSPC, EDQUOT:
      return BolideError(.storeFull, "Could not \(action) \(path)", underlying: underlying)
    default: return BolideError(.storeIO, "Could not \(action) \(path)", underlying: underlying)
    }
  }
}
