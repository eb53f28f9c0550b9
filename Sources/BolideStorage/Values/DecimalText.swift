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
