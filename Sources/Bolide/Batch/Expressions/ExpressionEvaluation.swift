import BolideStorage
import Foundation

/// Computes a bound expression for one row. What it meets fits together already.
struct ExpressionEvaluation {
  let row: RowView
  let number: Number
  /// The state before the request.
  let reader: any Reader
  let now: Value

  func value(_ node: BoundExpression.Node) throws(BolideError) -> Value {
    switch node {
    case .source(let source):
      let value = try source.value(row, number: number, reader: reader)
      if case .float(let number) = value { return .double(Double(number)) }
      return value
    case .now: return now
    case .negated(let part):
      switch try value(part) {
      case .int(let number): return .int(try Self.checked(Int64(0).subtractingReportingOverflow(number)))
      case .double(let number): return .double(-number)
      case .decimal(let number): return .decimal(-number)
      default: return .null
      }
    case .converted(let part, let kind):
      guard case .int(let number) = try value(part) else { return try value(part) }
      return kind == .decimal ? .decimal(Decimal(number)) : .double(Double(number))
    case .arithmetic(let left, let symbol, let right):
      return try Self.join(try value(left), symbol, try value(right))
    case .call(let function, let arguments): return try call(function, arguments)
    }
  }

  // MARK: Arithmetic

  private static func overflow() -> BolideError {
    BolideError(.expressionOverflow, "the result is out of range")
  }

  private static func checked(_ result: (partialValue: Int64, overflow: Bool)) throws(BolideError) -> Int64 {
    if result.overflow { throw overflow() }
    return result.partialValue
  }

  private static func join(
    _ left: Value, _ symbol: ArithmeticOperator, _ right: Value
  ) throws(BolideError) -> Value {
    switch (left, right) {
    case (.int(let a), .int(let b)): return .int(try join(a, symbol, b))
    case (.double(let a), .double(let b)): return .double(try join(a, symbol, b))
    case (.decimal(let a), .decimal(let b)): return .decimal(try join(a, symbol, b))
    case (.date(let a), .date(let b)):
      return .double(
        try join(a.timeIntervalSinceReferenceDate, .subtract, b.timeIntervalSinceReferenceDate))
    case (.date(let date), let seconds), (let seconds, .date(let date)):
      let shift: Double
      switch seconds {
      case .int(let number): shift = Double(number)
      case .double(let number): shift = number
      default: return .null
      }
      let time = date.timeIntervalSinceReferenceDate
      return .date(Date(timeIntervalSinceReferenceDate: try join(time, symbol, shift)))
    default: return .null
    }
  }

  private static func join(_ a: Int64, _ symbol: ArithmeticOperator, _ b: Int64) throws(BolideError) -> Int64
  {
    switch symbol {
    case .add: return try checked(a.addingReportingOverflow(b))
    case .subtract: return try checked(a.subtractingReportingOverflow(b))
    case .multiply: return try checked(a.multipliedReportingOverflow(by: b))
    case .divide:
      if b == 0 { throw division() }
      return try checked(a.dividedReportingOverflow(by: b))
    }
  }

  private static func division() -> BolideError {
    BolideError(.expressionDivision, "a number is divided by zero")
  }

  /// Doubles as IEEE 754 has them, but that finite numbers give no infinity and nothing gives NaN (rule V-3).
  private static func join(
    _ a: Double, _ symbol: ArithmeticOperator, _ b: Double
  ) throws(BolideError) -> Double {
    let result: Double
    switch symbol {
    case .add: result = a + b
    case .subtract: result = a - b
    case .multiply: result = a * b
    case .divide:
      if b == 0 { throw division() }
      result = a / b
    }
    if result.isNaN || (result.isInfinite && a.isFinite && b.isFinite) { throw overflow() }
    return result
  }

