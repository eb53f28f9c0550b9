import BolideStorage
import CSQLite

/// The one write transaction of a file: a connection in `BEGIN IMMEDIATE` whose turn it is to write.
final class SQLiteTransaction: WriteTransaction {
  private let store: SQLiteStore
  /// The connection, with the schema that the transaction has made of the store's; `nil` after the end.
  private(set) var session: Session?
  private var hasFailed = false
  /// Rows taken out of their table by `release` and not written again yet, by table.
  private var released: [TableID: Set<Number>] = [:]
  /// The number of the transaction that was appended to history.
  private var appended: UInt64?

  /// Takes over a connection inside a write transaction.
  init(_ session: Session, of store: SQLiteStore) {
    self.session = session
    self.store = store
  }

  deinit { rollback() }

  // MARK: State

  /// The session, for a reading call.
  func reading() throws(BolideError) -> Session {
    guard let session else { throw .closed("transaction") }
    try store.checkProcess()
    return session
  }

  /// Runs a writing call; once one has failed only a rollback is left.
  func writing<Result>(
    _ body: (Session) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    let session = try reading()
    if hasFailed { throw .misuse("A transaction was used on after a writing call had failed") }
    do throws(BolideError) {
      return try body(session)
    } catch {
      hasFailed = true
      throw error
    }
  }

  // MARK: Rows

  func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    try writing { (session) throws(BolideError) in
      let stored = try session.schema.table(table)
      try stored.check(rows)
      guard first > 0, first <= Number.max - Number(rows.count) else {
        throw .misuse("Rows of \(stored.layout.name) cannot be numbered from \(first)")
      }
      let insertion = try session.insertion(into: table)
      defer { insertion.statement.reset() }
      var number = first
      try rows.withRows { (rows) throws(BolideError) in
        for place in 0..<rows.count {
          guard rows.isPresent(place) else {
            throw .misuse("An absent row was to be inserted into \(stored.layout.name)")
          }
          if try session.insert(rows[place].bytes, number: number, by: insertion, table: stored) {
            number += 1
            continue
          }
          guard let holder = try session.holder(of: rows[place].bytes, in: table, besides: nil) else {
            throw .misuse("The number \(number) of \(stored.layout.name) was given out already")
          }
          taken.append(Taken(row: place, index: holder.index, holder: holder.number))
        }
      }
      return Int(number - first)
    }
  }

  func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      let stored = try session.schema.table(table)
      try stored.check(rows)
      let insertion = try session.insertion(into: table)
      let change = try session.change(of: columns, in: table)
      defer {
        insertion.statement.reset()
        change.statement.reset()
      }
      var waiting = released[table] ?? []
      defer { released[table] = waiting }
      try rows.withRows { (views) throws(BolideError) in
        for place in 0..<views.count {
          let number = rows.numbers[place]
          guard views.isPresent(place) else {
            throw .misuse("A row of \(stored.layout.name) was to be updated to an absence")
          }
          let row = views[place].bytes
          let isReleased = !waiting.isEmpty && waiting.contains(number)
          let isWritten =
            isReleased
            ? try session.insert(row, number: number, by: insertion, table: stored)
            : try session.update(row, number: number, by: change, table: stored)
          if isWritten {
            if isReleased { waiting.remove(number) }
            continue
          }
          if let holder = try session.holder(of: row, in: table, besides: number) {
            taken.append(Taken(row: place, index: holder.index, holder: holder.number))
          } else {
            throw .misuse("The row \(number) of \(stored.layout.name) is neither stored nor released")
          }
        }
      }
    }
  }

  func release(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      // Without a unique index there is no key to give up, and the row can stay where it is.
      if try session.schema.table(table).uniqueIndexes.isEmpty { return }
      for number in numbers where try session.delete(number, from: table) {
        released[table, default: []].insert(number)
      }
    }
  }

  func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      try session.delete(numbers, from: table)
      if released[table]?.isEmpty == false { released[table]?.subtract(numbers) }
    }
  }

  func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      let connection = session.connection
      let key = MetadataKey.stored(key)
      if let value { return try StoredSchema.set(key, value, on: connection) }
      let delete = try connection.kept("DELETE FROM bolide_metadata WHERE key = ?1")
      defer { delete.reset() }
      try connection.check(delete.bind(1, key), while: "writing metadata")
      _ = try connection.step(delete, while: "writing metadata")
    }
  }

  /// Whether rows were taken out of their tables and not written again yet.
  var hasReleasedRows: Bool { released.values.contains { !$0.isEmpty } }

  /// Released rows are in no table; to leave them so would lose them.
  func checkNothingReleased() throws(BolideError) {
    if hasReleasedRows {
      throw .misuse("Released rows were not written again before the commit or a change of the layout")
    }
  }

  /// Goes on with another schema on the same connection.
  func adopt(_ session: Session) { self.session = session }

  /// History may be appended once.
  func noteHistory(of number: UInt64) throws(BolideError) {
    if appended != nil { throw .misuse("A transaction appended to history twice") }
    appended = number
  }

  /// Marks the store as moved away: nobody who has it open, or opens its file, reads or writes it any more.
  ///
  /// The new table moves SQLite's own counter, by which other openings notice that the epoch is not theirs.
  func retire() throws(BolideError) {
    try writing { (session) throws(BolideError) in
      try session.connection.execute(
        """
        PRAGMA application_id = \(StoreFile.movedID);
        CREATE TABLE bolide_moved (number INTEGER PRIMARY KEY);
        DELETE FROM bolide_metadata WHERE key <> '\(MetadataKey.epoch)';
        UPDATE bolide_metadata SET value = '\(UInt64.max)'
        """, while: "moving it")
    }
  }

  // MARK: Ending

  func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    let session = try writing { (session) throws(BolideError) in
      try checkNothingReleased()
      let connection = session.connection
      if store.isMarked { try LogMark.move(on: connection) }
      if pinning { _ = try connection.holdState() }
      let commit = try connection.kept("COMMIT")
      defer { commit.reset() }
      try store.announcing(appended) { () throws(BolideError) in
        _ = try connection.step(commit, while: "committing")
      }
      return session
    }
    self.session = nil
    return store.end(session, appended: appended, isPinned: pinning)
  }

  func rollback() {
    guard let session else { return }
    self.session = nil
    store.abandon(session)
  }
}
