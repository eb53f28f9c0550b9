import BolideStorage

/// An attribute of an entity: a name for a value of one type.
public struct AttributeDescription: Hashable, Sendable {
  /// The name, unique in its entity and the entities above it.
  public var name: String
  /// The type of its values (rule V-1).
  public var type: ValueType
  /// Whether an object may lack a value.
  public var isOptional: Bool
  /// What a new object has; `.null` for none.
  public var defaultValue: Value
  /// Whether the tombstone of a deleted object keeps the value (rule H-2).
  public var isPreservedOnDeletion: Bool
  /// Whether the bytes are an archive that only the user's code understands; the type is binary then.
  public var isTransformable: Bool
  /// How the value follows from others (rule R-3); such an attribute cannot be set.
  public var derivation: Derivation?
  /// The name the attribute had before it was renamed, or a name both versions agree on.
  public var renamingID: String?
  /// What a saved value has to keep to, beyond its type.
  public var validation: AttributeValidation

  /// Describes an attribute.
  public init(
    name: String, type: ValueType, isOptional: Bool = true, defaultValue: Value = .null,
    isPreservedOnDeletion: Bool = false, isTransformable: Bool = false, derivation: Derivation? = nil,
    renamingID: String? = nil, validation: AttributeValidation = AttributeValidation()
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isPreservedOnDeletion = isPreservedOnDeletion
    self.isTransformable = isTransformable
    self.derivation = derivation
    self.renamingID = renamingID
    self.validation = validation
  }
}

/// What a saved value has to keep to, beyond its type; `nil` means: no such rule.
public struct AttributeValidation: Codable, Hashable, Sendable {
  /// The smallest value allowed.
  public var minimum: Value?
  /// The largest value allowed.
  public var maximum: Value?
  /// The fewest characters of a text, or bytes of a binary.
  public var minLength: Int?
  /// The most characters of a text, or bytes of a binary.
  public var maxLength: Int?
  /// A regular expression that the whole text matches.
  public var pattern: String?

  /// Sets rules.
  public init(
    minimum: Value? = nil, maximum: Value? = nil, minLength: Int? = nil, maxLength: Int? = nil,
    pattern: String? = nil
  ) {
    self.minimum = minimum
    self.maximum = maximum
    self.minLength = minLength
    self.maxLength = maxLength
    self.pattern = pattern
  }

  /// Whether there is no rule.
  public var isEmpty: Bool { self == AttributeValidation() }
}

extension AttributeDescription: Codable {
  private enum CodingKeys: String, CodingKey {
    case name, type, isOptional, defaultValue, isPreservedOnDeletion, isTransformable, derivation
    case renamingID, validation
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try container.decode(String.self, forKey: .name),
      type: try container.decode(ValueType.self, forKey: .type),
      isOptional: try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false,
      defaultValue: try container.decodeIfPresent(Value.self, forKey: .defaultValue) ?? .null,
      isPreservedOnDeletion: try container.decodeIfPresent(
        Bool.self, forKey: .isPreservedOnDeletion) ?? false,
      isTransformable: try container.decodeIfPresent(Bool.self, forKey: .isTransformable) ?? false,
      derivation: try container.decodeIfPresent(Derivation.self, forKey: .derivation),
      renamingID: try container.decodeIfPresent(String.self, forKey: .renamingID),
      validation: try container.decodeIfPresent(AttributeValidation.self, forKey: .validation)
        ?? AttributeValidation())
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(type, forKey: .type)
    if isOptional { try container.encode(true, forKey: .isOptional) }
    if !defaultValue.isNull { try container.encode(defaultValue, forKey: .defaultValue) }
    if isPreservedOnDeletion { try container.encode(true, forKey: .isPreservedOnDeletion) }
    if isTransformable { try container.encode(true, forKey: .isTransformable) }
    try container.encodeIfPresent(derivation, forKey: .derivation)
    try container.encodeIfPresent(renamingID, forKey: .renamingID)
    if !validation.isEmpty { try container.encode(validation, forKey: .validation) }
  }
}
