import BolideStorage
import CLMDB

/// Entries of one index that is not unique, kept back until there are many or somebody looks.
///
/// Rows come in the order of their input, so the places of their entries are all over the tree. Sorted,
/// neighbours go to one page after the other, and into an empty index they are appended.
struct PendingKeys {
  private let index: StoredIndex
  private var keys = KeyList()

  init(_ index: StoredIndex) { self.index = index }

  /// Keeps a row's entry; one with a long key is written at once.
  mutating func add(_ row: RowView, _ number: Number, _ writer: KeyWriter) throws(BolideError) {
    if let long = keys.append(row, number, of: index) {
      try writer.add(long.key, number, in: index.database)
    } else if keys.isLong {
      try write(writer.transaction)
    }
  }

  /// Writes all entries that were kept.
  mutating func write(_ transaction: OpaquePointer) throws(BolideError) {
    if keys.isEmpty { return }
    let cursor = try Cursor(transaction, index.database)
    var flags: UInt32?
    try keys.takeSorted { (entry) throws(BolideError) in
      let chosen: UInt32
      if let flags {
        chosen = flags
      } else {
        chosen = UInt32(try Self.isAbove(entry, cursor) ? MDB_APPEND : MDB_NOOVERWRITE)
        flags = chosen
      }
      var key = MDB_val(entry)
      var data = MDB_val(mv_size: 0, mv_data: nil)
      let code = mdb_cursor_put(cursor.handle, &key, &data, chosen)
      if code == MDB_KEYEXIST { throw LMDBFailure.damaged("\(index.name) has an entry already") }
      try check(code, "write a key of \(index.name)")
    }
  }

  /// Whether an entry stands above all that the index has.
  private static func isAbove(
    _ entry: UnsafeRawBufferPointer, _ cursor: borrowing Cursor
  ) throws(BolideError) -> Bool {
    var last = MDB_val()
    var data = MDB_val()
    guard try cursor.move(MDB_LAST, &last, &data) else { return true }
    return KeyList.precedes(last.bytes, entry)
  }
}
