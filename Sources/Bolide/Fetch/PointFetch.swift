import BolideStorage

/// A fetch of the one row that has a value in a unique column: asked of the index without a plan.
struct PointFetch {
  let entity: EntityMap
  private let point: UniqueColumn
  private let value: Value

  /// The name of the column.
  var columnName: String { entity.tableLayout.columns[point.column].name }

  /// Recognizes such a request; `nil` for any other, and for one that has a mistake to be told of.
  init?(_ terms: FetchTerms, entity: EntityMap) {
    guard !entity.uniqueColumns.isEmpty, terms.sort.isEmpty, terms.offset <= 0, terms.limit ?? 1 > 0,
      terms.problem == nil,
      case .compare(.path(let path), .equal, .literal(let value), let options)? = terms.condition,
      options.isEmpty, path.count == 1, !value.isNull,
      let point = entity.uniqueColumns.first(where: { $0.name == path[0] }), value.fits(point.type)
    else { return nil }
    self.entity = entity
    self.point = point
    self.value = value
  }

  /// The row, if there is one: one entry or none.
  func rows(from reader: any Reader) throws(BolideError) -> RowBatch {
    let memory = PointMemory(entity)
    _ = try find(in: reader, using: memory) { _, _ in }
    return memory.rows
  }

  /// Looks at the row, if there is one.
  func find<Result>(
    in reader: any Reader, using memory: PointMemory, _ body: (RowView, Number) -> Result
  ) throws(BolideError) -> Result? {
    memory.key.clear()
    memory.key.set(point.column, value)
    memory.keys.removeLast()
    memory.key.append(to: &memory.keys)
    memory.rows.removeLast()
    try reader.find(
      memory.keys, of: entity.table, by: point.index, columns: entity.allColumns, into: &memory.rows)
    if !memory.rows.isPresent(0) { memory.rows.removeLast() }
    return memory.rows.isEmpty ? nil : memory.rows.withRow(at: 0) { body($0, memory.rows.numbers[0]) }
  }
}

/// What look-ups by unique columns of one entity write into: kept by a context, so that one need not allocate it anew.
final class PointMemory {
  let entity: EntityMap
  // Used by one look-up at a time, which calls nothing that could begin another.
  @exclusivity(unchecked) fileprivate var key: RowBuilder
  @exclusivity(unchecked) fileprivate var keys: RowBatch
  @exclusivity(unchecked) fileprivate var rows: RowBatch

  init(_ entity: EntityMap) {
    self.entity = entity
    key = RowBuilder(entity.format)
    keys = RowBatch(entity.format)
    rows = RowBatch(entity.format)
  }
}
