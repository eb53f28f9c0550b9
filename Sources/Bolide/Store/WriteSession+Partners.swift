import BolideStorage

extension WriteSession {
  /// Refuses to leave an object without its partner in a one-to-one that needs one, where the partner's row keeps the link:
  /// by whatever path it was inserted or lost its partner (rules R-1, V-9).
  func refuseMissingPartners() throws(BolideError) {
    var problems: [ValidationProblem] = []
    let relationships = RelationshipReader(map: map, reader: transaction)
    for entity in map.entities {
      for property in entity.relationships where property.needsPartner {
        guard case .inverse(_, let source, let column, let index, _, _) = property.kind else { continue }
        var owners = log.insertedNumbers(of: entity.id)
        for side in log.sides.keys where side.table == entity.table && side.property == property.id {
          owners.insert(side.owner)
        }
        for number in try objects(among: owners, of: entity) {
          let partners = try relationships.referring(to: number, from: source, column: column, index: index)
          guard partners.isEmpty else { continue }
          let id = ManagedObjectID(storeID: coordinator.storeID, entityName: entity.name, number: number)
          problems.append(.missingPartner(of: id, property))
        }
      }
    }
    if let error = ValidationProblem.error(problems) { throw error }
  }

  /// Those that are there, and of an entity itself.
  private func objects(among numbers: NumberSet, of entity: EntityMap) throws(BolideError) -> [Number] {
    var result: [Number] = []
    let all = numbers.numbers
    for start in stride(from: 0, to: all.count, by: Self.chunk) {
      let chunk = Array(all[start..<min(start + Self.chunk, all.count)])
      var rows = RowBatch(entity.format)
      try transaction.rows(
        chunk, of: entity.table, columns: ColumnSet(entity.entityColumn.map { [$0] } ?? []), into: &rows)
      for (place, number) in chunk.enumerated()
      where rows.withRow(at: place, { self.entity(of: $0, in: entity.table) }) === entity {
        result.append(number)
      }
    }
    return result
  }
}
