import BolideStorage
import CLMDB

extension ReadView {
  func scan(
    _ range: KeyRange, of id: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let table = try schema.table(id)
    try table.checkFormat(batch)
    guard limit > 0 else { throw LMDBFailure.misuse("A scan with the limit \(limit)") }
    switch range {
    case .numbers(let numbers):
      try scan(
        numbers, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    case .index(let indexID, let lower, let upper):
      let index = try table.index(indexID)
      var scan = IndexScan(view: self, table: table, index: index, isForNumbers: columns.isEmpty)
      guard try scan.setBounds(lower, upper) else {
        place = nil
        return
      }
      if backwards {
        try scan.backwards(from: &place, limit: limit, into: &batch)
      } else {
        try scan.forwards(from: &place, limit: limit, into: &batch)
      }
    }
  }

  private func scan(
    _ range: ClosedRange<Number>, of table: StoredTable, backwards: Bool, from place: inout Place?,
    limit: Int, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    var lower = max(range.lowerBound, 1)
    var upper = range.upperBound
    if let last = place?.number {
      if backwards ? last <= lower : last >= upper {
        upper = 0
      } else if backwards {
        upper = min(upper, last - 1)
      } else {
        lower = max(lower, last + 1)
      }
    }
    place = nil
    guard lower <= upper else { return }
    let isForNumbers = columns.isEmpty
    // Where texts are not wanted they are not copied.
    let isFixed = table.format.areFixed(columns)
    let cursor = try Cursor(transaction, table.rows)
    var data = MDB_val()
    var number = try start(cursor, backwards ? upper : lower, backwards: backwards, &data)
    var left = limit
    while let current = number, backwards ? current >= lower : current <= upper {
      if left == 0 {
        place = Place(values: [], number: batch.numbers.last ?? 0)
        return
      }
      if isForNumbers {
        appendHeader(current, of: table, to: &batch)
      } else {
        try append(data, current, isFixed: isFixed, of: table, to: &batch)
      }
      left -= 1
      number = try step(cursor, backwards ? MDB_PREV : MDB_NEXT, &data)
    }
  }

  /// Moves to the first row at or after a number, or the last at or before it.
  private func start(
    _ cursor: borrowing Cursor, _ number: Number, backwards: Bool, _ data: inout MDB_val
  ) throws(BolideError) -> Number? {
    let found = try withUnsafeBytes(of: number) { (bytes) throws(BolideError) -> Number? in
      var key = MDB_val(bytes)
      guard try cursor.move(MDB_SET_RANGE, &key, &data) else { return nil }
      return try Self.number(key)
    }
    guard backwards else { return found }
    if found == number { return found }
    return try step(cursor, found == nil ? MDB_LAST : MDB_PREV, &data)
  }

  private func step(
    _ cursor: borrowing Cursor, _ operation: MDB_cursor_op, _ data: inout MDB_val
  ) throws(BolideError) -> Number? {
    var key = MDB_val()
    guard try cursor.move(operation, &key, &data) else { return nil }
    return try Self.number(key)
  }

  private static func number(_ key: MDB_val) throws(BolideError) -> Number {
    let number = key.mv_size == 8 ? key.bytes.loadUnaligned(as: Number.self) : 0
    guard number > 0 else { throw LMDBFailure.damaged("The number of a row is damaged") }
    return number
  }
}

/// One call of a scan by index.
private struct IndexScan {
  let view: ReadView
  let table: StoredTable
  let index: StoredIndex
  let isForNumbers: Bool
  /// The range in bytes: keys from `lower` on and below `upper`.
  private var lower: [UInt8] = []
  private var upper: [UInt8]?

  init(view: ReadView, table: StoredTable, index: StoredIndex, isForNumbers: Bool) {
    self.view = view
    self.table = table
    self.index = index
    self.isForNumbers = isForNumbers
  }

