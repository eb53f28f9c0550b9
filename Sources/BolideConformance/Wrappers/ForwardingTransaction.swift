import BolideStorage

/// A write transaction that passes every call on.
open class ForwardingTransaction: ForwardingReader, WriteTransaction {
  /// Where writing calls go.
  public let transaction: any WriteTransaction

  /// Wraps a transaction.
  public required init(_ base: any WriteTransaction, _ wrapping: StoreWrapping) {
    transaction = base
    super.init(reading: base, wrapping)
  }

  open func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    try wrapping.before(.insert)
    return try transaction.insert(rows, of: table, numberedFrom: first, taken: &taken)
  }

  open func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    try wrapping.before(.update)
    try transaction.update(rows, of: table, columns: columns, taken: &taken)
  }

  open func release(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try wrapping.before(.release)
    try transaction.release(numbers, of: table)
  }

  open func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try wrapping.before(.delete)
    try transaction.delete(numbers, of: table)
  }

  open func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    try wrapping.before(.link)
    try transaction.link(link, links, added: &added)
  }

  open func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    try wrapping.before(.unlink)
    try transaction.unlink(link, links, removed: &removed)
  }

  open func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try wrapping.before(.append)
    try transaction.append(record, runs: runs, tombstones: tombstones)
  }

  open func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try wrapping.before(.dropHistory)
    return try transaction.dropHistory(through: number, limit: limit)
  }

  open func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    try wrapping.before(.setMetadata)
    try transaction.setMetadata(key, value)
  }

  open func change(_ layout: Layout) throws(BolideError) {
    try wrapping.before(.change)
    try transaction.change(layout)
  }

  open func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    try wrapping.before(.commit)
    return try transaction.commit(pinning: pinning).map { wrapping.snapshot($0, wrapping) }
  }

  open func rollback() { transaction.rollback() }

  open func accepts(_ change: PlanChange) -> Bool { transaction.accepts(change) }

  open func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    try wrapping.before(.write)
    try transaction.write(change, into: &rows, changed: &changed)
  }
}
