import BolideStorage

/// What a batch update makes of rows, one after the other.
struct RowUpdate {
  private let assignments: RowAssignments
  private let columns: [Int]
  private let reader: any Reader
  private var builder: RowBuilder

  /// - Parameter reader: the state before, which expressions look at.
  init(_ assignments: RowAssignments, of entity: EntityMap, reader: any Reader) {
    self.assignments = assignments
    columns = assignments.columns.members
    self.reader = reader
    builder = RowBuilder(entity.format)
  }

  /// Appends a row as it becomes, unless that is what it was; gives the columns in which it differs.
  ///
  /// - Parameter overlay: the row that all others take their values from, where there is one.
  mutating func append(
    _ row: RowView, _ number: Number, of entity: EntityMap, overlay: RowView?, to changed: inout RowBatch
  ) throws(BolideError) -> ColumnSet {
    if let overlay {
      let differences = overlay.differences(from: row, in: columns)
      if !differences.isEmpty { changed.append(row, number: number, taking: columns, from: overlay) }
      return differences
    }
    builder.load(row)
    try assignments.apply(to: &builder, row: row, number: number, of: entity, reader: reader)
    builder.append(to: &changed, number: number)
    let differences = changed.withRow(at: changed.count - 1) { $0.differences(from: row, in: columns) }
    if differences?.isEmpty != false { changed.removeLast() }
    return differences ?? ColumnSet()
  }
}
