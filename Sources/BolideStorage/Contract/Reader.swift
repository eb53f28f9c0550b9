/// Reading one state of a store: a snapshot's, or a write transaction's own.
///
/// Results are appended to what the caller passes in. `columns` names the columns the caller will look
/// at: the others may be filled or nil, as is cheaper; with ``ColumnSet/all(_:)`` rows are whole and
/// canonical. No call leaves a cursor behind. Every call may throw `store.io`, `store.damaged` and
/// `store.closed`.
public protocol Reader: AnyObject {
  /// The newest transaction in this state.
  func head() throws(BolideError) -> Mark

  /// What the layer above keeps under a key.
  func metadata(_ key: String) throws(BolideError) -> [UInt8]?

  /// The rows with these numbers, one entry each in the order given; an absence where there is none.
  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError)

  /// The rows whose values in the columns of a unique index equal those of `keys`, one entry each.
  ///
  /// `keys` are rows of the table, of which only the index's columns matter. A key with a nil part finds
  /// nothing. Where `columns` is empty only the numbers are wanted, and rows may be header-only.
  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError)

  /// Rows of a range in the order of its index, then of their numbers; `backwards` reverses both.
  ///
  /// - Parameters:
  ///   - place: where to go on; `nil` to begin. Set to `nil` when the range has no more rows.
  ///   - limit: the most rows to append; the caller calls again while `place` is not nil.
  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError)

  /// How many rows the table has.
  func count(of table: TableID) throws(BolideError) -> Int

  /// The links of the given objects, object by object in the order given, each object's links by order, then number.
  ///
  /// - Parameters:
  ///   - numbers: objects of the side that `side` looks from.
  ///   - after: the last link of the call before, to go on; `nil` to begin.
  ///   - limit: the most links to append. Fewer means that there are no more.
  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError)

  /// How many links each of the given objects has, one entry each.
  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError)

  /// Transactions after a number, oldest first, at most `limit`.
  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError)

  /// The record of one transaction, `nil` where there is none or it was dropped.
  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord?

  /// What a transaction did.
  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError)

  /// The tombstones a transaction left in a table, by number; rows of ``TableLayout/tombstoneFormat``.
  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError)

  /// The newest transaction that was dropped from history; ``Mark/start`` when none was.
  func historyStart() throws(BolideError) -> Mark

  // MARK: Plans, which a store need not know

  /// How much of a plan the store answers itself; nothing unless it says so.
  ///
  /// The answer depends on the plan and the layout alone, and comes fast: it is asked before each request.
  func accepts(_ plan: Plan) -> Acceptance

  /// Appends the answer to a plan that was accepted ``Acceptance/whole``: all of it, in rows of
  /// ``Plan/format(in:)``.
  ///
  /// What a ``ValueFold`` of the plan throws is thrown.
  /// - Throws: `store.misuse` for a plan that the store does not take.
  func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError)

  /// How the store would answer a plan that it takes, line by line, for people.
  func explain(_ plan: Plan) throws(BolideError) -> [String]
}

extension Reader {
  public func accepts(_ plan: Plan) -> Acceptance { .none }

  public func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    throw BolideError(.storeMisuse, "the store takes no plans")
  }

  public func explain(_ plan: Plan) throws(BolideError) -> [String] { [] }
}

/// A committed state that stays as it is. May be used from several threads: it locks inside.
public protocol Snapshot: Reader, Sendable {
  /// Gives the state up. Closing twice is allowed; reading after it throws `store.closed`.
  func close()
}

/// Rows to walk over.
public enum KeyRange: Hashable, Sendable {
  /// All rows whose numbers are in the range, by number.
  case numbers(ClosedRange<Number>)
  /// Rows by an index, between bounds on a prefix of its columns. Rows with nil parts are in the index, lowest.
  case index(IndexID, lower: Bound?, upper: Bound?)

  /// Every row, by number.
  public static let all = KeyRange.numbers(1...Number.max)

  /// An end of an index range.
  public struct Bound: Hashable, Sendable {
    /// Values for the first columns of the index.
    public var values: [Value]
    /// Whether rows that equal `values` in these columns are in the range.
    public var isInclusive: Bool

    /// Makes a bound.
    public init(_ values: [Value], isInclusive: Bool) {
      self.values = values
      self.isInclusive = isInclusive
    }
  }
}

/// Where a scan stopped: the last row it gave.
public struct Place: Hashable, Sendable {
  /// The row's values in the columns of the scanned index; none in a scan by number.
  public var values: [Value]
  /// The row's number.
  public var number: Number

  /// Makes a place.
  public init(values: [Value], number: Number) {
    self.values = values
    self.number = number
  }
}
