import BolideStorage
import Synchronization

/// A committed state: a connection that keeps a read transaction open, behind a lock.
final class SQLiteSnapshot: Snapshot {
  private let store: SQLiteStore
  private let place: Int
  private let session: Mutex<Session?>

  /// Takes over a connection inside a read transaction.
  init(_ session: Session, place: Int, of store: SQLiteStore) {
    self.store = store
    self.place = place
    self.session = Mutex(session)
  }

  deinit { close() }

  func close() {
    let session = session.withLock { session in
      defer { session = nil }
      return session
    }
    if let session { store.endSnapshot(place, of: session.connection) }
  }

  private func read<Result: Sendable>(
    _ body: (Session) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    try store.checkProcess()
    return try session.withLock { (session) throws(BolideError) in
      guard let session else { throw .closed("snapshot") }
      return try body(session)
    }
  }

  func head() throws(BolideError) -> Mark { try read { (session) throws(BolideError) in try session.head() } }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    try read { (session) throws(BolideError) in try session.metadata(key) }
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.rows(numbers, of: table, columns: columns, into: &batch)
    }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.find(keys, of: table, by: index, columns: columns, into: &batch)
    }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    }
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    try read { (session) throws(BolideError) in try session.count(of: table) }
  }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
    }
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.linkCounts(link, of: numbers, side: side, into: &counts)
    }
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.transactions(after: number, limit: limit, into: &records)
    }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try read { (session) throws(BolideError) in try session.transaction(number) }
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try read { (session) throws(BolideError) in try session.runs(of: transaction, into: &runs) }
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (session) throws(BolideError) in
      try session.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
    }
  }

  func historyStart() throws(BolideError) -> Mark {
    try read { (session) throws(BolideError) in try session.historyStart() }
  }

  func accepts(_ plan: Plan) -> Acceptance { session.withLock { $0?.accepts(plan) } ?? .none }

  func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    try read { (session) throws(BolideError) in try session.run(plan, into: &batch) }
  }

  func explain(_ plan: Plan) throws(BolideError) -> [String] {
    try read { (session) throws(BolideError) in try session.explain(plan) }
  }
}