  /// Decimals are exact, or out of range; a quotient is rounded to 38 digits.
  private static func join(
    _ a: Decimal, _ symbol: ArithmeticOperator, _ b: Decimal
  ) throws(BolideError) -> Decimal {
    var (left, right) = (a, b)
    var result = Decimal()
    let error: NSDecimalNumber.CalculationError
    switch symbol {
    case .add: error = NSDecimalAdd(&result, &left, &right, .plain)
    case .subtract: error = NSDecimalSubtract(&result, &left, &right, .plain)
    case .multiply: error = NSDecimalMultiply(&result, &left, &right, .plain)
    case .divide:
      if b.isZero { throw division() }
      error = NSDecimalDivide(&result, &left, &right, .plain)
    }
    let isRounded = error == .lossOfPrecision
    if result.isNaN || (isRounded ? symbol != .divide : error != .noError) { throw overflow() }
    switch symbol {
    case .add where result - b != a || result - a != b: throw overflow()
    case .subtract where result + b != a: throw overflow()
    case .multiply where !a.isZero && !b.isZero && (result.isZero || result / b != a): throw overflow()
    default: return result
    }
  }

  // MARK: Functions

  private func call(
    _ function: ExpressionFunction, _ arguments: [BoundExpression.Node]
  ) throws(BolideError) -> Value {
    if function == .coalesce {
      for argument in arguments {
        let value = try value(argument)
        if !value.isNull { return value }
      }
      return .null
    }
    var values: [Value] = []
    for argument in arguments {
      let value = try value(argument)
      if value.isNull { return .null }
      values.append(value)
    }
    switch (function, values[0]) {
    case (.length, .string(let text)): return .int(Int64(text.count))
    case (.length, .binary(let bytes)): return .int(Int64(bytes.count))
    case (.abs, .int(let number)):
      return number < 0 ? .int(try Self.checked(Int64(0).subtractingReportingOverflow(number))) : .int(number)
    case (.abs, .double(let number)): return .double(Swift.abs(number))
    case (.abs, .decimal(let number)): return .decimal(number < 0 ? -number : number)
    default:
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return .string(NormalizedText.normalized(Self.text(function, texts)))
    }
  }

  private static func text(_ function: ExpressionFunction, _ texts: [String]) -> String {
    switch function {
    case .uppercase: texts[0].uppercased()
    case .lowercase: texts[0].lowercased()
    case .canonical:
      String(
        decoding: FoldedText.bytes(of: texts[0], [.caseInsensitive, .diacriticInsensitive]), as: UTF8.self)
    case .trim: trimmed(texts[0])
    case .replace: replaced(texts[0], texts[1], by: texts[2])
    default: texts.joined()
    }
  }

  private static func trimmed(_ text: String) -> String {
    let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Scalar by scalar, from the front, as texts are compared (rule V-2); an empty text stands nowhere.
  private static func replaced(_ text: String, _ target: String, by replacement: String) -> String {
    let scalars = Array(text.unicodeScalars)
    let target = Array(target.unicodeScalars)
    if target.isEmpty { return text }
    var result = String.UnicodeScalarView()
    var place = 0
    while place < scalars.count {
      if scalars[place...].starts(with: target) {
        result.append(contentsOf: replacement.unicodeScalars)
        place += target.count
      } else {
        result.append(scalars[place])
        place += 1
      }
    }
    return String(result)
  }
}

extension Value {
  /// The value as an attribute of a type that takes its kind keeps it.
  ///
  /// - Throws: `expression.overflow` where it is out of the type's range.
  func stored(as type: ValueType) throws(BolideError) -> Value {
    switch (self, type) {
    case (.int(let number), .double): return .double(Double(number))
    case (.int(let number), .float): return .float(Float(number))
    case (.int(let number), .decimal): return .decimal(Decimal(number))
    case (.double(let number), .float):
      let float = Float(number)
      if float.isInfinite, number.isFinite {
        throw BolideError(.expressionOverflow, "the result is out of the range of a float")
      }
      return .float(float)
    default: break
    }
    guard fits(type) else {
      throw BolideError(.expressionOverflow, "the result is out of the range of \(type.rawValue)")
    }
    return self
  }
}
