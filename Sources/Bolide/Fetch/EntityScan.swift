import BolideStorage

/// Walks the stored objects of an entity and its sub-entities that meet a condition, by number or another path, in chunks.
package struct EntityScan {
  package let map: SchemaMap
  package let reader: any Reader
  package let entity: EntityMap
  package let condition: BoundCondition?
  package var includesSubentities = true
  package var path = AccessPath.byNumber

  package init(map: SchemaMap, reader: any Reader, entity: EntityMap, condition: BoundCondition?) {
    self.map = map
    self.reader = reader
    self.entity = entity
    self.condition = condition
  }

  /// The most rows a call across the contract.
  static let chunk = 1024

  /// Hands out the matching rows, whole chunks of them.
  ///
  /// - Parameter limit: the most rows to hand out; chunks begin small then, so that little is read in vain.
  package func forEachChunk(
    columns: ColumnSet, atMost limit: Int? = nil, _ body: (RowBatch) throws -> Void
  ) throws {
    var tested = condition?.columns ?? ColumnSet()
    if let column = entity.entityColumn { tested.insert(column) }
    let needed = columns.union(tested)
    // Where few rows match, what is wanted of a row is read only once it does.
    var isNarrow = false
    var place: Place?
    var rows = RowBatch(entity.format)
    var left = limit ?? .max
    var size = min(Self.chunk, max(16, left))
    while left > 0 {
      rows.removeAll()
      try reader.scan(
        path.range, of: entity.table, backwards: path.backwards, from: &place, limit: size,
        columns: isNarrow ? tested : needed, into: &rows)
      size = min(Self.chunk, size * 2)
      if condition == nil, entity.entityColumn == nil, rows.count <= left {
        left -= rows.count
        if !rows.isEmpty { try body(rows) }
      } else {
        let matching = try matching(rows, atMost: left)
        left -= matching.count
        if isNarrow, !matching.isEmpty {
          var whole = RowBatch(entity.format)
          try reader.rows(matching.numbers, of: entity.table, columns: needed, into: &whole)
          try body(whole)
        } else if !matching.isEmpty {
          try body(matching)
        }
        isNarrow = needed != tested && matching.count * Self.narrowing < rows.count
      }
      if place == nil { return }
    }
  }

  /// Reading a row by its number costs about as much as reading on over so many.
  private static let narrowing = 8

  /// The first rows that match.
  private func matching(_ rows: RowBatch, atMost limit: Int) throws(BolideError) -> RowBatch {
    var matching = RowBatch(entity.format)
    let places = try places(in: rows)
    rows.withRows { views in
      for place in places.prefix(limit) { matching.append(views[place], number: rows.numbers[place]) }
    }
    return matching
  }

  /// Hands out the matching rows one by one.
  package func forEach(
    columns: ColumnSet, atMost limit: Int? = nil, _ body: (RowView, Number) throws -> Void
  ) throws {
    try forEachChunk(columns: columns, atMost: limit) { rows in
      try rows.withRows { views in
        for index in 0..<views.count { try body(views[index], rows.numbers[index]) }
      }
    }
  }

  /// The places in a batch of the rows that are there, are of the entity and meet the condition.
  package func places(in rows: RowBatch) throws(BolideError) -> [Int] {
    try rows.withRows { (views) throws(BolideError) in
      let candidates = (0..<views.count).filter { views.isPresent($0) && isOfEntity(views[$0]) }
      guard let condition else { return candidates }
      return try condition.places(candidates, in: views, numbers: rows.numbers, reader: reader)
    }
  }

  private func isOfEntity(_ row: RowView) -> Bool {
    if entity.entityColumn == nil { return true }
    let id = map.entity(of: row, in: entity.table).id
    return includesSubentities ? entity.includes(id) : id == entity.id
  }
}
