import BolideStorage

/// Which objects a delete takes with it: the closure of the delete rules (rule R-2), worked out before
/// anything is written, so that a denied delete leaves nothing behind.
package struct DeletePlan {
  /// The objects to delete, by table.
  package private(set) var doomed: [TableID: NumberSet] = [:]
  private let session: WriteSession
  private let edits: (any UnwrittenEdits)?

  /// - Parameter edits: what the same transaction is still to write, and the rules are to judge by; `nil` for none.
  package init(_ session: WriteSession, edits: (any UnwrittenEdits)? = nil) {
    self.session = session
    self.edits = edits
  }

  /// Adds objects and what their rules cascade to.
  package mutating func add(_ numbers: [Number], of table: TableID) throws(BolideError) {
    var work: [(TableID, [Number])] = [(table, numbers)]
    while let (table, candidates) = work.popLast() {
      var new: [Number] = []
      for number in candidates where doomed[table, default: NumberSet()].insert(number) { new.append(number) }
      for start in stride(from: 0, to: new.count, by: WriteSession.chunk) {
        let chunk = Array(new[start..<min(start + WriteSession.chunk, new.count)])
        try forEachObject(chunk, of: table) { (entity, number) throws(BolideError) in
          for property in entity.relationships where property.deleteRule == .cascade {
            let members = try members(property, of: number, table: table)
            if !members.isEmpty { work.append((session.map.table(of: property), members)) }
          }
        }
      }
    }
  }

  /// Refuses the delete where a relationship with the rule deny keeps members that stay.
  package func checkDenied() throws(BolideError) {
    for (table, numbers) in doomed.sorted(by: { $0.key < $1.key }) {
      guard
        session.map.entities.contains(where: { entity in
          entity.table == table && entity.relationships.contains { $0.deleteRule == .deny }
        })
      else { continue }
      let all = numbers.numbers
      for start in stride(from: 0, to: all.count, by: WriteSession.chunk) {
        let chunk = Array(all[start..<min(start + WriteSession.chunk, all.count)])
        try forEachObject(chunk, of: table) { (entity, number) throws(BolideError) in
          for property in entity.relationships where property.deleteRule == .deny {
            let target = session.map.table(of: property)
            let staying = try members(property, of: number, table: table)
              .filter { doomed[target]?.contains($0) != true }
            if !staying.isEmpty {
              throw BolideError(
                .validationDenied,
                "\(entity.name)#\(number) cannot be deleted: \(property.name) has \(staying.count) members")
            }
          }
        }
      }
    }
  }

  /// Deletes the objects, their links and the references to them; every owner that loses a member is a change.
  ///
  /// - Returns: how many objects were deleted.
  package func execute() throws(BolideError) -> Int {
    var count = 0
    for (table, numbers) in doomed.sorted(by: { $0.key < $1.key }) {
      let all = numbers.numbers
      for start in stride(from: 0, to: all.count, by: WriteSession.chunk) {
        count += try delete(Array(all[start..<min(start + WriteSession.chunk, all.count)]), of: table)
      }
    }
    return count
  }

  // MARK: Steps

  /// The members that a side will have when the transaction ends.
  private func members(
    _ property: PropertyMap, of number: Number, table: TableID
  ) throws(BolideError) -> [Number] {
    let stored = try reader.members(property, of: number, table: table)
    return edits?.members(property, of: number, in: table, stored: stored) ?? stored
  }

  private var reader: RelationshipReader {
    RelationshipReader(map: session.map, reader: session.transaction)
  }

  private func rows(_ numbers: [Number], of table: TableID) throws(BolideError) -> RowBatch {
    let format = session.map.layout.tables[table].format
    var rows = RowBatch(format)
    try session.transaction.rows(numbers, of: table, columns: .all(format.columnCount), into: &rows)
    return rows
  }

  private func forEachObject(
    _ numbers: [Number], of table: TableID, _ body: (EntityMap, Number) throws(BolideError) -> Void
  ) throws(BolideError) {
    let rows = try rows(numbers, of: table)
    for (index, number) in numbers.enumerated() {
      if let entity = rows.withRow(at: index, { session.entity(of: $0, in: table) }) {
        try body(entity, number)
      }
    }
  }

  private func delete(_ numbers: [Number], of table: TableID) throws(BolideError) -> Int {
    let rows = try rows(numbers, of: table)
    var present: [Number] = []
    var byEntity: [EntityID: [Number]] = [:]
    for (index, number) in numbers.enumerated() {
      rows.withRow(at: index) { row in
        let entity = session.entity(of: row, in: table)
        present.append(number)
        byEntity[entity.id, default: []].append(number)
        session.bury(row, number: number, table: table)
        for property in entity.relationships {
          // The inverse side of a reference that goes with the object loses a member.
          guard case .toOne(let column, _, _, let destination) = property.kind, !row.isNil(column) else {
            continue
          }
          session.noteInverse(
            of: property, destination: destination, owner: row.int(column), member: number, added: false)
        }
      }
    }
    for (id, members) in byEntity.sorted(by: { $0.key < $1.key }) {
      for property in session.map.entities[id].relationships {
        try sever(property, of: members)
      }
    }
    try session.transaction.delete(present, of: table)
    for (id, members) in byEntity { for number in members { session.log.delete(number, entity: id) } }
    return present.count
  }

  /// Removes the links of objects that go, and clears the references that name them (rule R-2: no link names an
  /// object that is gone).
  private func sever(_ property: PropertyMap, of numbers: [Number]) throws(BolideError) {
    switch property.kind {
    case .attribute, .toOne:
      return
    case .link(let link, let side, _, let destination):
      let links = try reader.links(link, of: numbers, side: side)
      if links.isEmpty { return }
      var removed: [Bool] = []
      try session.transaction.unlink(link, links, removed: &removed)
      for pair in links {
        let (owner, member) = side == .forward ? (pair.to, pair.from) : (pair.from, pair.to)
        session.noteInverse(
          of: property, destination: destination, owner: owner, member: member, added: false)
      }
    case .inverse(_, let source, let column, let index, _, _):
      for number in numbers {
        let referring = try reader.referring(to: number, from: source, column: column, index: index)
          .filter { doomed[source]?.contains($0) != true }
        try clear(column, of: referring, in: source)
      }
    }
  }

  private func clear(_ column: Int, of numbers: [Number], in table: TableID) throws(BolideError) {
    let format = session.map.layout.tables[table].format
    for start in stride(from: 0, to: numbers.count, by: WriteSession.chunk) {
      let chunk = Array(numbers[start..<min(start + WriteSession.chunk, numbers.count)])
      let stored = try rows(chunk, of: table)
      var images = RowBatch(format)
      var builder = RowBuilder(format)
      for (index, number) in chunk.enumerated() {
        try stored.withRow(at: index) { (row) throws(BolideError) in
          let entity = session.entity(of: row, in: table)
          if entity.required.contains(column) {
            // Its new owner is still to be written.
            if edits?.willMove(number, in: table, column: column) == true { return }
            throw BolideError(
              .validationRequired,
              "\(entity.name)#\(number) would lose its \(entity.tableLayout.columns[column].name)")
          }
          builder.load(row)
          builder.setNil(column)
          builder.append(to: &images, number: number)
          try images.withRow(at: images.count - 1) { (new) throws(BolideError) in
            try session.logUpdate(number, entity: entity, current: row, new: new)
          }
        }
      }
      var taken: [Taken] = []
      try session.transaction.update(images, of: table, columns: ColumnSet([column]), taken: &taken)
    }
  }
}

