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
    var memory = PointMemory(entity)
    try find(in: reader, using: &memory)
    return memory.rows
  }

  /// Finds the row: ``PointMemory/rows`` have one entry then, or none.
  func find(in reader: any Reader, using memory: inout PointMemory) throws(BolideError) {
    memory.key.clear()
    memory.key.set(point.column, value)
    memory.keys.removeLast()
    memory.key.append(to: &memory.keys)
    memory.rows.removeLast()
    try reader.find(
      memory.keys, of: entity.table, by: point.index, columns: entity.allColumns, into: &memory.rows)
    if !memory.rows.isPresent(0) { memory.rows.removeLast() }
  }
}

/// What look-ups by unique columns of one entity write into: kept by a context, so that one need not allocate it anew.
struct PointMemory {
  let entity: EntityMap
  fileprivate var key: RowBuilder
  fileprivate var keys: RowBatch
  fileprivate(set) var rows: RowBatch

  init(_ entity: EntityMap) {
    self.entity = entity
    key = RowBuilder(entity.format)
    keys = RowBatch(entity.format)
    rows = RowBatch(entity.format)
  }
}
