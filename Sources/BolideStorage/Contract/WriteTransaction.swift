/// The one write transaction of a store. It reads its own writes.
///
/// After an error from a writing call the transaction may only be rolled back. A transaction that is
/// released without ``commit(pinning:)`` is rolled back.
public protocol WriteTransaction: Reader {
  /// Inserts rows whose keys in all unique indexes are free, and gives them the numbers
  /// `first`, `first + 1` … in input order. A row whose key is taken is not written.
  ///
  /// Rows of one call are inserted one after the other: the second of two with one key is taken by the first.
  /// - Parameter taken: gets one entry a row not written: the first unique index that refused it, and the holder.
  /// - Returns: how many rows were inserted.
  func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int

  /// Replaces stored rows by whole new rows under the same numbers.
  ///
  /// - Parameters:
  ///   - columns: where a row may differ from the stored one; other columns and indexes over them are not rewritten.
  ///     Rows that were released are written whole.
  ///   - taken: gets one entry a row not written because another row holds a unique key of it.
  /// - Throws: `store.misuse` for a number that is neither stored nor released.
  func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError)

  /// Takes the keys of rows out of all unique indexes, so that other rows can have them.
  ///
  /// Each released row is updated (or deleted) later in the transaction and is not read before that.
  func release(_ numbers: [Number], of table: TableID) throws(BolideError)

  /// Deletes rows and their index entries. Links are not looked at. Numbers that are not there are skipped.
  func delete(_ numbers: [Number], of table: TableID) throws(BolideError)

  /// Adds links. `added` gets one entry each: false for a pair that was there.
  func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError)

  /// Removes links by their pairs. `removed` gets one entry each: false for a pair that was not there.
  func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError)

  /// Appends the transaction's history: once, before the commit, and only if something changed.
  ///
  /// The mark's number is the head's plus one. It becomes the new head.
  /// - Throws: `store.misuse` for another number, and for a second call in one transaction.
  func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError)

  /// Drops the oldest transactions with numbers up to and with `number`, at most `limit`, with runs and tombstones.
  ///
  /// - Returns: whether some are left to drop.
  func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool

  /// Keeps bytes under a key; `nil` removes them.
  func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError)

  /// Changes the layout: new tables, columns, indexes and links are empty or nil, removed ones are dropped.
  ///
  /// Tables, columns, indexes and links are matched by name; a column's type does not change. Entities are matched by
  /// name, too: runs of history follow them to their new ids, and those of entities that are gone are dropped.
  /// - Throws: `store.misuse` for a change that is not of these kinds. Where rows break a new unique index, the
  ///   error's payload is `[Taken]`: here `row` is the number of a row whose key one with a lower number holds. It names
  ///   such rows of the first index of the layout that is broken, ascending, at most a hundred.
  func change(_ layout: Layout) throws(BolideError)

  /// Makes the transaction durable as the store's options say, and rings if history was appended.
  ///
  /// - Parameter pinning: whether to return a snapshot of exactly the committed state.
  /// - Throws: `store.disk-full`, `store.map-full`, `store.io`: nothing of the transaction is stored then.
  func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)?

  /// Ends the transaction and leaves nothing of it. Does nothing after a commit.
  func rollback()

  // MARK: Plans, which a store need not know

  /// Whether the store makes a change by itself; no unless it says so.
  ///
  /// The answer depends on the change and the layout alone.
  func accepts(_ change: PlanChange) -> Bool

  /// Makes a change that was accepted, to all rows that meet its tests.
  ///
  /// - Parameters:
  ///   - rows: gets an entry for each row that met the tests, by number: the wanted columns as they were, in rows
  ///     of ``PlanChange/format(in:)``.
  ///   - changed: gets an entry for each of them, too: the columns that have another value now. A row in which
  ///     every column had its constant already is not written and has an empty one; so has a deleted row.
  /// - Throws: `store.misuse` for a change that the store does not take.
  func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError)
}

extension WriteTransaction {
  public func accepts(_ change: PlanChange) -> Bool { false }

  public func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    throw BolideError(.storeMisuse, "the store takes no changes of whole selections")
  }
}

/// A row that was not written because another holds its unique key.
public struct Taken: Hashable, Sendable {
  /// The row's place in the batch.
  public var row: Int
  /// The unique index.
  public var index: IndexID
  /// The number of the row that holds the key.
  public var holder: Number

  /// Makes an entry.
  public init(row: Int, index: IndexID, holder: Number) {
    self.row = row
    self.index = index
    self.holder = holder
  }
}

/// What a transaction keeps of the rows it deleted in one table.
public struct Tombstones: Sendable {
  /// The table.
  public var table: TableID
  /// The preserved columns of the deleted rows, in ``TableLayout/tombstoneFormat``.
  public var rows: RowBatch

  /// Makes tombstones.
  public init(table: TableID, rows: RowBatch) {
    self.table = table
    self.rows = rows
  }
}
