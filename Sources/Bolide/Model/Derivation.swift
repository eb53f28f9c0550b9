import BolideStorage

/// How a derived attribute follows from other values (rule R-3).
public enum Derivation: Hashable, Sendable {
  /// How many objects a to-many relationship names: `fireballs.@count`.
  case count(relationship: String)
  /// The sum of an attribute over the objects of a to-many relationship: `items.amount.@sum`.
  case sum(relationship: String, attribute: String)
  /// An attribute at the end of to-one relationships: `owner.name`.
  case value(path: [String])
  /// An own text attribute in lower case: `lowercase:(name)`.
  case lowercase(attribute: String)
  /// An own text attribute in upper case: `uppercase:(name)`.
  case uppercase(attribute: String)
  /// An own text attribute without case and diacritics: `canonical:(name)`.
  case canonical(attribute: String)
  /// The time of the save that last changed the object: `now()`.
  case now

  /// Understands the text of a derivation expression.
  ///
  /// - Throws: `schema.derivation`.
  public init(parsing text: String) throws(BolideError) {
    let text = text.filter { !$0.isWhitespace }
    guard let derivation = Self.function(text) ?? Self.path(text) else {
      throw BolideError(.schemaDerivation, "\"\(text)\" is no derivation expression")
    }
    self = derivation
  }

  /// The expression as model files and ``init(parsing:)`` have it.
  public var text: String {
    switch self {
    case .count(let relationship): "\(relationship).@count"
    case .sum(let relationship, let attribute): "\(relationship).\(attribute).@sum"
    case .value(let path): path.joined(separator: ".")
    case .lowercase(let attribute): "lowercase:(\(attribute))"
    case .uppercase(let attribute): "uppercase:(\(attribute))"
    case .canonical(let attribute): "canonical:(\(attribute))"
    case .now: "now()"
    }
  }

  private static func function(_ text: String) -> Derivation? {
    if text == "now()" || text == "now:()" { return .now }
    guard let colon = text.firstIndex(of: ":") else { return nil }
    var argument = text[text.index(after: colon)...]
    if argument.hasPrefix("("), argument.hasSuffix(")") { argument = argument.dropFirst().dropLast() }
    guard SchemaName.isWellFormed(String(argument)) else { return nil }
    switch text[..<colon] {
    case "lowercase": return .lowercase(attribute: String(argument))
    case "uppercase": return .uppercase(attribute: String(argument))
    case "canonical": return .canonical(attribute: String(argument))
    default: return nil
    }
  }

  private static func path(_ text: String) -> Derivation? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if parts.last == "@count", parts.count == 2, SchemaName.isWellFormed(parts[0]) {
      return .count(relationship: parts[0])
    }
    if parts.contains("@sum"), parts.count == 3 {
      // Both `items.amount.@sum` and the key-value form `items.@sum.amount` are written.
      let names = parts.filter { $0 != "@sum" }
      guard names.count == 2, parts[0] != "@sum", names.allSatisfy(SchemaName.isWellFormed) else {
        return nil
      }
      return .sum(relationship: names[0], attribute: names[1])
    }
    guard parts.count >= 2, parts.allSatisfy(SchemaName.isWellFormed) else { return nil }
    return .value(path: parts)
  }
}

extension Derivation: Codable, CustomStringConvertible {
  public init(from decoder: any Decoder) throws {
    self = try decoder.parsedText { text throws(BolideError) in try Self(parsing: text) }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  public var description: String { text }
}
