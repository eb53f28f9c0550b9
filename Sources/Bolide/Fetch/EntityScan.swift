import BolideStorage

/// Walks the stored objects of an entity and its sub-entities that meet a condition, by number, in chunks.
package struct EntityScan {
  package let map: SchemaMap
  package let reader: any Reader
  package let entity: EntityMap
  package let condition: BoundCondition?
  package var includesSubentities = true

  package init(map: SchemaMap, reader: any Reader, entity: EntityMap, condition: BoundCondition?) {
    self.map = map
    self.reader = reader
    self.entity = entity
    self.condition = condition
  }

  /// Hands out the matching rows, whole chunks of them.
  package func forEachChunk(columns: ColumnSet, _ body: (RowBatch) throws -> Void) throws {
    var needed = columns
    if let condition { needed.formUnion(condition.columns) }
    if let column = entity.entityColumn { needed.insert(column) }
    var place: Place?
    var rows = RowBatch(entity.format)
    repeat {
      rows.removeAll()
      try reader.scan(
        .all, of: entity.table, backwards: false, from: &place, limit: 1024, columns: needed, into: &rows)
      if condition == nil, entity.entityColumn == nil {
        if !rows.isEmpty { try body(rows) }
        continue
      }
      var matching = RowBatch(entity.format)
      try rows.withRows { views in
        for index in 0..<views.count where try matches(views[index], number: rows.numbers[index]) {
          matching.append(views[index], number: rows.numbers[index])
        }
      }
      if !matching.isEmpty { try body(matching) }
    } while place != nil
  }

  /// Hands out the matching rows one by one.
  package func forEach(columns: ColumnSet, _ body: (RowView, Number) throws -> Void) throws {
    try forEachChunk(columns: columns) { rows in
      try rows.withRows { views in
        for index in 0..<views.count { try body(views[index], rows.numbers[index]) }
      }
    }
  }

  /// Whether a row is of the entity and meets the condition.
  package func matches(_ row: RowView, number: Number) throws(BolideError) -> Bool {
    if entity.entityColumn != nil {
      let id = map.entity(of: row, in: entity.table).id
      guard includesSubentities ? entity.includes(id) : id == entity.id else { return false }
    }
    guard let condition else { return true }
    return try condition.matches(row, number: number, reader: reader)
  }
}
