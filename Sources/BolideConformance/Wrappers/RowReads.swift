import BolideStorage
import Synchronization

/// How many rows are read from the snapshots of a store.
package final class RowReads: Sendable {
  private let read = Mutex(0)

  package init() {}

  /// The rows that were handed over, whatever the call.
  package var count: Int { read.withLock { $0 } }

  /// Wraps a store so that what is read is counted here.
  package var wrapping: StoreWrapping {
    StoreWrapping(snapshot: { base, wrapping in
      let snapshot = RowCountingSnapshot(base, wrapping)
      snapshot.counter = self
      return snapshot
    })
  }

  package func reset() { read.withLock { $0 = 0 } }

  fileprivate func add(_ rows: Int) { read.withLock { $0 += rows } }
}

/// Counts the rows that are read from a snapshot.
private final class RowCountingSnapshot: ForwardingSnapshot, @unchecked Sendable {
  var counter = RowReads()

  override func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    counter.add(numbers.count)
    try super.rows(numbers, of: table, columns: columns, into: &batch)
  }

  override func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    counter.add(keys.count)
    try super.find(keys, of: table, by: index, columns: columns, into: &batch)
  }

  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let before = batch.count
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    counter.add(batch.count - before)
  }

  override func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    let before = batch.count
    try super.run(plan, into: &batch)
    counter.add(batch.count - before)
  }
}
