import BolideStorage

extension Condition {
  /// Whether the condition holds for something that is no row: the values of its paths are asked for (rules V-4, V-5).
  ///
  /// Numbers of different types compare as doubles. Operands that name objects never hold here.
  package func evaluate(_ value: ([String]) throws -> Value) throws -> Bool {
    switch self {
    case .true: return true
    case .false: return false
    case .and(let parts): return try parts.allSatisfy { try $0.evaluate(value) }
    case .or(let parts): return try parts.contains { try $0.evaluate(value) }
    case .not(let part): return try !part.evaluate(value)
    case .in(let operand, let values):
      guard let left = try operand.value(value) else { return false }
      return values.contains { left.compares(.equal, to: $0) }
    case .compare(let left, let comparison, let right):
      guard let left = try left.value(value), let right = try right.value(value) else { return false }
      return left.compares(comparison, to: right)
    }
  }
}

extension Operand {
  fileprivate func value(_ value: ([String]) throws -> Value) throws -> Value? {
    switch self {
    case .path(let path): try value(path)
    case .literal(let literal): literal
    case .object, .itself: nil
    }
  }
}

extension Value {
  fileprivate func compares(_ comparison: Comparison, to other: Value) -> Bool {
    if isNull || other.isNull {
      switch comparison {
      case .equal: return isNull && other.isNull
      case .notEqual: return isNull != other.isNull
      default: return false
      }
    }
    let order = ValueOrder.compare(Self.comparable(self, other), Self.comparable(other, self))
    switch comparison {
    case .equal: return order == .orderedSame
    case .notEqual: return order != .orderedSame
    case .less: return order == .orderedAscending
    case .lessOrEqual: return order != .orderedDescending
    case .greater: return order == .orderedDescending
    case .greaterOrEqual: return order != .orderedAscending
    }
  }

  private static func comparable(_ value: Value, _ other: Value) -> Value {
    if case .int(let number) = value, case .double = other { return .double(Double(number)) }
    return value
  }
}
