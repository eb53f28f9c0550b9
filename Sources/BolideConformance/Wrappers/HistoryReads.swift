import BolideStorage
import Synchronization

/// How much of history is read from the snapshots of a store.
package final class HistoryReads: Sendable {
  private let counts = Mutex((transactions: 0, changes: 0))

  package init() {}

  /// Records of transactions.
  package var transactions: Int { counts.withLock(\.transactions) }
  /// Transactions whose changes were read.
  package var changes: Int { counts.withLock(\.changes) }

  /// Wraps a store so that what is read is counted here.
  package var wrapping: StoreWrapping {
    StoreWrapping(snapshot: { base, wrapping in
      let snapshot = CountingSnapshot(base, wrapping)
      snapshot.counter = self
      return snapshot
    })
  }

  package func reset() { counts.withLock { $0 = (0, 0) } }

  fileprivate func add(transactions: Int = 0, changes: Int = 0) {
    counts.withLock { $0 = ($0.transactions + transactions, $0.changes + changes) }
  }
}

/// Counts the history that is read from a snapshot.
private final class CountingSnapshot: ForwardingSnapshot, @unchecked Sendable {
  var counter = HistoryReads()

  override func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    let before = records.count
    try super.transactions(after: number, limit: limit, into: &records)
    counter.add(transactions: records.count - before)
  }

  override func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    counter.add(changes: 1)
    try super.runs(of: transaction, into: &runs)
  }
}
