import BolideStorage

/// Looks for everything that is wrong with a schema, so that all of it is told at once.
struct SchemaCheck {
  let schema: Schema
  private let byName: [String: EntityDescription]
  private var found: [String] = []

  init(_ schema: Schema) {
    self.schema = schema
    byName = Dictionary(schema.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func problems() -> [String] {
    var check = self
    check.run()
    return check.found
  }

  private mutating func run() {
    for name in Self.duplicates(schema.entities.map(\.name)) { report("entity \(name) is declared twice") }
    for entity in schema.entities {
      checkName(entity.name, of: "entity \(entity.name)", mayBeHidden: false)
      checkParent(of: entity)
      checkPropertyNames(of: entity)
      for attribute in entity.attributes { check(attribute, of: entity) }
      for relationship in entity.relationships { check(relationship, of: entity) }
      checkColumnLists(of: entity)
    }
  }

  private mutating func report(_ problem: String) { found.append(problem) }

  static func duplicates(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    var twice: [String] = []
    for name in names where !seen.insert(name).inserted && !twice.contains(name) { twice.append(name) }
    return twice
  }

  // MARK: Names and inheritance

  private mutating func checkName(_ name: String, of subject: String, mayBeHidden: Bool) {
    if !SchemaName.isWellFormed(name) {
      report("the name \"\(name)\" of \(subject) is not a letter followed by letters, digits and underscores")
    } else if SchemaName.isReserved(name), !mayBeHidden {
      report("the name of \(subject) is reserved: names beginning with `_` or `bolide_` belong to Bolide")
    }
  }

  private mutating func checkParent(of entity: EntityDescription) {
    guard let parent = entity.parent else { return }
    guard byName[parent] != nil else {
      report(
        "the parent \(parent) of entity \(entity.name) does not exist"
          + SchemaName.hint(for: parent, among: Array(byName.keys)))
      return
    }
    // Reported once, by the member of the cycle whose name sorts first.
    let chain = lineage(of: entity)
    if chain.last?.parent == entity.name, chain.allSatisfy({ $0.name >= entity.name }) {
      let names = chain.map(\.name) + [entity.name]
      report("entities inherit in a circle: \(names.joined(separator: " → "))")
    }
  }

  /// The entity and those above it, nearest first; stops at a circle or an unknown parent.
  private func lineage(of entity: EntityDescription) -> [EntityDescription] {
    var chain = [entity]
    var seen: Set<String> = [entity.name]
    while let parent = chain.last?.parent, let next = byName[parent], seen.insert(parent).inserted {
      chain.append(next)
    }
    return chain
  }

  private mutating func checkPropertyNames(of entity: EntityDescription) {
    let own = entity.attributes.map(\.name) + entity.relationships.map(\.name)
    for name in Self.duplicates(own) { report("\(entity.name).\(name) is declared twice") }
    for above in lineage(of: entity).dropFirst() {
      let inherited = Set(above.attributes.map(\.name) + above.relationships.map(\.name))
      for name in own where inherited.contains(name) {
        report("\(entity.name).\(name) is inherited from \(above.name) already")
      }
    }
    for attribute in entity.attributes {
      checkName(attribute.name, of: "attribute \(entity.name).\(attribute.name)", mayBeHidden: false)
    }
    for relationship in entity.relationships {
      checkName(
        relationship.name, of: "relationship \(entity.name).\(relationship.name)",
        mayBeHidden: relationship.isHidden)
    }
  }

  // MARK: Attributes

  private mutating func check(_ attribute: AttributeDescription, of entity: EntityDescription) {
    let name = "\(entity.name).\(attribute.name)"
    if attribute.type == .reference {
      report("\(name) is an attribute of type reference: declare a relationship instead")
    }
    if attribute.isTransformable, attribute.type != .binary {
      report("\(name) is transformable, so its type must be binary")
    }
    if !attribute.defaultValue.fits(attribute.type) {
      report("the default value of \(name) does not fit its type \(attribute.type.rawValue)")
    }
    check(attribute.validation, of: attribute, name: name)
    if let derivation = attribute.derivation {
      if !attribute.defaultValue.isNull { report("\(name) is derived and cannot have a default value") }
      check(derivation, of: attribute, in: entity)
    }
  }

  private mutating func check(
    _ rules: AttributeValidation, of attribute: AttributeDescription, name: String
  ) {
    for (word, bound) in [("minimum", rules.minimum), ("maximum", rules.maximum)] {
      if let bound, bound.isNull || !bound.fits(attribute.type) {
        report("the \(word) of \(name) does not fit its type \(attribute.type.rawValue)")
      }
    }
    if let minimum = rules.minimum, let maximum = rules.maximum, minimum.fits(attribute.type),
      maximum.fits(attribute.type), ValueOrder.precedes(maximum, minimum)
    {
      report("the minimum of \(name) is larger than its maximum")
    }
    let isText = attribute.type == .string || attribute.type == .uri
    if rules.minLength != nil || rules.maxLength != nil, !isText, attribute.type != .binary {
      report("\(name) has a length rule, but its type \(attribute.type.rawValue) has no length")
    }
    if (rules.minLength ?? 0) < 0 || (rules.minLength ?? 0) > (rules.maxLength ?? Int.max) {
      report("the length rule of \(name) allows nothing")
    }
    if let pattern = rules.pattern {
      if !isText { report("\(name) has a pattern, but its type \(attribute.type.rawValue) is no text") }
      if (try? Regex(pattern)) == nil { report("the pattern of \(name) is no regular expression") }
    }
  }

  private mutating func check(
    _ derivation: Derivation, of attribute: AttributeDescription, in entity: EntityDescription
  ) {
    let name = "\(entity.name).\(attribute.name)"
    let expression = "the derivation `\(derivation.text)` of \(name)"
    switch derivation {
    case .count(let relationship):
      _ = derivedOver(relationship, of: entity, isToMany: true, expression)
      require(attribute, [.int16, .int32, .int64], expression)
    case .sum(let relationship, let summed):
      guard let items = derivedOver(relationship, of: entity, isToMany: true, expression),
        let source = source(summed, of: items, expression)
      else { return }
      let numeric: [ValueType] = [.int16, .int32, .int64, .decimal, .double, .float]
      guard numeric.contains(source.type) else {
        report("\(expression) adds \(items.name).\(summed), which is no number")
        return
      }
      require(attribute, Self.sumTypes(of: source.type), expression)
    case .value(let path):
      var holder = entity
      for step in path.dropLast() {
        guard let next = derivedOver(step, of: holder, isToMany: false, expression) else { return }
        holder = next
      }
      guard let source = source(path.last ?? "", of: holder, expression) else { return }
      require(attribute, [source.type], expression)
      if !attribute.isOptional {
        report("\(expression) may find nothing, so \(name) must be optional")
      }
    case .lowercase(let source), .uppercase(let source), .canonical(let source):
      guard let source = self.source(source, of: entity, expression) else { return }
      if source.type != .string { report("\(expression) needs a string, not \(source.type.rawValue)") }
      require(attribute, [.string], expression)
      if source.isOptional, !attribute.isOptional {
        report("\(expression) may find nothing, so \(name) must be optional")
      }
    case .now: require(attribute, [.date], expression)
    }
  }

  private static func sumTypes(of type: ValueType) -> [ValueType] {
    switch type {
    case .int16, .int32, .int64: [.int64, .int32, .int16]
    case .decimal: [.decimal]
    default: [.double]
    }
  }

  private mutating func require(
    _ attribute: AttributeDescription, _ types: [ValueType], _ expression: String
  ) {
    if !types.contains(attribute.type) {
      let wanted = types.map(\.rawValue).joined(separator: " or ")
      report("\(expression) gives \(wanted), not \(attribute.type.rawValue)")
    }
  }

  /// The destination of a relationship that a derivation goes over.
  private mutating func derivedOver(
    _ name: String, of entity: EntityDescription, isToMany: Bool, _ expression: String
  ) -> EntityDescription? {
    for holder in lineage(of: entity) {
      guard let relationship = holder.relationships.first(where: { $0.name == name }) else { continue }
      if relationship.isToMany != isToMany {
        report("\(expression) needs \(entity.name).\(name) to be to-\(isToMany ? "many" : "one")")
        return nil
      }
      return byName[relationship.destination]
    }
    report(
      "\(expression) speaks of \(entity.name).\(name), which is no relationship"
        + SchemaName.hint(for: name, among: lineage(of: entity).flatMap { $0.relationships.map(\.name) }))
    return nil
  }

  /// The stored attribute that a derivation reads.
  private mutating func source(
    _ name: String, of entity: EntityDescription, _ expression: String
  ) -> AttributeDescription? {
    let all = lineage(of: entity).flatMap(\.attributes)
    guard let attribute = all.first(where: { $0.name == name }) else {
      report(
        "\(expression) speaks of \(entity.name).\(name), which is no attribute"
          + SchemaName.hint(for: name, among: all.map(\.name)))
      return nil
    }
    if attribute.derivation != nil {
      report("\(expression) reads \(entity.name).\(name), which is derived itself; that is not supported")
      return nil
    }
    return attribute
  }

  // MARK: Relationships

  private mutating func check(_ relationship: RelationshipDescription, of entity: EntityDescription) {
    let name = "\(entity.name).\(relationship.name)"
    if relationship.isToMany, relationship.isOrdered {
      report("\(name) is an ordered to-many relationship, which is not supported")
    }
    let fewest = relationship.minCount ?? 0
    if fewest < 0 || fewest > relationship.maxCount ?? Int.max || relationship.maxCount == 0 {
      report("the counts of \(name) allow nothing")
    }
    if !relationship.isToMany, fewest > 1 || (relationship.maxCount ?? 1) > 1 {
      report("\(name) is to-one, but its counts ask for more than one object")
    }
    guard let destination = byName[relationship.destination] else {
      report(
        "the destination \(relationship.destination) of \(name) does not exist"
          + SchemaName.hint(for: relationship.destination, among: Array(byName.keys)))
      return
    }
    if relationship.inverse.isEmpty {
      report("\(name) has no inverse")
      return
    }
    guard let inverse = destination.relationships.first(where: { $0.name == relationship.inverse }) else {
      report(
        "the inverse \(destination.name).\(relationship.inverse) of \(name) does not exist"
          + SchemaName.hint(for: relationship.inverse, among: destination.relationships.map(\.name)))
      return
    }
    if inverse.destination != entity.name || inverse.inverse != relationship.name {
      report(
        "\(name) names \(destination.name).\(inverse.name) as its inverse, "
          + "which names \(inverse.destination).\(inverse.inverse)")
    } else if destination.name == entity.name, inverse.name == relationship.name {
      report("\(name) is its own inverse, which is not supported: declare two relationships")
    }
  }

  // MARK: Constraints and indexes

  private mutating func checkColumnLists(of entity: EntityDescription) {
    let own = Dictionary(
      entity.attributes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let inherited = lineage(of: entity).dropFirst().flatMap { $0.attributes.map(\.name) }
    let relationships = Set(lineage(of: entity).flatMap { $0.relationships.map(\.name) })
    for (lists, word) in [
      (entity.uniquenessConstraints, "uniqueness constraint"), (entity.indexes, "index"),
    ] {
      for (position, list) in lists.enumerated() {
        let subject = "the \(word) (\(list.joined(separator: ", "))) of entity \(entity.name)"
        if list.isEmpty { report("a \(word) of entity \(entity.name) names no attribute") }
        if lists[..<position].contains(list) { report("\(subject) is declared twice") }
        for name in Self.duplicates(list) { report("\(subject) names \(name) twice") }
        for name in Set(list).sorted() {
          if let attribute = own[name] {
            if word == "uniqueness constraint", attribute.derivation != nil {
              report("\(subject) names \(name), which is derived; that is not supported")
            }
          } else if inherited.contains(name) {
            if word == "uniqueness constraint" {
              report(
                "\(subject) names the inherited attribute \(name); that is not supported: "
                  + "declare the constraint where the attribute is declared")
            }
          } else if relationships.contains(name) {
            report("\(subject) names \(name), which is a relationship")
          } else {
            report(
              "\(subject) names \(name), which is no attribute"
                + SchemaName.hint(for: name, among: Array(own.keys) + inherited))
          }
        }
      }
    }
  }
}
