import Foundation

/// The canonical text of exact decimals: what a row's byte area holds for them.
///
/// Plain notation, no exponent, no leading or trailing zeros, `-` for negatives, `0` for zero:
/// equal decimals have equal texts.
public enum DecimalText {
  /// The canonical text of a decimal that is a number.
  public static func text(of value: Decimal) -> String {
    // Foundation prints plain notation and never a trailing zero after normalisation by `*`.
    let printed = NSDecimalNumber(decimal: value).description(withLocale: nil)
    guard printed.contains(".") else { return printed == "-0" ? "0" : printed }
    var digits = Substring(printed)
    while digits.last == "0" { digits.removeLast() }
    if digits.last == "." { digits.removeLast() }
    return digits == "-0" ? "0" : String(digits)
  }

  /// The decimal a canonical text stands for; `nil` for any other text.
  public static func value(of text: String) -> Decimal? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 || $0 == 46 }) else {
      return nil
    }
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  /// The decimal that is exactly the number a text stands for, with an exponent or without; `nil` where none is.
  public static func exactValue(of text: String) -> Decimal? {
    guard let plain = plainNotation(of: text), let value = value(of: plain), !value.isNaN,
      self.text(of: value) == plain
    else { return nil }
    return value
  }

  /// No decimal has more digits, before its point or behind it.
  private static let digitLimit = 200

  /// A number as ``text(of:)`` writes it; `nil` for what is no number, and for one out of every decimal's range.
  private static func plainNotation(of text: String) -> String? {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    let isNegative = text.hasPrefix("-")
    let mantissa = parts[0].dropFirst(isNegative ? 1 : 0).split(
      separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, mantissa.count <= 2, let exponent = parts.count == 1 ? 0 : Int(parts[1]),
      mantissa.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } })
    else { return nil }
    var digits = mantissa.joined().utf8[...]
    var (scale, overflow) = (mantissa.count == 2 ? mantissa[1].utf8.count : 0)
      .subtractingReportingOverflow(exponent)
    while digits.last == 48 {
      digits.removeLast()
      scale &-= 1
    }
    digits = digits.drop { $0 == 48 }
    if digits.isEmpty { return "0" }
    guard !overflow, digits.count <= digitLimit, (-digitLimit...digitLimit).contains(scale) else {
      return nil
    }
    var plain = String(Substring(digits))
    if scale < 0 { plain += String(repeating: "0", count: -scale) }
    if scale > 0 {
      plain = String(repeating: "0", count: max(0, scale + 1 - plain.utf8.count)) + plain
      plain.insert(".", at: plain.index(plain.endIndex, offsetBy: -scale))
    }
    return (isNegative ? "-" : "") + plain
  }

  /// Appends bytes whose order is the order of the decimals.
  ///
  /// A sign byte (1 negative, 2 zero, 3 positive), the power of ten of the first digit as a biased
  /// 16-bit number, and the significant digits; for negatives all but the sign is complemented.
  static func appendKey(text: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    var negative = false
    var digits: [UInt8] = []
    var point: Int?
    for byte in text {
      switch byte {
      case 45: negative = true
      case 46: point = digits.count
      default: digits.append(byte &- 48)
      }
    }
    let whole = point ?? digits.count
    let leading = digits.prefix { $0 == 0 }.count
    var significant = digits.dropFirst(leading)
    while significant.last == 0 { significant.removeLast() }
    guard !significant.isEmpty else {
      key.append(2)
      return
    }
    let exponent = UInt16(clamping: whole - leading + 0x4000)
    let flip: UInt8 = negative ? 0xFF : 0
    key.append(negative ? 1 : 3)
    key.append(UInt8(exponent >> 8) ^ flip)
    key.append(UInt8(exponent & 0xFF) ^ flip)
    for digit in significant { key.append((digit &+ 1) ^ flip) }
    key.append(0 ^ flip)
  }
}
