import BolideStorage

/// Reading history: a tree of records by number, one of runs by number and place, one of tombstones by
/// number, table and row.
extension StoreContents {
  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    var cursor = Cursor(trees[StoreShape.history])
    cursor.seek(after: Key(number))
    var left = limit
    while left > 0, let (leaf, index) = cursor.position {
      records.append(try HistoryCoding.record(leaf.value(index), number: leaf.key(index).head))
      left -= 1
      cursor.advance()
    }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    guard let value = trees[StoreShape.history].value(Key(number)) else { return nil }
    return try HistoryCoding.record(value, number: number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    var cursor = Cursor(trees[StoreShape.runs])
    cursor.seek(Key(transaction))
    while let (leaf, index) = cursor.position, leaf.key(index).head == transaction {
      runs.append(try HistoryCoding.run(leaf.value(index)))
      cursor.advance()
    }
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    let shaped = try shape.table(table)
    try StoreShape.require(batch, shaped.tombstoneFormat, of: shaped)
    var cursor = Cursor(trees[StoreShape.tombstones])
    HistoryCoding.tombstoneKey(transaction, table, number).withUnsafeBytes { cursor.seek(after: Key($0)) }
    var left = limit
    while left > 0, let (leaf, index) = cursor.position {
      let key = leaf.key(index)
      guard key.head == transaction, HistoryCoding.table(ofTombstone: key) == table else { return }
      batch.append(leaf.value(index), number: HistoryCoding.number(ofTombstone: key))
      left -= 1
      cursor.advance()
    }
  }
}
