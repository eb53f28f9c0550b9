import BolideStorage
import Foundation

extension LoweredExpression {
  /// What a captured value or a literal stands for; `nil` for a type without a counterpart.
  init?(captured value: Any) {
    if let optional = value as? any LowerableOptional {
      guard let wrapped = optional.anyWrapped else {
        self = .operand(.literal(.null))
        return
      }
      self.init(captured: wrapped)
    } else if let object = value as? any PredicateLiteral {
      guard let operand = object.predicateOperand else { return nil }
      self = .operand(operand)
    } else if let literal = Value(captured: value) {
      self = .operand(.literal(literal))
    } else if let range = value as? any LowerableRange {
      guard let bounds = range.lowered else { return nil }
      self = bounds
    } else if let sequence = value as? any Sequence {
      var operands: [Operand] = []
      for element in sequence {
        guard case .operand(let operand)? = LoweredExpression(captured: element) else { return nil }
        operands.append(operand)
      }
      self = .values(operands)
    } else {
      return nil
    }
  }
}

extension Value {
  /// The value of a Swift value of one of the types of rule V-1.
  init?(captured value: Any) {
    switch value {
    case let flag as Bool: self = .bool(flag)
    case let text as String: self = .string(text)
    case let text as Substring: self = .string(String(text))
    case let number as Double: self = .double(number)
    case let number as Float: self = .float(number)
    case let number as Decimal: self = .decimal(number)
    case let date as Date: self = .date(date)
    case let uuid as UUID: self = .uuid(uuid)
    case let url as URL: self = .uri(url.absoluteString)
    case let data as Data: self = .binary([UInt8](data))
    case let bytes as [UInt8]: self = .binary(bytes)
    case let number as any BinaryInteger:
      guard let number = Int64(exactly: number) else { return nil }
      self = .int(number)
    // A type of the program's own is stored as it says, which need not be its raw value.
    case let value as any AttributeValue: self = value.storedValue
    case let value as any RawRepresentable: self.init(captured: value.rawValue)
    default: return nil
    }
  }
}

private protocol LowerableOptional {
  var anyWrapped: Any? { get }
}

extension Optional: LowerableOptional {
  fileprivate var anyWrapped: Any? { self }
}

/// A range of values as an expression over bounds.
private protocol LowerableRange {
  var lowered: LoweredExpression? { get }
}

private func range(_ lower: Any?, _ upper: Any?, includesUpper: Bool) -> LoweredExpression? {
  let low = lower.flatMap(LoweredExpression.init(captured:))
  let high = upper.flatMap(LoweredExpression.init(captured:))
  if lower != nil && low == nil || upper != nil && high == nil { return nil }
  return .range(lower: low, upper: high, includesUpper: includesUpper)
}

extension ClosedRange: LowerableRange {
  fileprivate var lowered: LoweredExpression? { range(lowerBound, upperBound, includesUpper: true) }
}
extension Range: LowerableRange {
  fileprivate var lowered: LoweredExpression? { range(lowerBound, upperBound, includesUpper: false) }
}
extension PartialRangeFrom: LowerableRange {
  fileprivate var lowered: LoweredExpression? { range(lowerBound, nil, includesUpper: true) }
}
extension PartialRangeThrough: LowerableRange {
  fileprivate var lowered: LoweredExpression? { range(nil, upperBound, includesUpper: true) }
}
extension PartialRangeUpTo: LowerableRange {
  fileprivate var lowered: LoweredExpression? { range(nil, upperBound, includesUpper: false) }
}
