import BolideStorage

/// What a save checks before it writes, and how many members there are at its end (rule V-9).
extension Save {
  /// Checks all objects and reports all problems at once.
  func validate() throws(BolideError) {
    var problems: [ValidationProblem] = []
    // An object's edits by column, each looked up once.
    var edits: [ManagedObject.Edit?] = []
    for object in inserts + updates {
      edits.removeAll(keepingCapacity: true)
      edits.append(contentsOf: repeatElement(nil, count: object.entity.format.columnCount))
      for (column, edit) in object.edits { edits[column] = edit }
      if object.state == .inserted { addDefaults(of: object.entity, to: &edits) }
      for property in object.entity.properties {
        let problem =
          if let column = property.column {
            problem(of: property, in: object, edits[column], column)
          } else {
            try countProblem(of: property, in: object)
          }
        if let problem { problems.append(problem) }
      }
      addOwnRules(of: object, edits, to: &problems)
    }
    for object in deletes { Self.check(object, &problems) { try object.validateForDelete() } }
    if let error = ValidationProblem.error(problems) { throw error }
  }

  /// What a new object has by default is checked as what it was given.
  private func addDefaults(of entity: EntityMap, to edits: inout [ManagedObject.Edit?]) {
    for (column, property) in entity.attributesByColumn.enumerated() where edits[column] == nil {
      guard let attribute = property?.attribute, attribute.derivation == nil else { continue }
      edits[column] = .value(attribute.defaultValue)
    }
  }

  private func problem(
    of property: PropertyMap, in object: ManagedObject, _ edit: ManagedObject.Edit?, _ column: Int
  ) -> ValidationProblem? {
    func problem(_ rule: ValidationProblem.Rule, _ value: Value, _ reason: String) -> ValidationProblem {
      ValidationProblem(object.objectID, property.name, rule: rule, value: value, reason: reason)
    }
    let isMissing: Bool
    switch edit {
    case .value(let value)?:
      let type = object.entity.format.types[column]
      if value.isNaN { return problem(.notANumber, .null, "was given NaN") }
      if !value.fits(type) {
        return problem(.type, value, "takes \(type.rawValue) and was given \(value.kindName)")
      }
      if let broken = property.violation(by: value) { return problem(broken.rule, value, broken.reason) }
      isMissing = value.isNull
    case .object(let id)?:
      isMissing = id == nil
    case nil:
      isMissing = object.state == .inserted
    }
    return isMissing && property.isRequired ? problem(.required, .null, "has no value") : nil
  }

  // MARK: Rules of the class and the schema

  private func addOwnRules(
    of object: ManagedObject, _ edits: [ManagedObject.Edit?], to problems: inout [ValidationProblem]
  ) {
    Self.check(object, &problems) {
      if object.state == .inserted { try object.validateForInsert() } else { try object.validateForUpdate() }
    }
    for (column, property) in object.entity.attributesByColumn.enumerated() {
      guard let property, case .value(let value)? = edits[column] else { continue }
      Self.check(object, &problems, property.name, value) {
        try object.validateValue(value, forKey: property.name)
      }
    }
    if map.schema.validators.isEmpty { return }
    for entity in map.entities where entity.includes(object.entity.id) {
      for validator in map.schema.validators[entity.name] ?? [] {
        Self.check(object, &problems) { try validator(object) }
      }
    }
  }

  /// Asks a rule, and adds what it throws to the problems.
  private static func check(
    _ object: ManagedObject, _ problems: inout [ValidationProblem], _ property: String? = nil,
    _ value: Value = .null, _ rule: () throws -> Void
  ) {
    do {
      try rule()
    } catch let problem as ValidationProblem {
      problems.append(problem)
    } catch let error as BolideError {
      problems +=
        error.payload as? [ValidationProblem]
        ?? [
          ValidationProblem(object.objectID, property, value: value, reason: "is refused: \(error.message)")
        ]
    } catch {
      problems.append(
        ValidationProblem(object.objectID, property, value: value, reason: "is refused: \(error)"))
    }
  }

  // MARK: Members

  /// Counts the members of new objects, as the context shows them; those of others are counted at the end.
  private func countProblem(
    of property: PropertyMap, in object: ManagedObject
  ) throws(BolideError) -> ValidationProblem? {
    guard object.state == .inserted, let relationship = property.relationship else { return nil }
    if property.needsPartner {
      return try object.memberIDs(property).isEmpty ? .missingPartner(of: object.objectID, property) : nil
    }
    guard relationship.limitsMembers else { return nil }
    return relationship.problem(with: try object.memberIDs(property).count, of: object.objectID)
  }

  /// Counts members as they are stored now, where others' edits, deletes and merges changed them.
  func validateMembers() throws(BolideError) {
    guard
      map.entities.contains(where: { $0.relationships.contains { $0.relationship?.limitsMembers == true } })
    else { return }
    var problems: [ValidationProblem] = []
    let relationships = RelationshipReader(map: map, reader: session.transaction)
    var seen: Set<ChangeLog.Side> = []
    for side in session.log.sides.keys.sorted(by: { ($0.table, $0.owner) < ($1.table, $1.owner) }) {
      var owner = side
      owner.member = 0
      guard seen.insert(owner).inserted else { continue }
      let stored = try rows([side.owner], of: side.table)
      guard let entity = stored.withRow(at: 0, { session.entity(of: $0, in: side.table) }),
        let property = entity.relationships.first(where: { $0.id == side.property }),
        let relationship = property.relationship, relationship.limitsMembers
      else { continue }
      let count = try relationships.counts(property, of: [side.owner]).first ?? 0
      let id = ManagedObjectID(
        storeID: context.coordinator.storeID, entityName: entity.name, number: side.owner)
      if let problem = relationship.problem(with: count, of: id) { problems.append(problem) }
    }
    if let error = ValidationProblem.error(problems) { throw error }
  }
}

extension RelationshipDescription {
  /// Whether a number of members can be wrong.
  var limitsMembers: Bool { isToMany && (minCount != nil || maxCount != nil || !isOptional) }

  /// What is wrong with a number of members. An optional relationship may be empty.
  fileprivate func problem(with count: Int, of object: ManagedObjectID) -> ValidationProblem? {
    let fewest = isOptional && count == 0 ? 0 : max(minCount ?? 0, isOptional ? 0 : 1)
    func problem(_ rule: ValidationProblem.Rule, _ reason: String) -> ValidationProblem {
      ValidationProblem(object, name, rule: rule, value: .int(Int64(count)), reason: reason)
    }
    if count < fewest { return problem(.minCount, "has fewer than \(fewest) members") }
    if let maxCount, count > maxCount { return problem(.maxCount, "has more than \(maxCount) members") }
    return nil
  }
}
