/// An entity of a ``Schema``: what a kind of object has.
///
/// Two descriptions are equal when they say the same, in whatever order.
public struct EntityDescription: Sendable {
  /// The name, unique in the schema: a letter, then letters, digits and underscores.
  public var name: String
  /// The name of the entity that this one inherits from.
  public var parent: String?
  /// Whether only sub-entities have objects.
  public var isAbstract: Bool
  /// Its own attributes; those of the parent come on top.
  public var attributes: [AttributeDescription]
  /// Its own relationships; those of the parent come on top.
  public var relationships: [RelationshipDescription]
  /// Lists of own attributes whose values together no two objects share (rule U-2).
  public var uniquenessConstraints: [[String]]
  /// Lists of attributes that fetches look up or sort by.
  public var indexes: [[String]]
  /// The name the entity had before it was renamed, or a name both versions agree on.
  public var renamingID: String?

  /// Describes an entity.
  public init(
    name: String, parent: String? = nil, isAbstract: Bool = false,
    attributes: [AttributeDescription] = [], relationships: [RelationshipDescription] = [],
    uniquenessConstraints: [[String]] = [], indexes: [[String]] = [], renamingID: String? = nil
  ) {
    self.name = name
    self.parent = parent
    self.isAbstract = isAbstract
    self.attributes = attributes
    self.relationships = relationships
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.renamingID = renamingID
  }
}

extension EntityDescription: Hashable {
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left.name == right.name && left.parent == right.parent && left.isAbstract == right.isAbstract
      && left.renamingID == right.renamingID
      && left.sortedAttributes == right.sortedAttributes
      && left.sortedRelationships == right.sortedRelationships
      && Set(left.uniquenessConstraints) == Set(right.uniquenessConstraints)
      && Set(left.indexes) == Set(right.indexes)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(parent)
    hasher.combine(isAbstract)
    hasher.combine(sortedAttributes)
    hasher.combine(sortedRelationships)
    hasher.combine(Set(uniquenessConstraints))
    hasher.combine(Set(indexes))
    hasher.combine(renamingID)
  }

  private var sortedAttributes: [AttributeDescription] { attributes.sorted { $0.name < $1.name } }
  private var sortedRelationships: [RelationshipDescription] {
    relationships.sorted { $0.name < $1.name }
  }
}

extension EntityDescription: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, parent, isAbstract, attributes, relationships, uniquenessConstraints, indexes, renamingID
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      parent: try container.decodeIfPresent(String.self, forKey: .parent),
      isAbstract: try container.decodeIfPresent(Bool.self, forKey: .isAbstract) ?? false,
      attributes: try container.decodeIfPresent([AttributeDescription].self, forKey: .attributes) ?? [],
      relationships: try container.decodeIfPresent(
        [RelationshipDescription].self, forKey: .relationships) ?? [],
      uniquenessConstraints: try container.decodeIfPresent(
        [[String]].self, forKey: .uniquenessConstraints) ?? [],
      indexes: try container.decodeIfPresent([[String]].self, forKey: .indexes) ?? [],
      renamingID: try container.decodeIfPresent(String.self, forKey: .renamingID))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encodeIfPresent(parent, forKey: .parent)
    if isAbstract { try container.encode(true, forKey: .isAbstract) }
    if !attributes.isEmpty { try container.encode(attributes, forKey: .attributes) }
    if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
    if !uniquenessConstraints.isEmpty {
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
    }
    if !indexes.isEmpty { try container.encode(indexes, forKey: .indexes) }
    try container.encodeIfPresent(renamingID, forKey: .renamingID)
  }
}
