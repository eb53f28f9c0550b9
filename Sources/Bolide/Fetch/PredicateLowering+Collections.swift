import BolideStorage
import Foundation

// Texts, choices, and members of relationships.

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.text(base, .contains, other, self)
  }
}

extension PredicateExpressions.SequenceStartsWith: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.text(base, .beginsWith, prefix, self)
  }
}

extension PredicateLowering {
  fileprivate func text<Base: PredicateExpression, Other: PredicateExpression>(
    _ base: Base, _ comparison: Comparison, _ other: Other, _ expression: some PredicateExpression
  ) throws(BolideError) -> LoweredExpression {
    guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
      throw unsupported(expression)
    }
    return .condition(try compare(lower(base), comparison, lower(other), expression))
  }
}

// MARK: Choices

extension PredicateExpressions.Conditional: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .conditional(
      try lowering.condition(test), try lowering.lower(trueBranch), try lowering.lower(falseBranch))
  }
}

// MARK: Members

extension PredicateExpressions.SequenceContainsWhere: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.members(.any, of: sequence, variable.key, test, self))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    .condition(try lowering.members(.all, of: sequence, variable.key, test, self))
  }
}

extension PredicateExpressions.Filter: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    guard !(LHS.Output.self is any StringProtocol.Type),
      case .operand(.path(let path)) = try lowering.lower(sequence)
    else { throw lowering.unsupported(self) }
    return .filtered(path, try lowering.ofMember(variable.key).condition(filter))
  }
}

extension PredicateLowering {
  /// The walk over a part that is about a member alone.
  fileprivate func ofMember(_ variable: PredicateExpressions.VariableID) -> PredicateLowering {
    PredicateLowering(name: name, variables: [variable: .itself])
  }

  fileprivate func members<Members: PredicateExpression>(
    _ quantifier: Quantifier, of sequence: Members,
    _ variable: PredicateExpressions.VariableID,
    _ test: some PredicateExpression, _ expression: some PredicateExpression
  ) throws(BolideError) -> Condition {
    // The characters of a text are no members.
    if Members.Output.self is any StringProtocol.Type { throw unsupported(expression) }
    switch try lower(sequence) {
    case .operand(.path(let path)):
      return .members(quantifier, path, try ofMember(variable).condition(test))
    case .filtered(let path, let filter):
      let test = try ofMember(variable).condition(test)
      return .members(
        quantifier, path, quantifier == .all ? .or([.not(filter), test]) : .and([filter, test]))
    case .values(let values):
      // A captured list: the test, once for each element.
      var parts: [Condition] = []
      for value in values {
        var inner = self
        inner.variables[variable] = value
        parts.append(try inner.condition(test))
      }
      return quantifier == .all ? .and(parts) : .or(parts)
    default: throw unsupported(expression)
    }
  }
}

/// A collection that can stand for the members of a relationship.
protocol LowerableCollection {
  /// What a property of the collection stands for; `nil` where it stands for nothing.
  static func lower(_ keyPath: AnyKeyPath, of root: LoweredExpression) -> LoweredExpression?
}

extension LowerableCollection {
  fileprivate static func lower(
    _ keyPath: AnyKeyPath, of root: LoweredExpression, count: AnyKeyPath, isEmpty: AnyKeyPath
  ) -> LoweredExpression? {
    switch root {
    case .operand(.path(let path)) where keyPath == count: return .operand(.aggregate(.count, path))
    case .operand(.path(let path)) where keyPath == isEmpty:
      return .condition(.compare(.aggregate(.count, path), .equal, .literal(.int(0))))
    case .filtered(let path, let filter) where keyPath == isEmpty:
      return .condition(.members(.none, path, filter))
    default: return nil
    }
  }
}

extension ToMany: LowerableCollection {
  static func lower(_ keyPath: AnyKeyPath, of root: LoweredExpression) -> LoweredExpression? {
    lower(keyPath, of: root, count: \ToMany<Member>.count, isEmpty: \ToMany<Member>.isEmpty)
  }
}

extension Array: LowerableCollection {
  static func lower(_ keyPath: AnyKeyPath, of root: LoweredExpression) -> LoweredExpression? {
    lower(keyPath, of: root, count: \[Element].count, isEmpty: \[Element].isEmpty)
  }
}
