import BolideStorage

/// Passes every reading call on; a wrapper overrides what it does otherwise.
open class ForwardingReader: Reader {
  /// Where calls go.
  public let base: any Reader
  /// Who looks at calls, and what becomes of snapshots and transactions.
  public let wrapping: StoreWrapping

  init(reading base: any Reader, _ wrapping: StoreWrapping) {
    self.base = base
    self.wrapping = wrapping
  }

  open func head() throws(BolideError) -> Mark {
    try wrapping.before(.head)
    return try base.head()
  }

  open func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    try wrapping.before(.metadata)
    return try base.metadata(key)
  }

  open func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try wrapping.before(.rows)
    try base.rows(numbers, of: table, columns: columns, into: &batch)
  }

  open func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try wrapping.before(.find)
    try base.find(keys, of: table, by: index, columns: columns, into: &batch)
  }

  open func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try wrapping.before(.scan)
    try base.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }

  open func count(of table: TableID) throws(BolideError) -> Int {
    try wrapping.before(.count)
    return try base.count(of: table)
  }

  open func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    try wrapping.before(.links)
    try base.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
  }

  open func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try wrapping.before(.linkCounts)
    try base.linkCounts(link, of: numbers, side: side, into: &counts)
  }

  open func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try wrapping.before(.transactions)
    try base.transactions(after: number, limit: limit, into: &records)
  }

  open func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try wrapping.before(.transaction)
    return try base.transaction(number)
  }

  open func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try wrapping.before(.runs)
    try base.runs(of: transaction, into: &runs)
  }

  open func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try wrapping.before(.tombstones)
    try base.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }

  open func historyStart() throws(BolideError) -> Mark {
    try wrapping.before(.historyStart)
    return try base.historyStart()
  }

  open func accepts(_ plan: Plan) -> Acceptance { base.accepts(plan) }

  open func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    try wrapping.before(.run)
    try base.run(plan, into: &batch)
  }

  open func explain(_ plan: Plan) throws(BolideError) -> [String] { try base.explain(plan) }
}
