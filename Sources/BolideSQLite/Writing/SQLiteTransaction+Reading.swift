import BolideStorage

/// A transaction reads its own writes: its connection sees them.
extension SQLiteTransaction {
  func head() throws(BolideError) -> Mark { try reading().head() }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? { try reading().metadata(key) }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try reading().rows(numbers, of: table, columns: columns, into: &batch)
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try reading().find(keys, of: table, by: index, columns: columns, into: &batch)
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try reading().scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }

  func count(of table: TableID) throws(BolideError) -> Int { try reading().count(of: table) }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    try reading().links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    try reading().linkCounts(link, of: numbers, side: side, into: &counts)
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try reading().transactions(after: number, limit: limit, into: &records)
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try reading().transaction(number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try reading().runs(of: transaction, into: &runs)
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try reading().tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }

  func historyStart() throws(BolideError) -> Mark { try reading().historyStart() }
}
