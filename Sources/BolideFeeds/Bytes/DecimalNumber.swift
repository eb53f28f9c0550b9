/// A decimal number as it stands in a text, in the grammar of JSON, converted only when asked.
struct DecimalNumber {
  /// The digits as an integer; meaningful when `isWhole` holds.
  private(set) var significand: UInt64 = 0
  /// The power of ten of the significand's last digit.
  private(set) var exponent = 0
  private(set) var isNegative = false
  /// Whether all digits are in `significand`.
  private(set) var isWhole = true
  /// Whether the text is a number.
  private(set) var isValid = false
  /// How many bytes belong to the number, or were looked at before it turned out to be none.
  private(set) var count = 0
  /// How many of these stand before the `e`.
  private var mantissaCount = 0
  /// The number that stands after the `e`.
  private var writtenExponent = 0

  /// Beyond this no finite double is left, however many digits a text has.
  private static let exponentLimit = 100_000_000
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
  ]

  /// Scans the number that starts at `start`; a byte that belongs to no number must follow it.
  init(scanning start: UnsafePointer<UInt8>) {
    var pointer = start
    defer { count = pointer - start }
    if pointer.pointee == UInt8(ascii: "-") {
      isNegative = true
      pointer += 1
    }
    let integer = pointer
    if pointer.pointee == UInt8(ascii: "0") {
      pointer += 1
    } else {
      scanDigits(&pointer)
      if pointer == integer { return }
    }
    var digits = pointer - integer
    if pointer.pointee == UInt8(ascii: ".") {
      pointer += 1
      let fraction = pointer
      scanDigits(&pointer)
      if pointer == fraction { return }
      digits += pointer - fraction
      exponent = fraction - pointer
    }
    isWhole = digits <= 19
    mantissaCount = pointer - start
    if pointer.pointee | 0x20 == UInt8(ascii: "e") {
      guard scanExponent(&pointer) else { return }
    }
    exponent += writtenExponent
    isValid = true
  }

  /// The number that is the whole of a text, or nil. A byte that belongs to no number must follow the text.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard let start = text.baseAddress, !text.isEmpty else { return nil }
    self.init(scanning: start)
    if !isValid || count != text.count { return nil }
  }

  @inline(__always)
  private mutating func scanDigits(_ pointer: inout UnsafePointer<UInt8>) {
    var value = significand
    while true {
      let digit = pointer.pointee &- UInt8(ascii: "0")
      if digit > 9 { break }
      value = value &* 10 &+ UInt64(digit)
      pointer += 1
    }
    significand = value
  }

  private mutating func scanExponent(_ pointer: inout UnsafePointer<UInt8>) -> Bool {
    pointer += 1
    let negative = pointer.pointee == UInt8(ascii: "-")
    if negative || pointer.pointee == UInt8(ascii: "+") { pointer += 1 }
    let first = pointer
    var value = 0
    while true {
      let digit = pointer.pointee &- UInt8(ascii: "0")
      if digit > 9 { break }
      value = min(value * 10 + Int(digit), Self.exponentLimit)
      pointer += 1
    }
    writtenExponent = negative ? -value : value
    return pointer != first
  }

  /// The nearest double to the number times ten to the power of `shift`; nil beyond the largest finite one.
  ///
  /// Up to 2^53 and 10^22 both factors are exact doubles, so one multiplication or division rounds correctly.
  /// Other texts go to the standard library, which reads them the same way in every locale.
  ///
  /// - Parameter text: the bytes that were scanned.
  func double(shiftedBy shift: Int = 0, in text: UnsafePointer<UInt8>) -> Double? {
    if isWhole {
      if significand == 0 { return 0 }
      let power = exponent + shift
      if significand <= 1 << 53, power >= -22, power <= 22 {
        let digits = Double(significand)
        let value = power < 0 ? digits / Self.powers[-power] : digits * Self.powers[power]
        return isNegative ? -value : value
      }
    }
    let mantissa = UnsafeBufferPointer(start: text, count: mantissaCount)
    guard let value = Double(String(decoding: mantissa, as: UTF8.self) + "e\(writtenExponent + shift)")
    else { return nil }
    // Adding zero turns a negative zero, the nearest double to a very small number, into zero.
    return value.isFinite ? value + 0 : nil
  }

  /// The number as an integer, in whatever notation it is written; nil when it has a fraction or is too large.
  var integer: Int64? {
    guard isWhole else { return nil }
    var magnitude = significand
    var power = exponent
    if magnitude == 0 { return 0 }
    while power < 0 {
      guard magnitude % 10 == 0 else { return nil }
      magnitude /= 10
      power += 1
    }
    while power > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      magnitude = product
      power -= 1
    }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }
}
