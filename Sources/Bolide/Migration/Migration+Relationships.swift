import BolideStorage

/// Links and derived values of the new layout.
extension Migration {
  // MARK: To-one

  /// Reports objects that name several others where they may name one now.
  func checkMembers() throws(BolideError) {
    let relationships = RelationshipReader(map: old, reader: before)
    for entity in new.entities {
      guard let source = plan.match.entities[entity.id].map({ old.entities[$0] }) else { continue }
      for property in entity.relationships where !property.isToMany {
        guard let stored = plan.match.stored(property, of: entity.id), stored.isToMany else { continue }
        try forEachChunk(of: source.table) { (rows) throws(BolideError) in
          let owners = rows.withRows { views in
            (0..<views.count).filter { old.entity(of: views[$0], in: source.table).id == source.id }
              .map { rows.numbers[$0] }
          }
          for (owner, count) in zip(owners, try relationships.counts(stored, of: owners)) where count > 1 {
            report("\(entity.name)#\(owner).\(property.name) is to-one now and names \(count) objects")
          }
        }
      }
    }
  }

  /// Reports objects without the partner that they must have now and that the other side keeps (rule R-1); a required
  /// reference of their own is checked with their rows.
  func checkPartners() throws(BolideError) {
    let relationships = RelationshipReader(map: new, reader: transaction)
    for entity in new.entities {
      let needed = entity.relationships.filter { property in
        guard property.needsPartner else { return false }
        let stored = plan.match.stored(property, of: entity.id)
        return stored?.needsPartner != true
          || stored?.destination.map { plan.removesRows(of: old.entities[$0].table) } == true
      }
      if needed.isEmpty { continue }
      var columns = ColumnSet()
      if let column = entity.entityColumn { columns.insert(column) }
      var rows = RowBatch(entity.format)
      var place: Place?
      repeat {
        rows.removeAll()
        try transaction.scan(
          .all, of: entity.table, backwards: false, from: &place, limit: WriteSession.chunk, columns: columns,
          into: &rows)
        let owners = rows.withRows { views in
          (0..<views.count).filter { new.entity(of: views[$0], in: entity.table).id == entity.id }
            .map { rows.numbers[$0] }
        }
        for property in needed {
          for (owner, count) in zip(owners, try relationships.counts(property, of: owners)) where count == 0 {
            report("\(entity.name)#\(owner).\(property.name) is required and has no value")
          }
        }
      } while place != nil
    }
  }

  // MARK: Links

  /// Writes the links of relationships that had another place.
  func fillLinks() throws(BolideError) {
    for (link, plan) in plan.links.enumerated() {
      guard let source = plan.source, !plan.isKept, let owner = self.plan.match.entities[plan.entity] else {
        continue
      }
      try forEachPair(of: source, owner: old.entities[owner]) { (pairs) throws(BolideError) in
        var added: [Bool] = []
        try transaction.link(link, pairs.map { Link(from: $0.0, to: $0.1) }, added: &added)
      }
    }
  }

  /// The pairs of a stored relationship: owner, then member.
  private func forEachPair(
    of relationship: PropertyMap, owner: EntityMap,
    _ body: ([(Number, Number)]) throws(BolideError) -> Void
  ) throws(BolideError) {
    guard let destination = relationship.destination else { return }
    func hand(_ pairs: [(Number, Number)]) throws(BolideError) {
      var kept: [(Number, Number)] = []
      for pair in pairs {
        if try isGone(pair.0, of: owner.id) { continue }
        if try isGone(pair.1, of: destination) { continue }
        kept.append(pair)
      }
      if !kept.isEmpty { try body(kept) }
    }
    switch relationship.kind {
    case .attribute: return
    case .toOne(let column, _, _, _):
      try forEachChunk(of: owner.table) { (rows) throws(BolideError) in
        try hand(Self.references(rows, column).map { ($0.number, $0.target) })
      }
    case .inverse(_, let table, let column, _, _, _):
      try forEachChunk(of: table) { (rows) throws(BolideError) in
        try hand(Self.references(rows, column).map { ($0.target, $0.number) })
      }
    case .link(let link, let side, _, _):
      let reader = RelationshipReader(map: old, reader: before)
      try forEachChunk(of: owner.table) { (rows) throws(BolideError) in
        try hand(
          try reader.links(link, of: rows.numbers, side: side).map {
            side == .forward ? ($0.from, $0.to) : ($0.to, $0.from)
          })
      }
    }
  }

  private static func references(_ rows: RowBatch, _ column: Int) -> [(number: Number, target: Number)] {
    rows.withRows { views in
      (0..<views.count).compactMap {
        views[$0].isNil(column) ? nil : (rows.numbers[$0], views[$0].int(column))
      }
    }
  }

  // MARK: Derived values

  /// Computes derived attributes that are new, and all of them where what they follow from was written (rule R-3).
  func deriveAnew() throws(BolideError) {
    let isWritten =
      plan.tables.contains { $0.isWalked } || plan.links.contains { !$0.isKept }
      || plan.match.successors.contains { $0 == nil }
    let rules = DerivedRules(new)
    for table in new.layout.tables.indices where plan.tables[table].source != nil {
      let wanted = rules.attributes.filter { attribute in
        attribute.entity.table == table
          && (isWritten
            || isDerivedAnew(
              attribute.property, plan.match.stored(attribute.property, of: attribute.entity.id)))
      }
      if !wanted.isEmpty { try derive(wanted, of: table) }
    }
  }

  private func derive(_ attributes: [DerivedAttribute], of table: TableID) throws(BolideError) {
    let format = new.layout.tables[table].format
    let time = Value.date(environment.now())
    var builder = RowBuilder(format)
    var rows = RowBatch(format)
    var place: Place?
    repeat {
      rows.removeAll()
      try transaction.scan(
        .all, of: table, backwards: false, from: &place, limit: WriteSession.chunk,
        columns: .all(format.columnCount), into: &rows)
      var changed: [ColumnSet: RowBatch] = [:]
      try rows.withRows { (views) throws(BolideError) in
        for index in 0..<views.count {
          let number = rows.numbers[index]
          let entity = new.entity(of: views[index], in: table)
          var columns = ColumnSet()
          builder.load(views[index])
          for attribute in attributes where attribute.entity.id == entity.id {
            var value = try attribute.value(views[index], number: number, map: new, reader: transaction)
            if value == nil,
              isDerivedAnew(attribute.property, plan.match.stored(attribute.property, of: entity.id))
            {
              value = time
            }
            guard let value, value.normalized != views[index].value(attribute.column) else { continue }
            builder.set(attribute.column, value)
            columns.insert(attribute.column)
          }
          if !columns.isEmpty {
            builder.append(to: &changed[columns, default: RowBatch(format)], number: number)
          }
        }
      }
      for (columns, batch) in changed {
        var taken: [Taken] = []
        try transaction.update(batch, of: table, columns: columns, taken: &taken)
      }
    } while place != nil
  }
}
