import BolideStorage

/// Derived counts and the relationship part of history, both from the net link changes of a transaction
/// (rules R-3, H-2, U-4).
extension WriteSession {
  /// Recounts what links changed and completes the log: both sides of every link edit are changes.
  package func refreshDerived() throws(BolideError) {
    var touched: [TableID: [Number: PropertySet]] = [:]
    for side in log.sides.keys {
      touched[side.table, default: [:]][side.owner, default: PropertySet()].insert(side.property)
    }
    for (table, owners) in touched.sorted(by: { $0.key < $1.key }) {
      let numbers = owners.keys.sorted()
      var start = 0
      while start < numbers.count {
        let chunk = Array(numbers[start..<min(start + Self.chunk, numbers.count)])
        start += chunk.count
        try refresh(chunk, of: table, touched: owners)
      }
    }
  }

  private func refresh(
    _ numbers: [Number], of table: TableID, touched: [Number: PropertySet]
  ) throws(BolideError) {
    let format = map.layout.tables[table].format
    var rows = RowBatch(format)
    try transaction.rows(numbers, of: table, columns: .all(format.columnCount), into: &rows)
    var owners: [(number: Number, entity: EntityMap, index: Int)] = []
    rows.withRows { views in
      for (index, number) in numbers.enumerated() where views.isPresent(index) {
        owners.append((number, entity(of: views[index], in: table), index))
      }
    }
    var columns: [Number: [Int: Int]] = [:]
    for entity in map.entities where entity.table == table {
      for count in entity.derivedCounts {
        let affected = owners.filter {
          $0.entity.id == entity.id && touched[$0.number]?.contains(count.relationship.id) == true
        }
        let counts = try memberCounts(count.relationship, of: affected.map(\.number))
        for (owner, value) in zip(affected, counts) {
          columns[owner.number, default: [:]][count.column] = value
        }
      }
    }
    var changed: [ColumnSet: RowBatch] = [:]
    var extensions: [(Number, EntityID, PropertySet)] = []
    var builder = RowBuilder(format)
    rows.withRows { views in
      for owner in owners {
        var properties = touched[owner.number] ?? PropertySet()
        let view = views[owner.index]
        let stale = (columns[owner.number] ?? [:]).filter {
          view.isNil($0.key) || view.int($0.key) != Int64($0.value)
        }
        if !stale.isEmpty {
          builder.load(view)
          for (column, value) in stale { builder.set(column, int: Int64(value)) }
          let set = ColumnSet(stale.keys)
          builder.append(to: &changed[set, default: RowBatch(format)], number: owner.number)
          properties.formUnion(set)
        }
        extensions.append((owner.number, owner.entity.id, properties))
      }
    }
    for (set, batch) in changed {
      var taken: [Taken] = []
      try transaction.update(batch, of: table, columns: set, taken: &taken)
    }
    for (number, entity, properties) in extensions { log.extend(number, entity: entity, by: properties) }
  }

  /// How many members a to-many side has for each owner.
  package func memberCounts(_ relationship: PropertyMap, of owners: [Number]) throws(BolideError) -> [Int] {
    try RelationshipReader(map: map, reader: transaction).counts(relationship, of: owners)
  }
}

extension EntityMap {
  /// The derived counts of the entity: their column and the relationship they count.
  package var derivedCounts: [(column: Int, relationship: PropertyMap)] {
    attributes.compactMap { property in
      guard case .attribute(let column, let description) = property.kind,
        case .count(let name)? = description.derivation,
        let relationship = properties.first(where: { $0.name == name })
      else { return nil }
      return (column, relationship)
    }
  }
}
