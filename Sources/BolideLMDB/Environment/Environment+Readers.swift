import BolideStorage
import CLMDB

extension Environment {
  /// Begins a read transaction of the newest state.
  ///
  /// - Parameter parkable: whether a parked transaction will do; else it is a new one, which may be committed.
  /// - Throws: `store.limit` when all slots are taken, after those of dead processes were cleared.
  func beginRead(parkable: Bool = true) throws(BolideError) -> Reading {
    var hasCleared = false
    while true {
      let (place, parked) = readers.begin(parkable: parkable)
      var transaction = parked
      let code: Int32
      do throws(BolideError) {
        code = try withMap {
          transaction.map { mdb_txn_renew($0) }
            ?? mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
        }
      } catch {
        readers.end(place, parking: nil)
        throw error
      }
      if code == 0, let transaction { return Reading(transaction: transaction, place: place) }
      if let transaction { mdb_txn_abort(transaction) }
      readers.end(place, parking: nil)
      switch code {
      case MDB_MAP_RESIZED:
        try adoptMap()
      case MDB_READERS_FULL where !hasCleared:
        hasCleared = true
        readers.dropParked()
        try clearDeadReaders()
      default:
        throw LMDBFailure.error(code, "begin reading \(path)")
      }
    }
  }

  /// Moves a read transaction, which keeps its slot, to the newest state: nothing can be lacking for it.
  func renew(_ reading: Reading) throws(BolideError) {
    let code = try withMap {
      mdb_txn_reset(reading.transaction)
      return mdb_txn_renew(reading.transaction)
    }
    try check(code, "read what was committed to \(path)")
  }

  /// Ends a read transaction, keeping its slot for the next if there are not many such.
  func endRead(_ reading: Reading) {
    if isOfParentProcess { return }
    mdb_txn_reset(reading.transaction)
    if !readers.end(reading.place, parking: reading.transaction) { mdb_txn_abort(reading.transaction) }
  }

  /// Ends a read transaction that opened databases, and keeps their handles or not.
  func endRead(_ reading: Reading, keepingDatabases: Bool) throws(BolideError) {
    var code: Int32 = 0
    if keepingDatabases {
      code = mdb_txn_commit(reading.transaction)
    } else {
      mdb_txn_abort(reading.transaction)
    }
    readers.end(reading.place, parking: nil)
    try check(code, "keep the databases of \(path) open")
  }

  /// Clears dead readers after a commit that made the file grow.
  ///
  /// A process that was killed while it read keeps the pages it saw from being used again, and the file grows with every
  /// commit until somebody looks. Growth is the sign, so commits that reuse pages pay nothing.
  func lookAfterGrowth() {
    var info = MDB_envinfo()
    guard (try? withMap({ mdb_env_info(handle, &info) })) == MDB_SUCCESS, info.me_last_pgno > lastPage else {
      return
    }
    lastPage = info.me_last_pgno
    // The commit stands; whatever hinders this hinders the next reader or writer visibly.
    try? clearDeadReaders()
  }

  /// Clears the slots of readers whose processes are gone.
  func clearDeadReaders() throws(BolideError) {
    var dead: Int32 = 0
    let code = try withMap { mdb_reader_check(handle, &dead) }
    try check(code, "look for readers of dead processes")
  }
}
