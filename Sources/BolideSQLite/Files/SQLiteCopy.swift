import BolideStorage
import CSQLite

/// A page by page copy of one committed state, made by SQLite itself while the store is in use.
struct SQLiteCopy {
  private let source: Connection
  private let path: String
  private let metadata: [String: [UInt8]]
  private let isSynced: Bool

  /// - Parameters:
  ///   - metadata: what has other values in the copy.
  ///   - isSynced: whether the copy has to survive a power failure once it has its name.
  init(of source: Connection, to path: String, setting metadata: [String: [UInt8]], isSynced: Bool) {
    self.source = source
    self.path = path
    self.metadata = metadata
    self.isSynced = isSynced
  }

  func run() throws(BolideError) {
    guard case .nothing = StoreFile.find(path) else { throw taken }
    let place = try StoreFile.place(for: path)
    try StoreFile.checkNoLog(beside: place.path)
    try StoreFile.createEmpty(place.temporary)
    do throws(BolideError) {
      try fill(place.temporary)
    } catch {
      StoreFile.discard(place.temporary)
      throw error
    }
    if try !StoreFile.publish(place.temporary, as: place.path) { throw taken }
  }

  private var taken: BolideError {
    BolideError(
      .storeIO, "The place for the copy, \(path), is taken", remedy: "choose a free path",
      underlying: nil)
  }

  private func fill(_ temporary: String) throws(BolideError) {
    let target = try Connection(
      path, name: temporary, flags: SQLITE_OPEN_READWRITE, deadline: source.deadline)
    // A copy that fails is thrown away, so no journal is needed to undo it.
    try target.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = \(isSynced ? "FULL" : "OFF")",
      while: "preparing a copy")
    guard let backup = sqlite3_backup_init(target.handle, "main", source.handle, "main") else {
      throw target.error(sqlite3_errcode(target.handle), while: "copying \(source.path)")
    }
    // All pages in one step: between steps another writer could start the copy over.
    let code = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw target.error(end == SQLITE_OK ? code : end, while: "copying \(source.path)")
    }
    // The copy has the mode of its source by now; its log goes into it when the connection closes, before it has its name.
    for (key, value) in metadata { try StoredSchema.set(MetadataKey.stored(key), value, on: target) }
  }
}
