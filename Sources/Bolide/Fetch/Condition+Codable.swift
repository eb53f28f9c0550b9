import BolideStorage

/// A condition is coded as an object with its kind as the only key:
/// `{"compare":[{"path":["name"]},"==",{"literal":{"string":"a"}}]}`.
extension Condition: Codable {
  private enum Kind: String, CodingKey {
    case `true`, `false`, and, or, not, compare, `in`
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A condition has exactly one known kind"))
    }
    if decoder.codingPath.count > 4 * Self.maximumDepth {
      throw DecodingError.dataCorruptedError(
        forKey: kind, in: container, debugDescription: "The condition is nested too deeply")
    }
    switch kind {
    case .true: self = .true
    case .false: self = .false
    case .and: self = .and(try container.decode([Condition].self, forKey: kind))
    case .or: self = .or(try container.decode([Condition].self, forKey: kind))
    case .not: self = .not(try container.decode(Condition.self, forKey: kind))
    case .compare:
      var sides = try container.nestedUnkeyedContainer(forKey: kind)
      self = .compare(
        try sides.decode(Operand.self), try sides.decode(Comparison.self), try sides.decode(Operand.self))
    case .in:
      var sides = try container.nestedUnkeyedContainer(forKey: kind)
      self = .in(try sides.decode(Operand.self), try sides.decode([Value].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .true: try container.encode(true, forKey: .true)
    case .false: try container.encode(true, forKey: .false)
    case .and(let parts): try container.encode(parts, forKey: .and)
    case .or(let parts): try container.encode(parts, forKey: .or)
    case .not(let part): try container.encode(part, forKey: .not)
    case .compare(let left, let comparison, let right):
      var sides = container.nestedUnkeyedContainer(forKey: .compare)
      try sides.encode(left)
      try sides.encode(comparison)
      try sides.encode(right)
    case .in(let operand, let values):
      var sides = container.nestedUnkeyedContainer(forKey: .in)
      try sides.encode(operand)
      try sides.encode(values)
    }
  }
}

extension Operand: Codable {
  private enum Kind: String, CodingKey {
    case path, literal, object, number, itself
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    if container.contains(.path) {
      self = .path(try container.decode([String].self, forKey: .path))
    } else if container.contains(.object) {
      self = .object(
        entity: try container.decode(String.self, forKey: .object),
        number: try container.decode(Number.self, forKey: .number))
    } else if container.contains(.itself) {
      self = .itself
    } else {
      self = .literal(try container.decode(Value.self, forKey: .literal))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .path(let path): try container.encode(path, forKey: .path)
    case .literal(let value): try container.encode(value, forKey: .literal)
    case .object(let entity, let number):
      try container.encode(entity, forKey: .object)
      try container.encode(number, forKey: .number)
    case .itself: try container.encode(true, forKey: .itself)
    }
  }
}
