import BolideStorage

/// Writing history.
extension MemoryTransaction {
  func appendHistory(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    let number = record.mark.transaction
    HistoryCoding.bytes(of: record).withUnsafeBytes {
      editor.set(Key(number), $0, in: &contents.trees[StoreShape.history])
    }
    for (place, run) in runs.enumerated() {
      guard run.numbers.count <= ChangeRun.rangeLimit else {
        throw BolideError(.storeMisuse, "a run of \(run.numbers.count) ranges")
      }
      HistoryCoding.bytes(of: run).withUnsafeBytes { bytes in
        PairKey(own: Number(bitPattern: number), other: Number(place)).withKey {
          editor.set($0, bytes, in: &contents.trees[StoreShape.runs])
        }
      }
    }
    for buried in tombstones {
      let table = try contents.shape.table(buried.table)
      try StoreShape.require(buried.rows, table.tombstoneFormat, of: table)
      try bury(buried.rows, of: buried.table, transaction: number)
    }
    contents.head = record.mark
  }

  private func bury(_ rows: RowBatch, of table: TableID, transaction: UInt64) throws(BolideError) {
    try rows.withRows { (views) throws(BolideError) in
      for position in 0..<views.count {
        guard views.isPresent(position) else { throw BolideError(.storeMisuse, "a tombstone without a row") }
        HistoryCoding.tombstoneKey(transaction, table, rows.numbers[position]).withUnsafeBytes {
          editor.set(Key($0), views[position].bytes, in: &contents.trees[StoreShape.tombstones])
        }
      }
    }
  }

  func dropOldest(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    var records: [TransactionRecord] = []
    try contents.transactions(after: 0, limit: max(limit, 0) + 1, into: &records)
    let dropped = records.prefix { $0.mark.transaction <= number }
    for record in dropped.prefix(limit) {
      let transaction = record.mark.transaction
      editor.remove(Key(transaction), from: &contents.trees[StoreShape.history])
      removeAll(beginningWith: transaction, from: StoreShape.runs)
      removeAll(beginningWith: transaction, from: StoreShape.tombstones)
      contents.historyStart = record.mark
    }
    return dropped.count > limit
  }

  private func removeAll(beginningWith head: UInt64, from tree: Int) {
    var key: [UInt8] = []
    while true {
      var cursor = Cursor(contents.trees[tree])
      cursor.seek(Key(head))
      guard let (leaf, index) = cursor.position, leaf.key(index).head == head else { return }
      key.removeAll(keepingCapacity: true)
      leaf.key(index).append(to: &key)
      key.withUnsafeBytes { _ = editor.remove(Key($0), from: &contents.trees[tree]) }
    }
  }
}
