import BolideStorage

/// The text form of conditions, which ``Condition/init(parsing:)`` reads back.
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
    case .compare(let left, let comparison, let right):
      return "\(left) \(comparison.rawValue) \(right)"
    case .in(let operand, let values):
      return "\(operand) IN {\(values.map(CanonicalText.text).joined(separator: ", "))}"
    }
  }
}

extension Operand: CustomStringConvertible {
  public var description: String {
    switch self {
    case .path(let path): path.map(Self.escaped).joined(separator: ".")
    case .literal(let value): CanonicalText.text(value)
    case .object(let entity, let number): "\(entity)#\(number)"
    case .itself: "SELF"
    }
  }

  /// A property name as the text form has it: with `#` before words that mean something else there.
  private static func escaped(_ name: String) -> String {
    ConditionLexer.isReserved(name) ? "#\(name)" : name
  }
}
