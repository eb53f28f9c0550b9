import BolideStorage
import CLMDB
import Synchronization

/// A committed state: a read transaction of LMDB, used by one thread at a time.
final class LMDBSnapshot: Snapshot, @unchecked Sendable {
  private let lock = Mutex(())
  private let environment: Environment
  private let schema: StoredSchema
  // Under the lock.
  private var lease: EnvironmentLease?
  private var reading: Reading?

  /// Takes over a read transaction that was begun.
  init(_ lease: EnvironmentLease, _ reading: Reading, _ schema: StoredSchema) {
    self.lease = lease
    self.reading = reading
    self.schema = schema
    environment = lease.environment
  }

  deinit { close() }

  func close() {
    let (ended, last) = lock.withLock { _ in
      let held = (reading, lease)
      reading = nil
      lease = nil
      return held
    }
    guard let ended else { return }
    environment.endRead(ended)
    withExtendedLifetime(last) {}
  }

  /// Reads, with the snapshot to itself and the map in its place.
  @inline(__always)
  private func read<Result: Sendable>(
    _ body: (ReadView) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    try lock.withLock { (_) throws(BolideError) -> Result in
      guard let reading else { throw LMDBFailure.closed("snapshot") }
      try environment.checkProcess()
      return try environment.withMap { () throws(BolideError) in
        try body(ReadView(transaction: reading.transaction, schema: schema))
      }
    }
  }

  func head() throws(BolideError) -> Mark {
    try read { (view) throws(BolideError) in try view.head() }
  }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    try read { (view) throws(BolideError) in try view.metadata(key) }
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.rows(numbers, of: table, columns: columns, into: &batch)
    }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.find(keys, of: table, by: index, columns: columns, into: &batch)
    }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    }
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    try read { (view) throws(BolideError) in try view.count(of: table) }
  }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after last: Link?, limit: Int,
    into links: inout [Link]
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.links(link, of: numbers, side: side, after: last, limit: limit, into: &links)
    }
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.linkCounts(link, of: numbers, side: side, into: &counts)
    }
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.transactions(after: number, limit: limit, into: &records)
    }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try read { (view) throws(BolideError) in try view.transaction(number) }
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try read { (view) throws(BolideError) in try view.runs(of: transaction, into: &runs) }
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try read { (view) throws(BolideError) in
      try view.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
    }
  }

  func historyStart() throws(BolideError) -> Mark {
    try read { (view) throws(BolideError) in try view.historyStart() }
  }
}
