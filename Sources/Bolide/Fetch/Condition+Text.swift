import BolideStorage

/// The text form of conditions, which ``Condition/init(parsing:arguments:variables:)`` reads back.
extension Condition: CustomStringConvertible {
  public var description: String { text(inside: nil) }

  /// What a condition stands in: that decides whether it needs parentheses.
  private enum Surrounding {
    case and, or, not
  }

  private func text(inside surrounding: Surrounding?) -> String {
    switch self {
    case .true: return "TRUEPREDICATE"
    case .false: return "FALSEPREDICATE"
    case .and(let parts):
      guard parts.count > 1 else { return parts.first?.text(inside: surrounding) ?? "TRUEPREDICATE" }
      let text = parts.map { $0.text(inside: .and) }.joined(separator: " AND ")
      return surrounding == nil || surrounding == .or ? text : "(\(text))"
    case .or(let parts):
      guard parts.count > 1 else { return parts.first?.text(inside: surrounding) ?? "FALSEPREDICATE" }
      let text = parts.map { $0.text(inside: .or) }.joined(separator: " OR ")
      return surrounding == nil ? text : "(\(text))"
    case .not(let part): return "NOT \(part.text(inside: .not))"
    case .compare(let left, _, _, _): return text(left.description)
    case .in(let operand, _, _): return text(operand.description)
    case .members(let quantifier, let path, let condition):
      let path = Operand.path(path).description
      if condition.isAboutElement { return "\(quantifier.rawValue) \(condition.text(path))" }
      return "\(quantifier.rawValue) \(path) (\(condition.text(inside: nil)))"
    }
  }

  /// Whether the condition compares an element of a path with constants, so that its text can follow the
  /// path.
  private var isAboutElement: Bool {
    switch self {
    case .compare(.itself, _, .literal, _), .compare(.itself, _, .object, _),
      .compare(.itself, _, .stored, _),
      .in(.itself, _, _):
      true
    default: false
    }
  }

  /// A comparison or membership after the text of its left side.
  private func text(_ left: String) -> String {
    switch self {
    case .compare(_, let comparison, let right, let options):
      "\(left) \(comparison.rawValue)\(options.text) \(right)"
    case .in(_, let values, let options):
      "\(left) IN\(options.text) {\(values.map(CanonicalText.text).joined(separator: ", "))}"
    default: left
    }
  }
}

extension Operand: CustomStringConvertible {
  public var description: String {
    switch self {
    case .path(let path): path.map(Self.escaped).joined(separator: ".")
    case .literal(let value): CanonicalText.text(value)
    case .object(let entity, let number): "\(entity)#\(number)"
    case .stored(let id): id.description
    case .itself: "SELF"
    case .aggregate(let aggregate, let path):
      (path.map(Self.escaped) + [aggregate.rawValue]).joined(separator: ".")
    }
  }

  /// A property name as the text form has it: with `#` before words that mean something else there.
  private static func escaped(_ name: String) -> String {
    ConditionLexer.isReserved(name) ? "#\(name)" : name
  }
}
