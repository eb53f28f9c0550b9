import BolideStorage

/// Reading rows: what snapshots and transactions share.
extension StoreContents {
  func metadata(_ key: String) -> [UInt8]? {
    var key = key
    return key.withUTF8 { bytes in
      trees[StoreShape.metadata].value(Key(UnsafeRawBufferPointer(bytes))).map { [UInt8]($0) }
    }
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    try trees[shape.table(table).rows].count
  }

  func rows(_ numbers: [Number], of table: TableID, into batch: inout RowBatch) throws(BolideError) {
    let table = try shape.table(table)
    try StoreShape.require(batch, table.format, of: table)
    let rows = trees[table.rows]
    for number in numbers {
      if number > 0, let row = rows.value(number: UInt64(number)) {
        batch.append(row, number: number)
      } else {
        batch.appendAbsent()
      }
    }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try shape.table(table)
    let index = try shape.index(index, of: table)
    try StoreShape.require(keys, table.format, of: table)
    try StoreShape.require(batch, table.format, of: table)
    guard index.isUnique else {
      throw BolideError(.storeMisuse, "finding in an index of \(table.layout.name) that is not unique")
    }
    let rows = trees[table.rows]
    var key: [UInt8] = []
    for position in 0..<keys.count {
      key.removeAll(keepingCapacity: true)
      let hasNil = keys.withRow(at: position) { IndexKey.append($0, columns: index.columns, to: &key) }
      guard hasNil == false, let number = holder(of: key, in: index), let row = rows.value(number: number)
      else {
        batch.appendAbsent()
        continue
      }
      batch.append(row, number: Number(number))
    }
  }

  /// The number under a key without a nil part in a unique index.
  func holder(of key: [UInt8], in index: StoreShape.Index) -> UInt64? {
    key.withUnsafeBytes { trees[index.tree].value(Key($0))?.loadUnaligned(as: UInt64.self) }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try shape.table(table)
    try StoreShape.require(batch, table.format, of: table)
    guard limit > 0 else { throw BolideError(.storeMisuse, "a scan with limit \(limit)") }
    switch range {
    case .numbers(let numbers):
      // Where texts are not wanted they are not copied.
      let isFixed = table.format.areFixed(columns)
      scan(numbers, of: table, backwards: backwards, from: &place, limit: limit) { row, number in
        if isFixed { batch.appendFixed(row, number: number) } else { batch.append(row, number: number) }
      }
    case .index(let id, let lower, let upper):
      let index = try shape.index(id, of: table)
      let span = KeySpan(lower: lower, upper: upper)
      if backwards {
        try scanBackwards(span, by: index, of: table, from: &place, limit: limit, into: &batch)
      } else {
        try scanForwards(span, by: index, of: table, from: &place, limit: limit, into: &batch)
      }
    }
  }

  private func scan(
    _ range: ClosedRange<Number>, of table: StoreShape.Table, backwards: Bool, from place: inout Place?,
    limit: Int, _ body: (UnsafeRawBufferPointer, Number) -> Void
  ) {
    var cursor = Cursor(trees[table.rows])
    let lower = Key(UInt64(max(range.lowerBound, 0)))
    let upper = Key(UInt64(max(range.upperBound, 0)))
    var left = limit
    var last: Number = 0
    if backwards {
      if let place { cursor.seek(Key(UInt64(max(place.number, 0)))) } else { cursor.seek(after: upper) }
      while let (leaf, index) = cursor.retreat(), leaf.key(index).head >= lower.head {
        if left == 0 {
          place = Place(values: [], number: last)
          return
        }
        last = Number(leaf.key(index).head)
        body(leaf.value(index), last)
        left -= 1
      }
    } else {
      if let place { cursor.seek(after: Key(UInt64(max(place.number, 0)))) } else { cursor.seek(lower) }
      while let (leaf, index) = cursor.position, leaf.slots[index].head <= upper.head {
        if left == 0 {
          place = Place(values: [], number: last)
          return
        }
        last = Number(leaf.slots[index].head)
        body(leaf.value(index), last)
        left -= 1
        cursor.advance()
      }
    }
    place = nil
  }

