import BolideStorage
import Foundation

// One conformance for each kind of expression that has a counterpart. They do not ask their parts for
// conformance: a part that has none is found on the way and named in the error.

extension PredicateExpressions.Variable: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    guard let operand = lowering.variables[key] else { throw lowering.unsupported(self) }
    return .operand(operand)
  }
}

extension PredicateExpressions.Value: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    guard let lowered = LoweredExpression(captured: value) else {
      throw PredicateLowering.unsupported(captured: Output.self)
    }
    return lowered
  }
}

extension PredicateExpressions.NilLiteral: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .operand(.literal(.null))
  }
}

extension PredicateExpressions.KeyPath: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    // A key path into a captured value is a constant, also into one that no condition could hold.
    if let constant = PredicateLowering.constant(self) { return constant }
    let root = try lowering.lower(root)
    if keyPath == \String.isEmpty {
      return .condition(try lowering.compare(root, .equal, .operand(.literal(.string(""))), self))
    }
    if let collection = Root.Output.self as? any LowerableCollection.Type {
      guard let lowered = collection.lower(keyPath, of: root) else { throw lowering.unsupported(self) }
      return lowered
    }
    guard let name = lowering.name(keyPath) else { throw lowering.unknown(keyPath, in: self) }
    // The object's own id stands for the object.
    if name.isEmpty { return root }
    let steps = name.split(separator: ".").map(String.init)
    switch root {
    case .operand(.itself): return .operand(.path(steps))
    case .operand(.path(let path)): return .operand(.path(path + steps))
    default: throw lowering.unsupported(self)
    }
  }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    let left = try lowering.condition(lhs)
    let right = try lowering.condition(rhs)
    if case .and(let parts) = left { return .condition(.and(parts + [right])) }
    return .condition(.and([left, right]))
  }
}

extension PredicateExpressions.Disjunction: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    let left = try lowering.condition(lhs)
    let right = try lowering.condition(rhs)
    if case .or(let parts) = left { return .condition(.or(parts + [right])) }
    return .condition(.or([left, right]))
  }
}

extension PredicateExpressions.Negation: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(.not(try lowering.condition(wrapped)))
  }
}

// MARK: Comparisons

extension PredicateExpressions.Equal: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.compare(lowering.lower(lhs), .equal, lowering.lower(rhs), self))
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.compare(lowering.lower(lhs), .notEqual, lowering.lower(rhs), self))
  }
}

extension PredicateExpressions.Comparison: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    let comparison: Comparison? =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: nil
      }
    guard let comparison else { throw lowering.unsupported(self) }
    return .condition(try lowering.compare(lowering.lower(lhs), comparison, lowering.lower(rhs), self))
  }
}

// MARK: Optionals

extension PredicateExpressions.ForcedUnwrap: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.lower(inner)
  }
}

extension PredicateExpressions.NilCoalesce: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    let other = try lowering.lower(rhs)
    switch (try lowering.lower(lhs), other) {
    case (.operand(.literal(.null)), _): return other
    case (.operand(.literal(let value)), _): return .operand(.literal(value))
    case (.operand(let operand), .operand), (.operand(let operand), .alternative):
      return .alternative(operand, other)
    case (.optionalCondition(let condition, let operand), _):
      let isNil = Condition.compare(operand, .equal, .literal(.null))
      switch try lowering.condition(other, rhs) {
      case .true: return .condition(.or([isNil, condition]))
      case .false: return .condition(.and([.not(isNil), condition]))
      case let fallback: return .condition(.or([.and([.not(isNil), condition]), .and([isNil, fallback])]))
      }
    default: throw lowering.unsupported(self)
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    guard case .operand(let operand) = try lowering.lower(wrapped) else {
      throw lowering.unsupported(self)
    }
    var inner = lowering
    inner.variables[variable.key] = operand
    switch try inner.lower(transform) {
    case .operand(let operand): return .operand(operand)
    case .condition(let condition): return .optionalCondition(condition, of: operand)
    case .optionalCondition(let condition, .path(let end)):
      // Nil at the end of a longer path says that the way there is nil, too.
      guard case .path(let way) = operand, end.starts(with: way) else { throw lowering.unsupported(self) }
      return .optionalCondition(condition, of: .path(end))
    default: throw lowering.unsupported(self)
    }
  }
}

// MARK: Collections and ranges

extension PredicateExpressions.SequenceContains: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.contains(lowering.lower(sequence), lowering.lower(element), self))
  }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.contains(lowering.lower(range), lowering.lower(element), self))
  }
}

extension PredicateExpressions.ClosedRange: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .range(lower: try lowering.lower(lower), upper: try lowering.lower(upper), includesUpper: true)
  }
}

extension PredicateExpressions.Range: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .range(lower: try lowering.lower(lower), upper: try lowering.lower(upper), includesUpper: false)
  }
}

extension PredicateLowering {
  fileprivate func contains(
    _ collection: LoweredExpression, _ element: LoweredExpression, _ expression: some PredicateExpression
  ) throws(BolideError) -> Condition {
    switch collection {
    case .values(let values): return try membership(element, values, expression)
    case .range(let lower, let upper, let includesUpper):
      var parts: [Condition] = []
      if let lower { parts.append(try compare(element, .greaterOrEqual, lower, expression)) }
      if let upper {
        parts.append(try compare(element, includesUpper ? .lessOrEqual : .less, upper, expression))
      }
      return parts.count == 1 ? parts[0] : .and(parts)
    case .operand(.path(let path)):
      switch element {
      case .operand(let element): return .members(.any, path, .compare(.itself, .equal, element))
      default: throw unsupported(expression)
      }
    default: throw unsupported(expression)
    }
  }
}
