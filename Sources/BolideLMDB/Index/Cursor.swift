import BolideStorage
import CLMDB

/// A cursor of LMDB that is closed when it goes out of scope: within the call that opened it.
struct Cursor: ~Copyable {
  let handle: OpaquePointer

  init(_ transaction: OpaquePointer, _ database: MDB_dbi) throws(BolideError) {
    var opened: OpaquePointer?
    try check(mdb_cursor_open(transaction, database, &opened), "open a cursor")
    guard let opened else { throw LMDBFailure.damaged("LMDB opened no cursor") }
    handle = opened
  }

  deinit { mdb_cursor_close(handle) }

  /// Moves the cursor.
  ///
  /// - Returns: false when there is no such entry.
  @inline(__always)
  func move(
    _ operation: MDB_cursor_op, _ key: inout MDB_val, _ data: inout MDB_val
  ) throws(BolideError) -> Bool {
    let code = mdb_cursor_get(handle, &key, &data, operation)
    if code == 0 { return true }
    if code == MDB_NOTFOUND { return false }
    throw LMDBFailure.error(code, "read an entry")
  }

  /// Moves to the entry of an integer key.
  @inline(__always)
  func find(_ number: Number, _ data: inout MDB_val) throws(BolideError) -> Bool {
    try withUnsafeBytes(of: number) { (bytes) throws(BolideError) in
      var key = MDB_val(bytes)
      return try move(MDB_SET, &key, &data)
    }
  }
}
