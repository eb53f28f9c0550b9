import BolideStorage

/// A fetch of the one row that has a value in a unique column: asked of the index without a plan.
struct PointFetch {
  private let entity: EntityMap
  private let index: IndexID
  private let column: Int
  private let value: Value

  /// The name of the column.
  var columnName: String { entity.tableLayout.columns[column].name }

  /// Recognizes such a request; `nil` for any other, and for one that has a mistake to be told of.
  init?<Object: ManagedObject>(_ request: FetchRequest<Object>, entity: EntityMap) {
    guard entity.entityColumn == nil, request.sort.isEmpty, request.offset <= 0, request.limit ?? 1 > 0,
      case .compare(.path(let path), .equal, .literal(let value), let options)? = request.condition,
      options.isEmpty, path.count == 1, let property = entity.find(path[0]), let column = property.column,
      property.attribute != nil, !value.isNull, value.fits(entity.format.types[column]),
      let index = entity.tableLayout.indexes.firstIndex(where: { $0.isUnique && $0.columns == [column] })
    else { return nil }
    self.entity = entity
    self.index = index
    self.column = column
    self.value = value
  }

  /// The row, if there is one.
  func rows(columns: ColumnSet, from reader: any Reader) throws(BolideError) -> RowBatch {
    var key = RowBuilder(entity.format)
    key.set(column, value)
    var keys = RowBatch(entity.format)
    key.append(to: &keys)
    var rows = RowBatch(entity.format)
    try reader.find(keys, of: entity.table, by: index, columns: columns, into: &rows)
    if !rows.isPresent(0) { rows.removeAll() }
    return rows
  }
}
