import BolideConformance
import BolideStorage

// Each class makes one mistake in one call and is right in all others.

final class ForgetsTakenKeys: ForwardingTransaction {
  override func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    var forgotten: [Taken] = []
    return try super.insert(rows, of: table, numberedFrom: first, taken: &forgotten)
  }
}

final class LeavesGapsInNumbers: ForwardingTransaction {
  override func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    try super.insert(rows, of: table, numberedFrom: first + 1, taken: &taken)
  }
}

final class DropsLastRow: ForwardingTransaction {
  override func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    var fewer = RowBatch(rows.format)
    for index in 0..<(rows.count - 1) { _ = rows.withRow(at: index) { fewer.append($0, number: 0) } }
    let count = try super.insert(fewer, of: table, numberedFrom: first, taken: &taken)
    return rows.isEmpty ? 0 : count + 1
  }
}

final class UpdatesNothing: ForwardingTransaction {
  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {}
}

final class LeavesIndexesBehind: ForwardingTransaction {
  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    // Says that nothing an index looks at has changed.
    try super.update(rows, of: table, columns: ColumnSet(), taken: &taken)
  }
}

final class ForgetsTakenKeysOfUpdates: ForwardingTransaction {
  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    var forgotten: [Taken] = []
    try super.update(rows, of: table, columns: columns, taken: &forgotten)
  }
}

final class UpdatesMissingRowsSilently: ForwardingTransaction {
  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    do {
      try super.update(rows, of: table, columns: columns, taken: &taken)
    } catch  where error.code == .storeMisuse {
      return
    }
  }
}

final class ReleasesNothing: ForwardingTransaction {
  override func release(_ numbers: [Number], of table: TableID) throws(BolideError) {}
}

final class DeletesAllButOne: ForwardingTransaction {
  override func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try super.delete(Array(numbers.dropLast()), of: table)
  }
}

final class DeletesLinksToo: ForwardingTransaction {
  override func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try super.delete(numbers, of: table)
    guard table == 0 else { return }
    var links: [Link] = []
    try self.links(0, of: numbers, side: .forward, after: nil, limit: 10_000, into: &links)
    var removed: [Bool] = []
    try unlink(0, links, removed: &removed)
  }
}

final class AddsEveryLinkAnew: ForwardingTransaction {
  override func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    var known: [Bool] = []
    try super.link(link, links, added: &known)
    added += links.map { _ in true }
  }
}

final class ForgetsPlaces: ForwardingTransaction {
  override func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    try super.link(link, links.map { Link(from: $0.from, to: $0.to) }, added: &added)
  }
}

final class LinksNothing: ForwardingTransaction {
  override func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    added += links.map { _ in true }
  }
}

final class UnlinksNothing: ForwardingTransaction {
  override func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    removed += links.map { _ in true }
  }
}

final class DropsTombstones: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try super.append(record, runs: runs, tombstones: [])
  }
}

final class DropsLastRun: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try super.append(record, runs: Array(runs.dropLast()), tombstones: tombstones)
  }
}

final class TurnsNilAuthorsEmpty: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    var changed = record
    changed.author = record.author ?? ""
    try super.append(changed, runs: runs, tombstones: tombstones)
  }
}

final class RoundsTimestamps: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    var changed = record
    changed.timestamp = record.timestamp.rounded()
    try super.append(changed, runs: runs, tombstones: tombstones)
  }
}

final class GivesOneNonceToAll: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    var changed = record
    changed.mark.nonce = 7
    try super.append(changed, runs: runs, tombstones: tombstones)
  }
}

final class RenumbersTransactions: ForwardingTransaction {
  override func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    var changed = record
    changed.mark.transaction = try head().transaction + 1
    try super.append(changed, runs: runs, tombstones: tombstones)
  }
}

final class DropsOneTransactionLess: ForwardingTransaction {
  override func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try super.dropHistory(through: number == 0 ? 0 : number - 1, limit: limit)
  }
}

final class DropsAllAtOnce: ForwardingTransaction {
  override func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try super.dropHistory(through: number, limit: 1_000_000)
  }
}

final class KeepsRemovedMetadata: ForwardingTransaction {
  override func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    if let value { try super.setMetadata(key, value) }
  }
}

final class KeepsFirstMetadata: ForwardingTransaction {
  override func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    if try metadata(key) == nil { try super.setMetadata(key, value) }
  }
}

final class IgnoresLayouts: ForwardingTransaction {
  override func change(_ layout: Layout) throws(BolideError) {}
}

final class GivesNoPinnedSnapshot: ForwardingTransaction {
  override func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    _ = try super.commit(pinning: false)
    return nil
  }
}

final class LosesCommits: ForwardingTransaction {
  override func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    let head = try self.head()
    // New stores are made; later transactions are lost.
    if head == .start { return try super.commit(pinning: pinning) }
    transaction.rollback()
    return nil
  }
}

final class CommitsWhatIsRolledBack: ForwardingTransaction {
  override func rollback() {
    do {
      _ = try transaction.commit(pinning: false)
    } catch {
      transaction.rollback()
    }
  }
}

final class AcceptsCallsAfterTheEnd: ForwardingTransaction {
  private var hasEnded = false

  override func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    if hasEnded { return nil }
    hasEnded = true
    return try super.commit(pinning: pinning)
  }
}

final class CommitsWhatIsReleased: ForwardingTransaction {
  deinit {
    do {
      _ = try transaction.commit(pinning: false)
    } catch {
      transaction.rollback()
    }
  }
}
