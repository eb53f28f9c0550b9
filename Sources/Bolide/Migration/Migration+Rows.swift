import BolideStorage

/// Rows of one table of the new layout, made from stored ones.
extension Migration {
  /// Writes the rows of a table.
  func fill(_ table: TableID) throws(BolideError) {
    let plan = self.plan.tables[table]
    guard let source = plan.source else { return }
    let format = new.layout.tables[table].format
    var gone: [Number] = []
    try forEachChunk(of: source) { (rows) throws(BolideError) in
      var images = RowBatch(format)
      try rows.withRows { (views) throws(BolideError) in
        for index in 0..<views.count {
          let number = rows.numbers[index]
          guard let entity = successor(of: views[index], in: source, as: table) else {
            gone.append(number)
            continue
          }
          var builder = try image(of: views[index], number: number, from: source, as: entity)
          check(&builder, of: entity, number)
          builder.append(to: &images, number: number)
        }
      }
      if problems.isEmpty, !images.isEmpty { try write(images, to: table, plan) }
    }
    if plan.isKept, !gone.isEmpty { try remove(gone, from: table) }
  }

  /// The entity that a stored row is of now.
  private func successor(of row: RowView, in source: TableID, as table: TableID) -> EntityMap? {
    let before = old.entity(of: row, in: source)
    guard let id = plan.match.successors[before.id], new.entities[id].table == table else { return nil }
    return new.entities[id]
  }

  private func write(
    _ images: RowBatch, to table: TableID, _ plan: MigrationPlan.TablePlan
  ) throws(BolideError) {
    var taken: [Taken] = []
    if plan.isKept {
      if plan.written.isEmpty { return }
      return try transaction.update(images, of: table, columns: plan.written, taken: &taken)
    }
    // Rows keep their numbers: those without a gap go in one call.
    var start = 0
    while start < images.count {
      var run = RowBatch(images.format)
      let first = images.numbers[start]
      images.withRows { views in
        while start < views.count, images.numbers[start] == first + Number(run.count) {
          run.append(views[start], number: 0)
          start += 1
        }
      }
      _ = try transaction.insert(run, of: table, numberedFrom: first, taken: &taken)
    }
  }

  /// Removes rows of an entity that is gone, with their links.
  private func remove(_ numbers: [Number], from table: TableID) throws(BolideError) {
    let relationships = RelationshipReader(map: new, reader: transaction)
    for start in stride(from: 0, to: numbers.count, by: WriteSession.chunk) {
      let chunk = Array(numbers[start..<min(start + WriteSession.chunk, numbers.count)])
      for (id, link) in new.layout.links.enumerated() where plan.links[id].isKept {
        for side in [LinkSide.forward, .inverse] where (side == .forward ? link.source : link.target) == table
        {
          let links = try relationships.links(id, of: chunk, side: side)
          var removed: [Bool] = []
          try transaction.unlink(id, links, removed: &removed)
        }
      }
      try transaction.delete(chunk, of: table)
    }
  }

  // MARK: One row

  /// What a stored row is under the new schema.
  private func image(
    of row: RowView, number: Number, from source: TableID, as entity: EntityMap
  ) throws(BolideError) -> RowBuilder {
    var builder = entity.defaults
    for property in entity.properties {
      guard let column = property.column, let stored = plan.match.stored(property, of: entity.id) else {
        continue
      }
      if let attribute = property.attribute {
        guard let before = stored.column, !isDerivedAnew(property, stored) else { continue }
        let value = row.value(before)
        if !value.isNull {
          builder.set(column, value.widened(to: attribute.type))
        } else if property.isOptional || attribute.defaultValue.isNull {
          builder.setNil(column)
        }
      } else {
        let target = try reference(stored, of: row, number: number, from: source)
        if let target { builder.set(column, .reference(target)) } else { builder.setNil(column) }
      }
    }
    return builder
  }

  /// Whether a derived attribute has to be computed: it is new, or derived in another way.
  func isDerivedAnew(_ property: PropertyMap, _ stored: PropertyMap?) -> Bool {
    guard let derivation = property.attribute?.derivation else { return false }
    return stored?.attribute?.derivation != derivation || stored?.attribute?.type != property.attribute?.type
  }

  /// The object that a relationship named which is to-one now.
  private func reference(
    _ stored: PropertyMap, of row: RowView, number: Number, from source: TableID
  ) throws(BolideError) -> Number? {
    let target: Number?
    if case .toOne(let column, _, _, _) = stored.kind {
      target = row.isNil(column) ? nil : row.int(column)
    } else {
      target = try RelationshipReader(map: old, reader: before).members(stored, of: number, table: source)
        .first
    }
    guard let target, let destination = stored.destination else { return nil }
    return try isGone(target, of: destination) ? nil : target
  }

  /// Whether an object is of an entity that is removed while others of its table stay.
  func isGone(_ number: Number, of destination: EntityID) throws(BolideError) -> Bool {
    let table = old.entities[destination].table
    guard plan.removesRows(of: table) else { return false }
    var rows = RowBatch(old.layout.tables[table].format)
    let columns = ColumnSet(old.rootEntity(of: table).entityColumn.map { [$0] } ?? [])
    try before.rows([number], of: table, columns: columns, into: &rows)
    return rows.withRow(at: 0) { plan.match.successors[old.entity(of: $0, in: table).id] == nil } ?? true
  }

  /// Reports values that are required and not there.
  private func check(_ builder: inout RowBuilder, of entity: EntityMap, _ number: Number) {
    for column in entity.required where builder.isNil(column) {
      guard let property = entity.properties.first(where: { $0.column == column }) else { continue }
      report("\(entity.name)#\(number).\(property.name) is required and has no value")
    }
  }

  /// An object's name and row under the new schema, for messages.
  func newRow(_ number: Number, of table: TableID) throws(BolideError) -> (name: String, rows: RowBatch) {
    var result = RowBatch(new.layout.tables[table].format)
    guard let source = plan.tables[table].source else { return ("#\(number)", result) }
    let format = old.layout.tables[source].format
    var rows = RowBatch(format)
    try before.rows([number], of: source, columns: .all(format.columnCount), into: &rows)
    var name = "#\(number)"
    try rows.withRow(at: 0) { (row) throws(BolideError) in
      guard let entity = successor(of: row, in: source, as: table) else { return }
      name = "\(entity.name)#\(number)"
      try image(of: row, number: number, from: source, as: entity).append(to: &result, number: number)
    }
    return (name, result)
  }

  /// The stored rows of a table, whole, a chunk at a time.
  func forEachChunk(
    of table: TableID, _ body: (RowBatch) throws(BolideError) -> Void
  ) throws(BolideError) {
    let format = old.layout.tables[table].format
    var rows = RowBatch(format)
    var place: Place?
    repeat {
      rows.removeAll()
      try before.scan(
        .all, of: table, backwards: false, from: &place, limit: WriteSession.chunk,
        columns: .all(format.columnCount), into: &rows)
      try body(rows)
    } while place != nil
  }
}

extension Value {
  /// The same value in a type that takes it (``ValueType/takes(_:)``).
  fileprivate func widened(to type: ValueType) -> Value { converted(to: type) ?? self }
}