  /// Takes the bounds; false when nothing can lie between them.
  ///
  /// No part of a key is a prefix of another, so the rows that equal a bound are those that begin with its bytes.
  mutating func setBounds(
    _ lowerBound: KeyRange.Bound?, _ upperBound: KeyRange.Bound?
  ) throws(BolideError) -> Bool {
    if let lowerBound {
      let key = try prefix(lowerBound.values)
      guard let bytes = lowerBound.isInclusive ? key : key.successor else { return false }
      lower = bytes
    }
    if let upperBound {
      let key = try prefix(upperBound.values)
      upper = upperBound.isInclusive ? key.successor : key
    }
    return true
  }

  private func prefix(_ values: [Value]) throws(BolideError) -> [UInt8] {
    guard values.count <= index.columns.count else {
      throw LMDBFailure.misuse("A bound has more values than \(table.name).\(index.name) has columns")
    }
    var key: [UInt8] = []
    for value in values { IndexKey.append(value, to: &key) }
    return key
  }

  func forwards(
    from place: inout Place?, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    var walk = try IndexWalk(view.transaction, index.database, nodes: view.schema.fixed.nodes)
    var isOn: Bool
    if let last = place {
      let (key, isWhole) = try self.key(of: last)
      isOn = try walk.seek(key)
      if isOn, walk.comparison(to: key) == 0 {
        let isDone = isWhole ? try walk.number() <= last.number : true
        if isDone { isOn = try walk.next() }
      }
    } else {
      isOn = try walk.seek(lower)
    }
    place = nil
    let rows = try RowSource(view.transaction, table, uses: isForNumbers ? 0 : limit)
    var left = limit
    while isOn, upper.map({ walk.comparison(to: $0) < 0 }) ?? true {
      if left == 0 { return place = try lastPlace(batch) }
      try append(walk, rows, to: &batch)
      left -= 1
      isOn = try walk.next()
    }
  }

  func backwards(
    from place: inout Place?, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    var walk = try IndexWalk(view.transaction, index.database, nodes: view.schema.fixed.nodes)
    var isOn: Bool
    if let last = place {
      let (key, isWhole) = try self.key(of: last)
      if isWhole, try walk.seek(key), walk.comparison(to: key) == 0, try walk.number() < last.number {
        isOn = true
      } else {
        isOn = try walk.seekBefore(key)
      }
    } else {
      isOn = try walk.seekBefore(upper)
    }
    place = nil
    let rows = try RowSource(view.transaction, table, uses: isForNumbers ? 0 : limit)
    var left = limit
    while isOn, walk.comparison(to: lower) >= 0 {
      if left == 0 { return place = try lastPlace(batch) }
      try append(walk, rows, to: &batch)
      left -= 1
      isOn = try walk.previous()
    }
  }

  /// The key of the entry where a scan stopped, and whether it is without the row's number.
  private func key(of place: Place) throws(BolideError) -> (key: [UInt8], isWhole: Bool) {
    guard place.values.count == index.columns.count else {
      throw LMDBFailure.misuse("A place does not belong to \(table.name).\(index.name)")
    }
    var key = try prefix(place.values)
    let isWhole = index.isUnique && !place.values.contains(where: \.isNull)
    if !isWhole { key.appendBig(place.number) }
    return (key, isWhole)
  }

  @inline(__always)
  private func append(
    _ walk: borrowing IndexWalk, _ rows: borrowing RowSource, to batch: inout RowBatch
  ) throws(BolideError) {
    let number = try walk.number()
    if isForNumbers {
      view.appendHeader(number, of: table, to: &batch)
    } else {
      try view.appendRow(number, from: rows, of: table, index, to: &batch)
    }
  }

  /// The place of the last row that was given.
  private func lastPlace(_ batch: RowBatch) throws(BolideError) -> Place {
    let number = batch.numbers.last ?? 0
    var row = RowBatch(table.format)
    let source = try RowSource(view.transaction, table, uses: 1)
    try view.appendRow(number, from: source, of: table, index, to: &row)
    let values = row.withRow(at: 0) { row in index.columns.map { row.value($0) } } ?? []
    return Place(values: values, number: number)
  }
}