  private func scanForwards(
    _ span: KeySpan, by index: StoreShape.Index, of table: StoreShape.Table, from place: inout Place?,
    limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    var cursor = Cursor(trees[index.tree])
    if let place {
      index.key(of: place).withUnsafeBytes { cursor.seek(after: Key($0)) }
    } else {
      span.start.withUnsafeBytes { cursor.seek(Key($0)) }
    }
    var left = limit
    while let (leaf, slot) = cursor.position, span.endsAfter(leaf.key(slot)) {
      if left == 0 {
        place = lastPlace(of: batch, in: index)
        return
      }
      try append(leaf, slot, of: table, index, to: &batch)
      left -= 1
      cursor.advance()
    }
    place = nil
  }

  private func scanBackwards(
    _ span: KeySpan, by index: StoreShape.Index, of table: StoreShape.Table, from place: inout Place?,
    limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    var cursor = Cursor(trees[index.tree])
    if let place {
      index.key(of: place).withUnsafeBytes { cursor.seek(Key($0)) }
    } else if let end = span.end {
      end.withUnsafeBytes { cursor.seek(Key($0)) }
    } else {
      cursor.seekEnd()
    }
    var left = limit
    while let (leaf, slot) = cursor.retreat(), span.startsBefore(leaf.key(slot)) {
      if left == 0 {
        place = lastPlace(of: batch, in: index)
        return
      }
      try append(leaf, slot, of: table, index, to: &batch)
      left -= 1
    }
    place = nil
  }

  private func append(
    _ leaf: Page, _ slot: Int, of table: StoreShape.Table, _ index: StoreShape.Index, to batch: inout RowBatch
  ) throws(BolideError) {
    let number = index.number(leaf, slot)
    guard let row = trees[table.rows].value(number: number) else {
      throw BolideError(.storeDamaged, "an index of \(table.layout.name) names a row that is not there")
    }
    batch.append(row, number: Number(number))
  }

  private func lastPlace(of batch: RowBatch, in index: StoreShape.Index) -> Place? {
    let last = batch.count - 1
    return batch.withRow(at: last) { row in
      Place(values: index.columns.map { row.value($0) }, number: batch.numbers[last])
    }
  }
}

/// The keys from `start` on and before `end`.
private struct KeySpan {
  var start: [UInt8] = []
  var end: [UInt8]?

  /// A byte that no key has after whole parts: the next is 0, 1, or the first of a positive number.
  private static let afterAll: UInt8 = 0xFF

  init(lower: KeyRange.Bound?, upper: KeyRange.Bound?) {
    if let lower {
      for value in lower.values { IndexKey.append(value, to: &start) }
      if !lower.isInclusive { start.append(Self.afterAll) }
    }
    if let upper {
      var key: [UInt8] = []
      for value in upper.values { IndexKey.append(value, to: &key) }
      if upper.isInclusive { key.append(Self.afterAll) }
      end = key
    }
  }

  func endsAfter(_ key: Key) -> Bool {
    guard let end else { return true }
    return end.withUnsafeBytes { key.compare(to: Key($0)) < 0 }
  }

  func startsBefore(_ key: Key) -> Bool { start.withUnsafeBytes { key.compare(to: Key($0)) >= 0 } }
}

extension StoreShape.Index {
  /// The number of the row that an entry stands for: the value in a unique index, else the end of the key.
  @inline(__always)
  func number(_ leaf: Page, _ slot: Int) -> UInt64 {
    if isUnique { return leaf.value(slot).loadUnaligned(as: UInt64.self) }
    let key = leaf.key(slot)
    if key.rest.count >= 8 {
      return UInt64(
        bigEndian: key.rest.loadUnaligned(fromByteOffset: key.rest.count - 8, as: UInt64.self))
    }
    var bytes: [UInt8] = []
    key.append(to: &bytes)
    return bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The key of the row at a place.
  func key(of place: Place) -> [UInt8] {
    var key: [UInt8] = []
    for value in place.values { IndexKey.append(value, to: &key) }
    if !isUnique || place.values.contains(.null) { IndexKey.append(number: place.number, to: &key) }
    return key
  }
}
