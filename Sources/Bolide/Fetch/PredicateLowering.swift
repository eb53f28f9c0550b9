import BolideStorage
import Foundation

extension Condition {
  /// Brings a `#Predicate` to a condition.
  ///
  /// Force-unwrapping says nothing of its own: a nil follows the logic of conditions (rule V-5).
  /// - Parameter name: gives the property that a key path stands for; several with dots between them, and an empty
  ///   name for the object's id.
  /// - Throws: `predicate.unsupported-expression`, naming the part that has no counterpart.
  package init<Input>(
    _ predicate: Predicate<Input>, name: @escaping (AnyKeyPath) -> String?
  ) throws(BolideError) {
    let lowering = PredicateLowering(name: name, variables: [predicate.variable.key: .itself])
    self = try lowering.condition(predicate.expression)
  }
}

/// A value that stands for an object in a `#Predicate`: an object or its id.
package protocol PredicateLiteral {
  /// The operand to compare with; `nil` when the object is in no store yet.
  var predicateOperand: Operand? { get }
}

/// A part of a `#Predicate` that has a counterpart in conditions.
protocol LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression
}

/// What a part of a `#Predicate` became.
indirect enum LoweredExpression {
  case operand(Operand)
  /// The operand, or what follows where it is nil: `a ?? b`.
  case alternative(Operand, LoweredExpression)
  case condition(Condition)
  /// A condition on what an operand holds, nil where that is nil: `a.map { … }`.
  case optionalCondition(Condition, of: Operand)
  /// A list of constants and objects.
  case values([Operand])
  /// One of two, as a condition decides.
  case conditional(Condition, LoweredExpression, LoweredExpression)
  /// The members at the end of a path that meet a condition.
  case filtered([String], Condition)
  case range(lower: LoweredExpression?, upper: LoweredExpression?, includesUpper: Bool)
}

/// The walk over the parts of a `#Predicate`.
struct PredicateLowering {
  let name: (AnyKeyPath) -> String?
  var variables: [PredicateExpressions.VariableID: Operand]

  func lower(_ expression: some PredicateExpression) throws(BolideError) -> LoweredExpression {
    do throws(BolideError) {
      guard let part = expression as? any LowerableExpression else { throw unsupported(expression) }
      return try part.lowered(self)
    } catch {
      // What depends on no object is its value, whatever the kind of expression.
      if let constant = Self.constant(expression) { return constant }
      throw error
    }
  }

  func condition(_ expression: some PredicateExpression) throws(BolideError) -> Condition {
    try condition(lower(expression), expression)
  }

  /// The condition that a boolean part stands for.
  func condition(
    _ lowered: LoweredExpression, _ expression: some PredicateExpression
  ) throws(BolideError) -> Condition {
    switch lowered {
    case .condition(let condition): condition
    case .operand(.literal(.bool(let flag))): flag ? .true : .false
    case .conditional(let test, let holds, let otherwise):
      .or([
        .and([test, try condition(holds, expression)]),
        .and([.not(test), try condition(otherwise, expression)]),
      ])
    case .operand(.path), .operand(.itself), .alternative:
      try compare(lowered, .equal, .operand(.literal(.bool(true))), expression)
    default: throw unsupported(expression)
    }
  }

  // MARK: Comparisons

  func compare(
    _ left: LoweredExpression, _ comparison: Comparison, _ right: LoweredExpression,
    _ expression: some PredicateExpression
  ) throws(BolideError) -> Condition {
    switch (left, right) {
    case (.operand(let left), .operand(let right)):
      return Self.compare(left, comparison, right)
    case (.alternative(let operand, let other), _):
      return Self.either(
        operand, try compare(.operand(operand), comparison, right, expression),
        try compare(other, comparison, right, expression))
    case (.conditional(let test, let holds, let otherwise), _):
      return .or([
        .and([test, try compare(holds, comparison, right, expression)]),
        .and([.not(test), try compare(otherwise, comparison, right, expression)]),
      ])
    case (_, .alternative(let operand, let other)):
      return Self.either(
        operand, try compare(left, comparison, .operand(operand), expression),
        try compare(left, comparison, other, expression))
    case (_, .conditional(let test, let holds, let otherwise)):
      return .or([
        .and([test, try compare(left, comparison, holds, expression)]),
        .and([.not(test), try compare(left, comparison, otherwise, expression)]),
      ])
    case (.condition(let condition), .operand(.literal(.bool(let flag)))) where !comparison.needsOrder:
      return flag == (comparison == .equal) ? condition : .not(condition)
    case (.optionalCondition(let condition, let operand), .operand(.literal(let value)))
    where !comparison.needsOrder:
      let isNil = Condition.compare(operand, .equal, .literal(.null))
      let holds: Condition
      switch value {
      case .null: holds = isNil
      case .bool(let flag): holds = .and([.not(isNil), flag ? condition : .not(condition)])
      default: throw unsupported(expression)
      }
      return comparison == .equal ? holds : .not(holds)
    case (.operand, .condition), (.operand, .optionalCondition):
      return try compare(right, comparison.mirrored ?? comparison, left, expression)
    default: throw unsupported(expression)
    }
  }

  /// Whether an operand is one of some values.
  func membership(
    _ element: LoweredExpression, _ list: [Operand], _ expression: some PredicateExpression
  ) throws(BolideError) -> Condition {
    switch element {
    case .operand(.literal(let value)):
      return Self.values(list).contains { Comparison.equal.holds(value, $0) } ? .true : .false
    case .operand(let operand): return Self.isOne(operand, of: list)
    case .alternative(let operand, let other):
      return Self.either(operand, Self.isOne(operand, of: list), try membership(other, list, expression))
    default: throw unsupported(expression)
    }
  }

  private static func values(_ list: [Operand]) -> [Value] {
    list.compactMap { if case .literal(let value) = $0 { value } else { nil } }
  }

  /// An operand that is one of a list: objects are named, so that their entities and stores count.
  private static func isOne(_ operand: Operand, of list: [Operand]) -> Condition {
    var parts = list.filter(\.isObject).map { Condition.compare(operand, .equal, $0) }
    if parts.isEmpty { return .in(operand, values(list)) }
    let rest = values(list)
    if !rest.isEmpty { parts.append(.in(operand, rest)) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private static func compare(_ left: Operand, _ comparison: Comparison, _ right: Operand) -> Condition {
    if case .literal(let left) = left, case .literal(let right) = right {
      return comparison.holds(left, right) ? .true : .false
    }
    return .compare(left, comparison, right)
  }

  /// One condition where an operand has a value, another where it is nil.
  private static func either(
    _ operand: Operand, _ present: Condition, _ absent: Condition
  ) -> Condition {
    let isNil = Condition.compare(operand, .equal, .literal(.null))
    // A present condition that is false for nil anyway needs no test of its own.
    let present = present.isFalseForNil ? present : .and([.not(isNil), present])
    switch absent {
    case .false: return present
    case .true: return .or([isNil, present])
    default: return .or([present, .and([isNil, absent])])
    }
  }
}

extension Condition {
  /// Whether the condition surely does not hold where the operand it is about is nil.
  fileprivate var isFalseForNil: Bool {
    switch self {
    case .compare(_, .equal, .literal(let value), _): !value.isNull
    case .compare(_, let comparison, .literal, _): comparison != .notEqual
    case .in(_, let values, _): !values.contains(.null)
    default: false
    }
  }
}
