import BolideStorage

extension Condition {
  /// Whether the condition holds for something whose operands `value` knows; it has been checked.
  ///
  /// - Parameter value: gives the value of a path, an aggregate or the thing itself; constants are not asked for.
  package func holds(_ value: (Operand) -> Value) -> Bool {
    func resolve(_ operand: Operand) -> Value {
      switch operand {
      case .literal(let value): value
      case .object(_, let number): .reference(number)
      case .stored(let id): .reference(id.number)
      case .path, .itself, .aggregate: value(operand)
      }
    }
    switch self {
    case .true: return true
    case .false: return false
    case .and(let parts): return parts.allSatisfy { $0.holds(value) }
    case .or(let parts): return parts.contains { $0.holds(value) }
    case .not(let part): return !part.holds(value)
    case .compare(let left, let comparison, let right, let options):
      return comparison.holds(resolve(left), resolve(right), options)
    case .in(let operand, let values, let options):
      let operand = resolve(operand)
      return values.contains { Comparison.equal.holds(operand, $0, options) }
    case .members: return false  // no scope of such things has members
    }
  }
}

extension Condition {
  /// The condition with `SELF` and paths beginning at the object that a path leads from, not at its end.
  func moved(behind way: [String]) -> Condition {
    if way.isEmpty { return self }
    func moved(_ operand: Operand) -> Operand {
      switch operand {
      case .itself: .path(way)
      case .path(let path): .path(way + path)
      case .aggregate(let aggregate, let path): .aggregate(aggregate, way + path)
      case .literal, .object, .stored: operand
      }
    }
    switch self {
    case .true, .false: return self
    case .and(let parts): return .and(parts.map { $0.moved(behind: way) })
    case .or(let parts): return .or(parts.map { $0.moved(behind: way) })
    case .not(let part): return .not(part.moved(behind: way))
    case .compare(let left, let comparison, let right, let options):
      return .compare(moved(left), comparison, moved(right), options)
    case .in(let operand, let values, let options): return .in(moved(operand), values, options)
    case .members(let quantifier, let path, let condition):
      return .members(quantifier, way + path, condition)
    }
  }
}

extension Value {
  /// The text of a string or URI.
  package var text: String? {
    switch self {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }

  /// The text as it is compared: a string in NFC, a URI as it came (rule V-2).
  package var comparedText: String? {
    switch self {
    case .string(let text): NormalizedText.normalized(text)
    case .uri(let text): text
    default: nil
    }
  }
}
