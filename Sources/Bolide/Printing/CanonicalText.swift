import BolideStorage
import Foundation

/// The one text of each value (rule V-3): what scenarios, dumps and predicates print.
///
/// It does not depend on locale, time zone or platform, and ``value(_:as:)`` reads it back exactly.
/// Texts and URIs are JSON strings, nil is `null`, numbers are as Swift prints them (so `inf` and
/// `-inf` stand for infinities), dates are ISO 8601 in UTC, uuids lower case, binaries `0x…`.
package enum CanonicalText {
  /// The text of a value.
  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): String(number)
    case .double(let number): String(number)
    case .float(let number): String(number)
    case .decimal(let number): DecimalText.text(of: number)
    case .date(let date): text(date)
    case .string(let text), .uri(let text): quoted(text)
    case .uuid(let uuid): uuid.uuidString.lowercased()
    case .binary(let bytes): hexadecimal(bytes)
    case .reference(let number): "#\(number)"
    }
  }

  /// A text as a JSON string: quoted, with the escapes that JSON demands and no others.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{8}": result += "\\b"
      case "\u{C}": result += "\\f"
      case "\0"..<" ":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Bytes as `0x` and two lower-case digits each.
  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var result: [UInt8] = Array("0x".utf8)
    result.reserveCapacity(2 + bytes.count * 2)
    for byte in bytes {
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
    return String(decoding: result, as: UTF8.self)
  }
}
