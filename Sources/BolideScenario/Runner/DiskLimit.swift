import BolideConformance
import BolideStorage
import Synchronization

/// A disk that takes so many bytes more: a write beyond them fails as on a full disk, after what went before it was
/// done.
///
/// It stands between the layer above and the store and counts what is handed to the store, so that every store is full
/// at the same write. Real full disks are the business of `bolide torture`.
final class DiskLimit: Sendable {
  private let left = Mutex<Int?>(nil)

  /// Wraps the store whose writes count.
  var wrapping: StoreWrapping {
    StoreWrapping(transaction: { base, wrapping in
      let transaction = LimitedTransaction(base, wrapping)
      transaction.disk = self
      return transaction
    })
  }

  /// Sets how many bytes more fit; `nil` for any number.
  func set(_ bytes: Int?) { left.withLock { $0 = bytes } }

  fileprivate func take(_ bytes: Int) throws(BolideError) {
    let fits = left.withLock { left in
      guard let room = left else { return true }
      // What does not fit takes nothing: a smaller write may fit.
      if bytes > room { return false }
      left = room - bytes
      return true
    }
    if !fits { throw Fault.diskFull.error }
  }
}

/// A transaction on a disk that may be full.
private final class LimitedTransaction: ForwardingTransaction {
  var disk = DiskLimit()

  /// What a number, a link or a run of changes takes.
  private static let entry = 16

  override func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    try disk.take(rows.byteCount)
    return try super.insert(rows, of: table, numberedFrom: first, taken: &taken)
  }

  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    try disk.take(rows.byteCount)
    try super.update(rows, of: table, columns: columns, taken: &taken)
  }

  override func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try disk.take(numbers.count * Self.entry)
    try super.delete(numbers, of: table)
  }

  override func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    try disk.take(links.count * Self.entry)
    try super.link(link, links, added: &added)
  }

  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    let ranges = runs.reduce(1) { $0 + $1.numbers.count }
    try disk.take(ranges * Self.entry + tombstones.reduce(0) { $0 + $1.rows.byteCount })
    try super.append(record, runs: runs, tombstones: tombstones)
  }

  override func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    try disk.take(value?.count ?? 0)
    try super.setMetadata(key, value)
  }

  // What is written by plan cannot be counted before; it is written row by row.
  override func accepts(_ change: PlanChange) -> Bool { false }
}

extension RowBatch {
  /// The bytes of all rows.
  fileprivate var byteCount: Int {
    withRows { views in
      (0..<views.count).reduce(0) { views.isPresent($1) ? $0 + views[$1].bytes.count : $0 }
    }
  }
}
