import BolideStorage

/// One-to-ones stay one-to-one, whoever else edited them meanwhile (rule R-1).
extension Save {
  /// A partner that this save gave an object, in the column of its row.
  private struct Claim {
    let object: ManagedObject
    let property: PropertyMap
    let column: Int
    let index: IndexID
    let destination: EntityID
    let owner: Number
    let target: Number
  }

  /// Decides by the policy where a partner is another object's in the store, which this context did not know of.
  func settlePartners() throws(BolideError) {
    let relationships = RelationshipReader(map: map, reader: session.transaction)
    // Of two claims of one save the later one counts, as it does where attributes meet.
    for claim in partnerClaims().reversed() {
      let holders = try relationships.referring(
        to: claim.target, from: claim.object.entity.table, column: claim.column, index: claim.index)
      guard holders.contains(claim.owner) else { continue }
      let others = holders.filter { $0 != claim.owner }
      if others.isEmpty, !isKept(claim) { continue }
      switch policy {
      case .error:
        for other in others {
          try notePartner(
            claim.target, of: claim.destination, property: claim.property, wanted: claim.object, stored: other
          )
        }
      case .objectTrump, .overwrite: try setReference(claim, of: others, to: nil)
      case .storeTrump, .rollback: try giveBack(claim)
      }
    }
    try throwConflicts()
  }

  private func partnerClaims() -> [Claim] {
    var sides: [EntityID: [PropertyMap]] = [:]
    for entity in map.entities {
      let oneToOnes = entity.relationships.filter { property in
        guard case .toOne(_, _, _, let destination) = property.kind else { return false }
        return map.inverse(of: property, destination: destination)?.relationship?.isToMany == false
      }
      if !oneToOnes.isEmpty { sides[entity.id] = oneToOnes }
    }
    if sides.isEmpty { return [] }
    var claims: [Claim] = []
    for object in inserts + updates where !dropped.contains(object) && !kept.contains(object) {
      for property in sides[object.entity.id] ?? [] {
        guard case .toOne(let column, let index, _, let destination) = property.kind,
          case .object(let id?)? = object.edits[column], let owner = number(of: object.objectID),
          let target = number(of: id)
        else { continue }
        claims.append(
          Claim(
            object: object, property: property, column: column, index: index, destination: destination,
            owner: owner, target: target))
      }
    }
    return claims
  }

  /// Whether the partner is a stored object that a new one met and the policy leaves as it is.
  private func isKept(_ claim: Claim) -> Bool {
    let table = map.entities[claim.destination].table
    return kept.contains { $0.entity.table == table && numbers[$0.objectID] == claim.target }
  }

  /// Takes a partner back: the object has the one that it had before, where that one is free, or none.
  private func giveBack(_ claim: Claim) throws(BolideError) {
    let table = claim.object.entity.table
    var before: Number?
    if !session.log.isInserted(claim.owner, entity: claim.object.entity.id) {
      var row = RowBatch(claim.object.entity.format)
      try session.stateBefore().rows(
        [claim.owner], of: table, columns: ColumnSet([claim.column]), into: &row)
      before = row.withRow(at: 0) { $0.isNil(claim.column) ? nil : $0.int(claim.column) } ?? nil
    }
    if before == claim.target { return }
    if let partner = before {
      let relationships = RelationshipReader(map: map, reader: session.transaction)
      let holders = try relationships.referring(
        to: partner, from: table, column: claim.column, index: claim.index)
      let isThere = try rows([partner], of: map.entities[claim.destination].table, columns: ColumnSet())
        .isPresent(0)
      if !holders.isEmpty || !isThere { before = nil }
    }
    try setReference(claim, of: [claim.owner], to: before)
  }

  /// Sets the reference of stored objects, with what that does to the other side.
  private func setReference(_ claim: Claim, of numbers: [Number], to target: Number?) throws(BolideError) {
    let table = claim.object.entity.table
    let stored = try rows(numbers, of: table)
    for (place, number) in numbers.enumerated() {
      try stored.withRow(at: place) { (row) throws(BolideError) in
        let entity = session.entity(of: row, in: table)
        if target == nil, entity.required.contains(claim.column) {
          throw BolideError(
            .validationRequired, "\(entity.name)#\(number) would lose its \(claim.property.name)")
        }
        var builder = RowBuilder(entity.format)
        builder.load(row)
        builder.set(claim.column, target.map(Value.reference) ?? .null)
        var image = RowBatch(entity.format)
        builder.append(to: &image, number: number)
        var taken: [Taken] = []
        try session.transaction.update(image, of: table, columns: ColumnSet([claim.column]), taken: &taken)
        try image.withRow(at: 0) { (new) throws(BolideError) in
          try session.logUpdate(number, entity: entity, current: row, new: new)
        }
        noteReferences(of: entity, from: row, to: image)
      }
    }
  }

  // MARK: Required to-ones

  /// A to-one that must name an object cannot be left without one: where the object was deleted here or by another writer,
  /// or was dropped by the policy, the save is refused.
  func refuseMissingReferences() throws(BolideError) {
    var problems: [ValidationProblem] = []
    for object in inserts + updates where !dropped.contains(object) {
      for property in object.entity.relationships where !property.isOptional {
        guard let column = property.column, case .object(let id?)? = object.edits[column],
          isDeletedHere(id) || number(of: id) == nil || lostReferences(of: object).contains(column),
          let number = number(of: object.objectID)
        else { continue }
        let row = try rows([number], of: object.entity.table, columns: ColumnSet([column]))
        guard row.withRow(at: 0, { $0.isNil(column) }) == true else { continue }
        problems.append(
          ValidationProblem(
            object.objectID, property.name, rule: .required, reason: "has no value: \(id) is not stored"))
      }
    }
    if let error = ValidationProblem.error(problems) { throw error }
  }
}
