import BolideStorage
import Foundation

extension Value {
  /// The same value in another type, for literals that were written without one; `nil` when there is none.
  ///
  /// Integers become any number; other numbers become integers when they are whole and in range.
  /// Numbers become the nearest double or float. The integers 0 and 1 become booleans, and texts
  /// become dates, uuids or URIs when they read as such. Strings are brought to NFC (rule V-2).
  package func converted(to type: ValueType) -> Value? {
    let value: Value? =
      switch type {
      case .boolean: asBoolean
      case .int16, .int32, .int64: asInteger
      case .double: nearest(Double.self).map { .double($0) }
      case .float: nearest(Float.self).map { .float($0) }
      case .decimal: asDecimal
      case .date: textOr { CanonicalText.date($0).map(Value.date) }
      case .uuid: textOr { UUID(uuidString: $0).map(Value.uuid) }
      case .uri: textOr { .uri($0) }
      case .string: asString
      case .binary, .reference: self
      }
    guard !isNull else { return .null }
    guard let value, value.isComparable(as: type) else { return nil }
    return value
  }

  /// Whether the value may be compared with a column of a type: as ``fits(_:)``, but integers of any size.
  private func isComparable(as type: ValueType) -> Bool {
    if case .int = self, type.isInteger, type != .boolean, type != .reference { return true }
    return fits(type)
  }

  private var asBoolean: Value? {
    switch self {
    case .int(0): .bool(false)
    case .int(1): .bool(true)
    default: self
    }
  }

  private var asInteger: Value? {
    switch self {
    case .double(let number): Int64(exactly: number).map(Value.int)
    case .float(let number): Int64(exactly: number).map(Value.int)
    case .decimal(let number): Int64(DecimalText.text(of: number)).map(Value.int)
    default: self
    }
  }

  private var asDecimal: Value? {
    switch self {
    case .int(let number): .decimal(Decimal(number))
    case .double(let number): Decimal(printed: number.description).map(Value.decimal)
    case .float(let number): Decimal(printed: number.description).map(Value.decimal)
    default: self
    }
  }

  private var asString: Value? {
    if case .string(let text) = self { return .string(NormalizedText.normalized(text)) }
    return self
  }

  private func textOr(_ read: (String) -> Value?) -> Value? {
    if case .string(let text) = self { return read(text) }
    return self
  }

  private func nearest<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ type: Number.Type
  ) -> Number? {
    switch self {
    case .int(let number): Number(number)
    case .double(let number): Number(number) == 0 ? 0 : Number(number)
    case .float(let number): Number(number) == 0 ? 0 : Number(number)
    case .decimal(let number): Number(DecimalText.text(of: number))
    default: nil
    }
  }
}

extension Decimal {
  /// The decimal that a printed double or float stands for; `nil` for an infinity or one out of range.
  init?(printed text: String) {
    guard let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !value.isNaN,
      text.utf8.first.map({ $0 == 45 || (48...57).contains($0) }) == true, !text.hasSuffix("inf")
    else { return nil }
    self = value
  }
}
