import BolideStorage

/// Reads the rows on an ``AccessPath``, chunk by chunk.
struct PathWalk {
  private let path: AccessPath
  private let table: TableID
  private let entity: EntityMap
  private let reader: any Reader
  /// The next number, key or range.
  private var next = 0
  /// Where a range is read on.
  private var place: Place?
  private(set) var isAtEnd = false

  init(_ scan: EntityScan) {
    path = scan.path
    table = scan.entity.table
    entity = scan.entity
    reader = scan.reader
  }

  /// Appends rows, at most so many; some may be absent.
  mutating func append(
    atMost limit: Int, columns: ColumnSet, to rows: inout RowBatch
  ) throws(BolideError) {
    switch path.way {
    case .table: try scan([.all], limit, columns, &rows)
    case .ranges(_, let ranges): try scan(ranges, limit, columns, &rows)
    case .numbers(let numbers):
      let wanted = Array(take(numbers, limit))
      if !wanted.isEmpty { try reader.rows(wanted, of: table, columns: columns, into: &rows) }
    case .keys(let index, let keys):
      let wanted = take(keys, limit)
      if wanted.isEmpty { return }
      try reader.find(batch(wanted, of: index), of: table, by: index, columns: columns, into: &rows)
    }
  }

  /// The next elements, in the direction of the walk.
  private mutating func take<Element>(_ elements: [Element], _ limit: Int) -> [Element] {
    let start = next
    next = min(start + limit, elements.count)
    isAtEnd = next == elements.count
    if path.backwards {
      return elements[(elements.count - next)..<(elements.count - start)].reversed()
    }
    return Array(elements[start..<next])
  }

  private func batch(_ keys: [[Value]], of index: IndexID) -> RowBatch {
    var rows = RowBatch(entity.format)
    var builder = RowBuilder(entity.format)
    for key in keys {
      builder.clear()
      for (column, value) in zip(entity.tableLayout.indexes[index].columns, key) {
        builder.set(column, value)
      }
      builder.append(to: &rows)
    }
    return rows
  }

  private mutating func scan(
    _ ranges: [KeyRange], _ limit: Int, _ columns: ColumnSet, _ rows: inout RowBatch
  ) throws(BolideError) {
    let end = rows.count + limit
    while next < ranges.count, rows.count < end {
      try reader.scan(
        ranges[path.backwards ? ranges.count - 1 - next : next], of: table, backwards: path.backwards,
        from: &place, limit: end - rows.count, columns: columns, into: &rows)
      if place == nil { next += 1 }
    }
    isAtEnd = next == ranges.count
  }
}
