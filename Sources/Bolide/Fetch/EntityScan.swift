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
  package func forEachChunk(columns: ColumnSet, _ body: (RowBatch) throws -> Void) throws {
    try walk(columns: columns) { rows, places in
      if places.count == rows.count { return try body(rows) }
      var matching = RowBatch(rows.format)
      matching.append(rows, at: places)
      try body(matching)
    }
  }

  /// Hands out chunks of rows and the places in them of the rows that match; chunks without any are left out.
  ///
  /// - Parameter limit: the most rows to hand out; chunks begin small then, so that little is read in vain.
  func walk(
    columns: ColumnSet, atMost limit: Int? = nil, _ body: (RowBatch, [Int]) throws -> Void
  ) throws {
    var tested = condition?.columns ?? ColumnSet()
    if let column = entity.entityColumn { tested.insert(column) }
    let needed = columns.union(tested)
    // Where few rows match, what is wanted of a row is read only once it does.
    var isNarrow = false
    var walk = PathWalk(self)
    var rows = RowBatch(entity.format)
    var left = limit ?? .max
    var size = min(Self.chunk, max(16, left))
    while left > 0 {
      rows.removeAll()
      try walk.append(atMost: size, columns: isNarrow ? tested : needed, to: &rows)
      size = min(Self.chunk, size * 2)
      var places = try places(in: rows)
      if places.count > left { places.removeSubrange(left...) }
      left -= places.count
      if isNarrow, !places.isEmpty {
        var whole = RowBatch(entity.format)
        try reader.rows(
          places.map { rows.numbers[$0] }, of: entity.table, columns: needed, into: &whole)
        try body(whole, Array(0..<whole.count))
      } else if !places.isEmpty {
        try body(rows, places)
      }
      isNarrow = needed != tested && places.count * Self.narrowing < rows.count
      if walk.isAtEnd { return }
    }
  }

  /// Adds the matching rows to a batch.
  ///
  /// - Parameter limit: the most rows to add.
  func collect(columns: ColumnSet, atMost limit: Int? = nil, into batch: inout RowBatch) throws {
    guard condition == nil, entity.entityColumn == nil else {
      return try walk(columns: columns, atMost: limit) { rows, places in batch.append(rows, at: places) }
    }
    // Without anything to ask of them, rows go where they are to stay.
    var walk = PathWalk(self)
    var left = limit ?? .max
    var hasRoom = limit != nil
    while left > 0 {
      let before = batch.count
      try walk.append(atMost: min(Self.chunk, left), columns: columns, to: &batch)
      left -= batch.count - before
      if walk.isAtEnd { return }
      if !hasRoom, !batch.isEmpty {
        // Room for all of them at once, as long as the first ones are: growing piece by piece copies.
        let total = try reader.count(of: entity.table)
        batch.reserve(rows: total, bytes: batch.byteCount / batch.count * (total + total / 16))
        hasRoom = true
      }
    }
  }

  /// Reading a row by its number costs about as much as reading on over so many.
  private static let narrowing = 8

  /// Hands out the matching rows one by one.
  package func forEach(
    columns: ColumnSet, atMost limit: Int? = nil, _ body: (RowView, Number) throws -> Void
  ) throws {
    try walk(columns: columns, atMost: limit) { rows, places in
      try rows.withRows { views in
        for place in places { try body(views[place], rows.numbers[place]) }
      }
    }
  }

  /// The places in a batch of the rows that are there, are of the entity and meet the condition.
  package func places(in rows: RowBatch) throws(BolideError) -> [Int] {
    let isAlone = entity.entityColumn == nil
    return try rows.withRows { (views) throws(BolideError) in
      // Nothing of the scan is copied for a row.
      let candidates =
        isAlone
        ? (0..<views.count).filter { views.isPresent($0) }
        : (0..<views.count).filter { views.isPresent($0) && isOfEntity(views[$0]) }
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
