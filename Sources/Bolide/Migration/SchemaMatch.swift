import BolideStorage

/// Which entity and property of a new schema is which of a stored one (rule U-11).
///
/// A renaming id of the new schema that is a stored renaming id or name decides first, then the name itself, then a
/// stored renaming id that is the new name.
struct SchemaMatch: Sendable {
  let old: SchemaMap
  let new: SchemaMap
  /// The stored entity of each new one, `nil` for one that is added.
  let entities: [EntityID?]
  /// The new entity of each stored one, `nil` for one that is removed.
  let successors: [EntityID?]
  /// For each new entity the stored property of each of its properties, by name.
  private let properties: [[String: PropertyMap]]

  init(old: SchemaMap, new: SchemaMap) {
    self.old = old
    self.new = new
    let matches = Self.match(
      new.entities.map { ($0.name, $0.description.renamingID) },
      old.entities.map { ($0.name, $0.description.renamingID) })
    entities = matches
    var successors: [EntityID?] = old.entities.map { _ in nil }
    for (id, match) in matches.enumerated() {
      if let match { successors[match] = id }
    }
    self.successors = successors
    var properties = new.entities.map { entity in
      matches[entity.id].map { Self.properties(of: entity, in: old.entities[$0]) } ?? [:]
    }
    // An inverse without a match of its own follows the side that has one: a hidden one has a made-up name.
    for entity in new.entities {
      for relationship in entity.relationships {
        guard let stored = properties[entity.id][relationship.name], let inverse = new.inverse(relationship),
          let storedInverse = old.inverse(stored), let destination = relationship.destination
        else { continue }
        for member in new.entities[destination].members where matches[member] != nil {
          guard properties[member][inverse.name] == nil,
            !properties[member].values.contains(where: {
              $0.relationship != nil && $0.name == storedInverse.name
            })
          else { continue }
          properties[member][inverse.name] = storedInverse
        }
      }
    }
    self.properties = properties
  }

  /// The stored property that a property of a new entity continues.
  func stored(_ property: PropertyMap, of entity: EntityID) -> PropertyMap? {
    properties[entity][property.name]
  }

  /// Whether the two schemas have an entity in common.
  var isRelated: Bool { entities.contains { $0 != nil } || old.entities.isEmpty }

  private static func properties(of entity: EntityMap, in stored: EntityMap) -> [String: PropertyMap] {
    var result: [String: PropertyMap] = [:]
    for (mine, theirs) in [
      (entity.attributes, stored.attributes), (entity.relationships, stored.relationships),
    ] {
      let matches = match(mine.map { ($0.name, $0.renamingID) }, theirs.map { ($0.name, $0.renamingID) })
      for (place, match) in matches.enumerated() {
        if let match { result[mine[place].name] = theirs[match] }
      }
    }
    return result
  }

  private static func match(
    _ new: [(name: String, id: String?)], _ old: [(name: String, id: String?)]
  ) -> [Int?] {
    var result: [Int?] = new.map { _ in nil }
    var taken: Set<Int> = []
    let ways: [((name: String, id: String?), (name: String, id: String?)) -> Bool] = [
      { $0.id != nil && $0.id == $1.id }, { $0.id == $1.name }, { $0.name == $1.name }, { $0.name == $1.id },
    ]
    for isSame in ways {
      for place in new.indices where result[place] == nil {
        guard let match = old.indices.first(where: { !taken.contains($0) && isSame(new[place], old[$0]) })
        else { continue }
        result[place] = match
        taken.insert(match)
      }
    }
    return result
  }
}

extension PropertyMap {
  /// The name the property had before, or one both versions agree on.
  fileprivate var renamingID: String? { attribute?.renamingID ?? relationship?.renamingID }
}
