import BolideStorage
import CSQLite
import Foundation

/// What SQLite's result codes mean to a user of Bolide (rule S-2).
enum SQLiteFailure {
  /// The error for a result code.
  ///
  /// - Parameters:
  ///   - code: an extended result code that is no success.
  ///   - handle: the connection that gave it, for its message and the system's error number.
  ///   - action: what was being done, to follow "while", such as `inserting rows of Fireball`.
  static func error(_ code: Int32, on handle: OpaquePointer?, path: String, while action: String)
    -> BolideError
  {
    var text = String(cString: sqlite3_errstr(code))
    var systemError: Int32 = 0
    if let handle {
      text = String(cString: sqlite3_errmsg(handle))
      systemError = sqlite3_system_errno(handle)
    }
    let (kind, reason) = meaning(of: code, systemError: systemError, path: path)
    if kind == .storeIO, systemError != 0 { text += ", errno \(systemError)" }
    return BolideError(
      kind, "\(reason) while \(action) in \(path)",
      underlying: BolideError.Underlying(domain: "sqlite", code: code, text: text))
  }

  private static func meaning(of code: Int32, systemError: Int32, path: String) -> (ErrorCode, String) {
    switch code & 0xFF {
    case SQLITE_FULL: return (.storeFull, "The disk became full")
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      return (.storeBusy, "Another connection held the store")
    case SQLITE_CORRUPT: return (.storeDamaged, "SQLite found damaged pages")
    case SQLITE_NOTADB: return (.storeForeign, "SQLite found no database")
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return code == readOnlyMoved
        ? (.storeIO, "The file was moved or deleted") : (.storeReadOnly, "The store cannot be written")
    case SQLITE_CANTOPEN:
      return isUnwritable(path)
        ? (.storeReadOnly, "SQLite needs to make files beside the store, even to read it, and could not")
        : (.storeIO, "The system could not open the store's files")
    case SQLITE_IOERR:
      return isFull(code, systemError: systemError, path: path)
        ? (.storeFull, "The disk became full") : (.storeIO, "The system could not read or write")
    case SQLITE_TOOBIG: return (.storeLimit, "A value is longer than SQLite can store")
    case SQLITE_SCHEMA: return (.storeSchemaChanged, "The tables changed")
    case SQLITE_MISUSE, SQLITE_RANGE, SQLITE_CONSTRAINT:
      return (.storeMisuse, "SQLite refused a call")
    case SQLITE_ERROR, SQLITE_MISMATCH: return (.storeDamaged, "The tables are not those of the layout")
    default: return (.storeIO, "SQLite failed")
    }
  }

  /// Whether a failed call found no room.
  ///
  /// At the size that a process may give its files the system says EFBIG, and SQLite's calls after it may have
  /// replaced the number by the time it can be asked for.
  private static func isFull(_ code: Int32, systemError: Int32, path: String) -> Bool {
    if [ENOSPC, EDQUOT, EFBIG].contains(systemError) { return true }
    return growing.contains(code) && ["", "-wal", "-shm"].contains { FileRoom.isUsedUp(path + $0) }
  }

  /// `SQLITE_IOERR_WRITE`, `…_TRUNCATE`, `…_SHMOPEN` and `…_SHMSIZE`, macros that are not imported: the calls that
  /// make a file grow.
  private static let growing: [Int32] = [3, 6, 18, 19].map { SQLITE_IOERR | ($0 << 8) }

  /// `SQLITE_READONLY_DBMOVED`, a macro that is not imported.
  private static let readOnlyMoved = SQLITE_READONLY | (4 << 8)

  private static func isUnwritable(_ path: String) -> Bool {
    access((path as NSString).deletingLastPathComponent, W_OK) != 0
  }
}

extension BolideError {
  /// A call that breaks the storage contract.
  static func misuse(_ message: String) -> BolideError { BolideError(.storeMisuse, message) }

  /// A use after the end.
  static func closed(_ what: String) -> BolideError {
    BolideError(.storeClosed, "The \(what) was used after it had ended")
  }

  /// Contents that no version of the store writes.
  static func damaged(_ message: String) -> BolideError { BolideError(.storeDamaged, message) }
}
