import BolideStorage

/// Reading its own state.
extension MemoryTransaction {
  func head() throws(BolideError) -> Mark {
    try requireOpen()
    return contents.head
  }

  func historyStart() throws(BolideError) -> Mark {
    try requireOpen()
    return contents.historyStart
  }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    try requireOpen()
    return contents.metadata(key)
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try requireOpen()
    try contents.rows(numbers, of: table, into: &batch)
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try requireOpen()
    try contents.find(keys, of: table, by: index, into: &batch)
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try requireOpen()
    try contents.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    try requireOpen()
    return try contents.count(of: table)
  }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    try requireOpen()
    try contents.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try requireOpen()
    try contents.linkCounts(link, of: numbers, side: side, into: &counts)
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try requireOpen()
    try contents.transactions(after: number, limit: limit, into: &records)
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try requireOpen()
    return try contents.transaction(number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try requireOpen()
    try contents.runs(of: transaction, into: &runs)
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try requireOpen()
    try contents.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }
}
