import BolideStorage
import CLMDB
import Foundation

/// Errors of ours for the codes of LMDB and of the system (rules S-2, E-1).
enum LMDBFailure {
  /// The error for a code that a call of LMDB returned.
  ///
  /// - Parameter action: what could not be done, as in "LMDB could not … ".
  static func error(_ code: Int32, _ action: String) -> BolideError {
    let underlying = BolideError.Underlying(
      domain: code < 0 ? "lmdb" : "errno", code: code, text: String(cString: mdb_strerror(code)))
    var remedy: String?
    if code == MDB_PANIC { remedy = "close all opens of the store in this process and open it again" }
    return BolideError(
      self.code(of: code), "LMDB could not \(action)", remedy: remedy, underlying: underlying)
  }

  /// The error for a code that a system call left in `errno`.
  static func system(_ code: Int32, _ action: String) -> BolideError {
    BolideError(
      self.code(of: code), "The system could not \(action)",
      underlying: .init(domain: "errno", code: code, text: String(cString: strerror(code))))
  }

  private static func code(of code: Int32) -> ErrorCode {
    switch code {
    case ENOSPC, EDQUOT, EFBIG: .storeFull
    case EACCES, EPERM, EROFS: .storeReadOnly
    case ENOMEM, EMFILE, ENFILE: .storeLimit
    case MDB_MAP_FULL: .storeMapFull
    case MDB_READERS_FULL, MDB_TXN_FULL, MDB_DBS_FULL, MDB_BAD_VALSIZE: .storeLimit
    case MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_CURSOR_FULL, MDB_PAGE_FULL, MDB_INCOMPATIBLE, MDB_BAD_DBI,
      MDB_INVALID:
      .storeDamaged
    case MDB_VERSION_MISMATCH: .storeNewer
    case MDB_BAD_TXN, MDB_BAD_RSLOT: .storeMisuse
    default: .storeIO
    }
  }

  /// The error of a write, as a full disk where it is one.
  ///
  /// LMDB says EIO when the system wrote less than it was given, which is how a full disk first shows.
  static func ofWriting(_ error: BolideError, to path: String) -> BolideError {
    guard error.code == .storeIO, error.underlying?.code == EIO, FileRoom.isUsedUp(path) else { return error }
    return BolideError(.storeFull, error.message, underlying: error.underlying)
  }

  /// The store contradicts itself.
  static func damaged(_ what: String) -> BolideError { BolideError(.storeDamaged, what) }

  /// The layer above did not keep the contract.
  static func misuse(_ what: String) -> BolideError { BolideError(.storeMisuse, what) }

  /// Something was used after its end.
  static func closed(_ what: String) -> BolideError { BolideError(.storeClosed, "The \(what) was closed") }
}

/// Throws unless an LMDB call succeeded.
@inline(__always)
func check(_ code: Int32, _ action: @autoclosure () -> String) throws(BolideError) {
  if code != 0 { throw LMDBFailure.error(code, action()) }
}
