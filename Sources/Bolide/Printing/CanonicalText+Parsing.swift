import BolideStorage
import Foundation

/// Reading canonical texts back.
extension CanonicalText {
  /// The value of a type that a text stands for; `nil` when it stands for none.
  ///
  /// Whatever ``text(_:)`` printed reads back equal, to the last bit.
  package static func value(_ text: String, as type: ValueType) -> Value? {
    if text == "null" { return .null }
    let value: Value? =
      switch type {
      case .boolean: text == "true" ? .bool(true) : text == "false" ? .bool(false) : nil
      case .int16, .int32, .int64: Int64(text).map(Value.int)
      case .double: number(text).map { (number: Double) in .double(number) }
      case .float: number(text).map { (number: Float) in .float(number) }
      case .decimal: DecimalText.exactValue(of: text).map(Value.decimal)
      case .date: date(text).map(Value.date)
      case .string: unquoted(text).map(Value.string)
      case .uri: unquoted(text).map(Value.uri)
      case .uuid: UUID(uuidString: text).map(Value.uuid)
      case .binary: bytes(text).map(Value.binary)
      case .reference: text.hasPrefix("#") ? Int64(text.dropFirst()).map(Value.reference) : nil
      }
    guard let value, value.fits(type) else { return nil }
    return value
  }

  /// The text that a JSON string stands for; `nil` for anything else.
  package static func unquoted(_ text: String) -> String? {
    // Scalars, not characters: a quote with a combining mark behind it is one character.
    let scalars = text.unicodeScalars
    guard scalars.count >= 2, scalars.first == "\"", scalars.last == "\"" else { return nil }
    return unescaped(scalars.dropFirst().dropLast(), quote: "\"")
  }

  /// Text with JSON escapes replaced by what they stand for; `nil` when one is wrong or a bare `quote`
  /// or control character is in it.
  static func unescaped(_ text: Substring.UnicodeScalarView, quote: Unicode.Scalar) -> String? {
    var result = String.UnicodeScalarView()
    var rest = text
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        if scalar == quote || scalar.value < 0x20 { return nil }
        result.append(scalar)
        continue
      }
      switch rest.popFirst() {
      case "\"": result.append("\"")
      case "'": result.append("'")
      case "\\": result.append("\\")
      case "/": result.append("/")
      case "n": result.append("\n")
      case "r": result.append("\r")
      case "t": result.append("\t")
      case "b": result.append("\u{8}")
      case "f": result.append("\u{C}")
      case "u":
        guard let scalar = escapedScalar(&rest) else { return nil }
        result.append(scalar)
      default: return nil
      }
    }
    return String(result)
  }

  /// The bytes that `0x…` stands for; `nil` for anything else.
  package static func bytes(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2), text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(digits.count / 2 - 1)
    for index in stride(from: 2, to: digits.count, by: 2) {
      guard let high = hexValue(digits[index]), let low = hexValue(digits[index + 1]) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// A number as Swift or JSON write it, or `inf` or `-inf`; no NaN, no hexadecimal, no overflow.
  static func number<Number: BinaryFloatingPoint & LosslessStringConvertible>(_ text: String) -> Number? {
    if text == "inf" { return .infinity }
    if text == "-inf" { return -.infinity }
    let allowed = "0123456789+-.eE".utf8
    guard text.utf8.allSatisfy(allowed.contains), let number = Number(text), number.isFinite else {
      return nil
    }
    return number
  }

  private static func escapedScalar(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
    guard let first = fourDigits(&rest) else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), rest.popFirst() == "\\", rest.popFirst() == "u",
      let second = fourDigits(&rest), (0xDC00..<0xE000).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private static func fourDigits(_ rest: inout Substring.UnicodeScalarView) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let scalar = rest.popFirst(), scalar.isASCII, let digit = hexValue(UInt8(scalar.value)) else {
        return nil
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
