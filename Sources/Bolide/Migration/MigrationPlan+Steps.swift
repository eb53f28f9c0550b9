import BolideStorage

/// What a migration does, in words.
extension MigrationPlan {
  /// A line each, by entity and name.
  var steps: [String] {
    var result: [String] = []
    for entity in match.new.entities {
      guard let stored = match.entities[entity.id].map({ match.old.entities[$0] }) else {
        result.append("add \(entity.name)")
        continue
      }
      if stored.name != entity.name { result.append("rename \(stored.name) to \(entity.name)") }
      result += steps(of: entity, from: stored)
    }
    for stored in match.old.entities where match.successors[stored.id] == nil {
      result.append("remove \(stored.name) with its objects")
    }
    return result.isEmpty ? ["keep the data as they are under other rules"] : result
  }

  private func steps(of entity: EntityMap, from stored: EntityMap) -> [String] {
    var result: [String] = []
    var kept: Set<String> = []
    for property in entity.properties where property.relationship?.isHidden != true {
      let name = "\(entity.name).\(property.name)"
      guard let before = match.stored(property, of: entity.id) else {
        let initial = property.attribute?.initialValue ?? .null
        result.append("add \(name)" + (initial.isNull ? "" : " with \(CanonicalText.text(initial))"))
        continue
      }
      kept.insert(before.name)
      if before.name != property.name { result.append("rename \(stored.name).\(before.name) to \(name)") }
      result += changes(name, property, before)
    }
    for before in stored.properties where before.relationship?.isHidden != true && !kept.contains(before.name)
    {
      result.append("remove \(stored.name).\(before.name)")
    }
    let (now, then) = (entity.description, stored.description)
    let constraints = Set(then.uniquenessConstraints)
    for names in now.uniquenessConstraints where !constraints.contains(names) {
      result.append("make \(entity.name) unique by \(names.joined(separator: ", "))")
    }
    let indexes = Set(then.indexes)
    for names in now.indexes where !indexes.contains(names) {
      result.append("index \(entity.name) by \(names.joined(separator: ", "))")
    }
    return result
  }

  private func changes(_ name: String, _ property: PropertyMap, _ before: PropertyMap) -> [String] {
    var result: [String] = []
    if let now = property.attribute, let then = before.attribute {
      if now.derivation != then.derivation {
        result.append("derive \(name) " + (now.derivation.map { "from \($0)" } ?? "no more"))
      } else if now.type != then.type {
        result.append("widen \(name) from \(then.type.rawValue) to \(now.type.rawValue)")
      }
    }
    if property.isToMany != before.isToMany {
      result.append("make \(name) \(property.isToMany ? "to-many" : "to-one")")
    }
    if property.isOptional != before.isOptional {
      result.append("make \(name) \(property.isOptional ? "optional" : "required")")
    }
    return result
  }
}

/// What opening a store with a later schema would do, as far as the schemas tell (rule U-11).
public struct MigrationOutlook: Sendable, Hashable {
  /// What would be done, a line each; empty where nothing has to be or nothing can.
  public let steps: [String]
  /// Why the schema is no later version of the store's, a line each.
  public let refusals: [String]
}

extension Schema {
  /// What opening a store of another schema with this one would do. Nothing is opened or changed.
  ///
  /// - Throws: `schema.invalid`.
  public func outlook(from stored: Schema) throws(BolideError) -> MigrationOutlook {
    if self == stored { return MigrationOutlook(steps: [], refusals: []) }
    let plan = MigrationPlan(from: try SchemaMap(stored), to: try SchemaMap(self))
    return MigrationOutlook(steps: plan.refusals.isEmpty ? plan.steps : [], refusals: plan.refusals)
  }
}
