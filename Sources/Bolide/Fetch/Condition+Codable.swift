import BolideStorage

/// A condition is coded as an object with its kind as the only key:
/// `{"compare":[{"path":["name"]},"==",{"literal":{"string":"a"}}]}`; text options follow as `"cd"`.
extension Condition: Codable {
  private enum Kind: String, CodingKey {
    case `true`, `false`, and, or, not, compare, `in`, members
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
        try sides.decode(Operand.self), try sides.decode(Comparison.self), try sides.decode(Operand.self),
        try TextOptions(after: &sides))
    case .in:
      var sides = try container.nestedUnkeyedContainer(forKey: kind)
      self = .in(
        try sides.decode(Operand.self), try sides.decode([Value].self), try TextOptions(after: &sides))
    case .members:
      var sides = try container.nestedUnkeyedContainer(forKey: kind)
      self = .members(
        try sides.decode(Quantifier.self), try sides.decode([String].self), try sides.decode(Condition.self))
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
    case .compare(let left, let comparison, let right, let options):
      var sides = container.nestedUnkeyedContainer(forKey: .compare)
      try sides.encode(left)
      try sides.encode(comparison)
      try sides.encode(right)
      try options.encode(after: &sides)
    case .in(let operand, let values, let options):
      var sides = container.nestedUnkeyedContainer(forKey: .in)
      try sides.encode(operand)
      try sides.encode(values)
      try options.encode(after: &sides)
    case .members(let quantifier, let path, let condition):
      var sides = container.nestedUnkeyedContainer(forKey: .members)
      try sides.encode(quantifier)
      try sides.encode(path)
      try sides.encode(condition)
    }
  }
}

extension Operand: Codable {
  private enum Kind: String, CodingKey {
    case path, literal, object, number, stored, itself, aggregate
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    if let aggregate = try container.decodeIfPresent(Aggregate.self, forKey: .aggregate) {
      self = .aggregate(aggregate, try container.decode([String].self, forKey: .path))
    } else if container.contains(.path) {
      self = .path(try container.decode([String].self, forKey: .path))
    } else if container.contains(.object) {
      self = .object(
        entity: try container.decode(String.self, forKey: .object),
        number: try container.decode(Number.self, forKey: .number))
    } else if container.contains(.stored) {
      self = .stored(try container.decode(ManagedObjectID.self, forKey: .stored))
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
    case .stored(let id): try container.encode(id, forKey: .stored)
    case .itself: try container.encode(true, forKey: .itself)
    case .aggregate(let aggregate, let path):
      try container.encode(aggregate, forKey: .aggregate)
      try container.encode(path, forKey: .path)
    }
  }
}

extension TextOptions {
  fileprivate init(after sides: inout any UnkeyedDecodingContainer) throws {
    guard !sides.isAtEnd else {
      self.init(rawValue: 0)
      return
    }
    let letters = try sides.decode(String.self)
    guard let options = TextOptions(letters: letters) else {
      throw DecodingError.dataCorruptedError(
        in: sides, debugDescription: "\"\(letters)\" are no text options")
    }
    self = options
  }

  fileprivate func encode(after sides: inout any UnkeyedEncodingContainer) throws {
    if !isEmpty { try sides.encode(String(text.dropFirst().dropLast())) }
  }
}
