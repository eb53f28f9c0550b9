import BolideStorage

/// What a save checks before it writes, and how many members there are at its end (rule V-9).
extension Save {
  /// Checks all objects and reports all problems at once.
  func validate() throws(BolideError) {
    var problems: [ValidationProblem] = []
    for object in inserts + updates {
      for property in object.entity.properties {
        if let problem = try problem(of: property, in: object) { problems.append(problem) }
      }
      problems += ownRules(of: object)
    }
    for object in deletes { problems += Self.problems(of: object) { try object.validateForDelete() } }
    if let error = ValidationProblem.error(problems) { throw error }
  }

  private func problem(
    of property: PropertyMap, in object: ManagedObject
  ) throws(BolideError) -> ValidationProblem? {
    guard let column = property.column else { return try countProblem(of: property, in: object) }
    func problem(_ rule: ValidationProblem.Rule, _ value: Value, _ reason: String) -> ValidationProblem {
      ValidationProblem(object.objectID, property.name, rule: rule, value: value, reason: reason)
    }
    if let attribute = property.attribute, case .value(let value)? = object.edits[column] {
      if value.isNaN { return problem(.notANumber, .null, "was given NaN") }
      if !value.fits(attribute.type) {
        return problem(.type, value, "takes \(attribute.type.rawValue) and was given \(value.kindName)")
      }
      if let broken = attribute.violation(by: value) { return problem(broken.rule, value, broken.reason) }
    }
    guard object.entity.required.contains(column) else { return nil }
    let isMissing: Bool
    switch object.edits[column] {
    case .value(let value)?: isMissing = value.isNull
    case .object(let id)?: isMissing = id == nil
    case nil: isMissing = object.state == .inserted && object.stored(column).isNull
    }
    return isMissing ? problem(.required, .null, "has no value") : nil
  }

  // MARK: Rules of the class and the schema

  private func ownRules(of object: ManagedObject) -> [ValidationProblem] {
    var problems = Self.problems(of: object) {
      if object.state == .inserted { try object.validateForInsert() } else { try object.validateForUpdate() }
    }
    for (column, edit) in object.edits.sorted(by: { $0.key < $1.key }) {
      guard case .value(let value) = edit,
        let property = object.entity.attributes.first(where: { $0.column == column })
      else { continue }
      problems += Self.problems(of: object, property.name, value) {
        try object.validateValue(value, forKey: property.name)
      }
    }
    if map.schema.validators.isEmpty { return problems }
    for entity in map.entities where entity.includes(object.entity.id) {
      for validator in map.schema.validators[entity.name] ?? [] {
        problems += Self.problems(of: object) { try validator(object) }
      }
    }
    return problems
  }

  private static func problems(
    of object: ManagedObject, _ property: String? = nil, _ value: Value = .null, _ check: () throws -> Void
  ) -> [ValidationProblem] {
    do {
      try check()
      return []
    } catch let problem as ValidationProblem {
      return [problem]
    } catch let error as BolideError {
      if let problems = error.payload as? [ValidationProblem] { return problems }
      return [
        ValidationProblem(object.objectID, property, value: value, reason: "is refused: \(error.message)")
      ]
    } catch {
      return [ValidationProblem(object.objectID, property, value: value, reason: "is refused: \(error)")]
    }
  }

  // MARK: Members

  /// Counts members as the context shows them.
  private func countProblem(
    of property: PropertyMap, in object: ManagedObject
  ) throws(BolideError) -> ValidationProblem? {
    guard let relationship = property.relationship, relationship.limitsMembers else { return nil }
    let isNew = object.state == .inserted
    guard isNew || object.hasRelationshipEdit else { return nil }
    let count = try object.objects(property.name).count { !$0.isDeleted }
    return relationship.problem(with: count, of: object.objectID)
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
