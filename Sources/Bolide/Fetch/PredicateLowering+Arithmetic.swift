import BolideStorage
import Foundation

// Arithmetic over constants. Numbers out of range are errors, where Swift would trap.

extension PredicateExpressions.UnaryMinus: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    guard case .operand(.literal(let value)) = try lowering.lower(wrapped) else {
      throw lowering.unsupported(self)
    }
    switch value {
    case .int(let number) where number != .min: return .operand(.literal(.int(-number)))
    case .double(let number): return .operand(.literal(.double(-number)))
    case .float(let number): return .operand(.literal(.float(-number)))
    case .decimal(let number): return .operand(.literal(.decimal(-number)))
    default: throw lowering.unsupported(self)
    }
  }
}

extension PredicateExpressions.Arithmetic: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    let operation: PredicateLowering.Operation? =
      switch op {
      case .add: .add
      case .subtract: .subtract
      case .multiply: .multiply
      @unknown default: nil
      }
    return try lowering.constant(lhs, operation, rhs, self)
  }
}

extension PredicateExpressions.FloatDivision: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.constant(lhs, .divide, rhs, self)
  }
}

extension PredicateExpressions.IntDivision: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.constant(lhs, .divide, rhs, self)
  }
}

extension PredicateExpressions.IntRemainder: LowerableExpression {
  func lowered(_ lowering: PredicateLowering) throws(BolideError) -> LoweredExpression {
    try lowering.constant(lhs, .remainder, rhs, self)
  }
}

extension PredicateLowering {
  enum Operation {
    case add, subtract, multiply, divide, remainder
  }

  fileprivate func constant(
    _ left: some PredicateExpression, _ operation: Operation?, _ right: some PredicateExpression,
    _ expression: some PredicateExpression
  ) throws(BolideError) -> LoweredExpression {
    guard let operation, case .operand(.literal(let left)) = try lower(left),
      case .operand(.literal(let right)) = try lower(right),
      let value = Self.value(left, operation, right)
    else { throw unsupported(expression) }
    return .operand(.literal(value))
  }

  /// What two constants of one type give; `nil` where that is out of range, or no number.
  private static func value(_ left: Value, _ operation: Operation, _ right: Value) -> Value? {
    switch (left, right) {
    case (.int(let a), .int(let b)):
      let (result, isOutOfRange) =
        switch operation {
        case .add: a.addingReportingOverflow(b)
        case .subtract: a.subtractingReportingOverflow(b)
        case .multiply: a.multipliedReportingOverflow(by: b)
        case .divide: a.dividedReportingOverflow(by: b)
        case .remainder: a.remainderReportingOverflow(dividingBy: b)
        }
      return isOutOfRange ? nil : .int(result)
    case (.double(let a), .double(let b)):
      return number(a, operation, b).flatMap { $0.isNaN ? nil : .double($0) }
    case (.float(let a), .float(let b)):
      return number(a, operation, b).flatMap { $0.isNaN ? nil : .float($0) }
    case (.decimal(let a), .decimal(let b)):
      let result: Decimal
      switch operation {
      case .add: result = a + b
      case .subtract: result = a - b
      case .multiply: result = a * b
      case .divide, .remainder: return nil
      }
      return result.isNaN ? nil : .decimal(result)
    default: return nil
    }
  }

  private static func number<Number: BinaryFloatingPoint>(
    _ a: Number, _ operation: Operation, _ b: Number
  ) -> Number? {
    switch operation {
    case .add: a + b
    case .subtract: a - b
    case .multiply: a * b
    case .divide: a / b
    case .remainder: nil
    }
  }
}