/// What a save has yet to write when it deletes: delete rules judge by the links that there will be (rule R-2).
package protocol UnwrittenEdits {
  /// The stored members that a side will have.
  func members(_ property: PropertyMap, of owner: Number, in table: TableID, stored: [Number]) -> [Number]
  /// Whether a reference that cannot be cleared will be set to something else.
  func willMove(_ member: Number, in table: TableID, column: Int) -> Bool
}

extension WriteSession {
  /// Notes in the log that the other side of a relationship gained or lost a member.
  package func noteInverse(
    of property: PropertyMap, destination: EntityID, owner: Number, member: Number, added: Bool
  ) {
    guard let inverse = map.inverse(of: property, destination: destination) else { return }
    log.note(
      ChangeLog.Side(
        table: map.entities[destination].table, property: inverse.id, owner: owner, member: member),
      added: added)
  }
}

extension SchemaMap {
  /// The table of the objects a relationship names.
  package func table(of property: PropertyMap) -> TableID {
    property.destination.map { entities[$0].table } ?? 0
  }

  /// The other side of a relationship.
  package func inverse(of property: PropertyMap, destination: EntityID) -> PropertyMap? {
    guard let name = property.relationship?.inverse else { return nil }
    return entities[destination].relationships.first { $0.name == name }
  }
}

extension PropertyMap {
  /// What deleting the owner does to the members; nullify for attributes, which have none.
  package var deleteRule: DeleteRule { relationship?.deleteRule ?? .nullify }
}
