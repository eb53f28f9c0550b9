/// What happens to the objects a relationship names when the object that names them is deleted (rule R-2).
public enum DeleteRule: String, Codable, Hashable, Sendable, CaseIterable {
  /// They stay and forget the deleted object.
  case nullify
  /// They are deleted as well.
  case cascade
  /// The deletion is refused while there are any.
  case deny
  /// They stay; the link ends all the same, since no link ever names an object that is gone.
  case noAction = "no-action"
}

/// A relationship of an entity: objects of another entity that an object names.
public struct RelationshipDescription: Hashable, Sendable {
  /// The name, unique in its entity and the entities above it.
  public var name: String
  /// The entity of the objects named.
  public var destination: String
  /// The relationship of the destination that says the same from the other side (rule R-1).
  public var inverse: String
  /// Whether an object may name several.
  public var isToMany: Bool
  /// Whether an object may name none.
  public var isOptional: Bool
  /// Whether a to-many relationship has an order.
  public var isOrdered: Bool
  /// What the deletion of an object means for those it names.
  public var deleteRule: DeleteRule
  /// The fewest objects of a to-many relationship that is not empty.
  public var minCount: Int?
  /// The most objects of a to-many relationship.
  public var maxCount: Int?
  /// The name the relationship had before it was renamed, or a name both versions agree on.
  public var renamingID: String?
  /// Whether the relationship was made to give another one its inverse, and users do not see it.
  public var isHidden: Bool

  /// Describes a relationship.
  public init(
    name: String, destination: String, inverse: String, isToMany: Bool = false, isOptional: Bool = true,
    isOrdered: Bool = false, deleteRule: DeleteRule = .nullify, minCount: Int? = nil, maxCount: Int? = nil,
    renamingID: String? = nil, isHidden: Bool = false
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOptional = isOptional
    self.isOrdered = isOrdered
    self.deleteRule = deleteRule
    self.minCount = minCount
    self.maxCount = maxCount
    self.renamingID = renamingID
    self.isHidden = isHidden
  }
}

extension RelationshipDescription: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, destination, inverse, isToMany, isOptional, isOrdered, deleteRule, minCount, maxCount
    case renamingID, isHidden
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      destination: try container.decode(String.self, forKey: .destination),
      inverse: try container.decode(String.self, forKey: .inverse),
      isToMany: try container.decodeIfPresent(Bool.self, forKey: .isToMany) ?? false,
      isOptional: try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false,
      isOrdered: try container.decodeIfPresent(Bool.self, forKey: .isOrdered) ?? false,
      deleteRule: try container.decodeIfPresent(DeleteRule.self, forKey: .deleteRule) ?? .nullify,
      minCount: try container.decodeIfPresent(Int.self, forKey: .minCount),
      maxCount: try container.decodeIfPresent(Int.self, forKey: .maxCount),
      renamingID: try container.decodeIfPresent(String.self, forKey: .renamingID),
      isHidden: try container.decodeIfPresent(Bool.self, forKey: .isHidden) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(destination, forKey: .destination)
    try container.encode(inverse, forKey: .inverse)
    if isToMany { try container.encode(true, forKey: .isToMany) }
    if isOptional { try container.encode(true, forKey: .isOptional) }
    if isOrdered { try container.encode(true, forKey: .isOrdered) }
    if deleteRule != .nullify { try container.encode(deleteRule, forKey: .deleteRule) }
    try container.encodeIfPresent(minCount, forKey: .minCount)
    try container.encodeIfPresent(maxCount, forKey: .maxCount)
    try container.encodeIfPresent(renamingID, forKey: .renamingID)
    if isHidden { try container.encode(true, forKey: .isHidden) }
  }
}
