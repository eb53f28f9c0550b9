import BolideStorage
import Foundation

/// The exact sum of decimals, in any order (rule V-8).
///
/// A fixed-point number of base 10⁹ that is wide enough for every decimal; carries wait as in ``ExactSum``.
package struct ExactDecimalSum: Sendable {
  private static let base: Int64 = 1_000_000_000
  /// How many decimal digits there are after the point: more than decimals have, for averages.
  private static let fractionDigits = 180
  private static let digitCount = 44
  /// How many digits every decimal of that length holds.
  private static let significantDigits = 38
  /// The lowest power of ten that a decimal counts in.
  private static let lowestPower = -128

  private var digits = [Int64](repeating: 0, count: digitCount)
  private var unsettled = 0

  /// The sum of nothing: zero.
  package init() {}

  /// Adds a decimal that is a number.
  package mutating func add(_ number: Decimal) {
    let text = DecimalText.text(of: number).utf8
    let isNegative = text.first == UInt8(ascii: "-")
    let point = text.firstIndex(of: UInt8(ascii: ".")).map { text.distance(from: text.startIndex, to: $0) }
    var power = (point ?? text.count) - (isNegative ? 1 : 0) - 1
    for byte in text where byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".") {
      add(Int64(byte &- 48), power: power, isNegative: isNegative)
      power -= 1
    }
    unsettled += 1
    if unsettled == 1 << 30 { settle() }
  }

  private mutating func add(_ digit: Int64, power: Int, isNegative: Bool) {
    let place = power + Self.fractionDigits
    guard digit != 0, place >= 0, place / 9 < digits.count else { return }
    var weight: Int64 = 1
    for _ in 0..<(place % 9) { weight *= 10 }
    digits[place / 9] += isNegative ? -digit * weight : digit * weight
  }

  private mutating func settle() {
    for index in 0..<(digits.count - 1) {
      var carry = digits[index] / Self.base
      if digits[index] < carry * Self.base { carry -= 1 }
      digits[index + 1] += carry
      digits[index] -= carry * Self.base
    }
    unsettled = 0
  }

  /// The sum; `nil` where no decimal is exactly that.
  package func exact() -> Decimal? {
    let (isNegative, digits, _) = decimalDigits(dividedBy: 1)
    return Self.decimal(isNegative, digits)
  }

  /// The sum divided by a count, rounded to 38 digits with ties to even where it has more; `nil` when out of
  /// range.
  package func average(of count: Int) -> Decimal? {
    var (isNegative, digits, isExact) = decimalDigits(dividedBy: UInt64(max(1, count)))
    guard let first = digits.firstIndex(where: { $0 != 0 }) else { return 0 }
    let cut = min(first + Self.significantDigits, digits.count - Self.fractionDigits - Self.lowestPower)
    isExact = isExact && !digits[(cut + 1)...].contains { $0 != 0 }
    let roundsUp = digits[cut] > 5 || digits[cut] == 5 && (!isExact || digits[cut - 1] % 2 == 1)
    for index in cut..<digits.count { digits[index] = 0 }
    if roundsUp {
      var index = cut - 1
      while index >= 0, digits[index] == 9 {
        digits[index] = 0
        index -= 1
      }
      if index >= 0 { digits[index] += 1 }
    }
    return Self.decimal(isNegative, digits)
  }

  /// The decimal digits of the sum divided by a count, the highest first; the last stands for 10⁻¹⁸⁰.
  private func decimalDigits(
    dividedBy count: UInt64
  ) -> (isNegative: Bool, digits: [UInt8], isExact: Bool) {
    var sum = self
    sum.settle()
    let isNegative = (sum.digits.last ?? 0) < 0
    if isNegative {
      for index in sum.digits.indices { sum.digits[index] = -sum.digits[index] }
      sum.settle()
    }
    var result: [UInt8] = []
    result.reserveCapacity(sum.digits.count * 9)
    var remainder: UInt64 = 0
    for digit in sum.digits.reversed() {
      let scaled = remainder.multipliedFullWidth(by: UInt64(Self.base))
      let (low, overflows) = scaled.low.addingReportingOverflow(UInt64(digit))
      let part = count.dividingFullWidth((scaled.high + (overflows ? 1 : 0), low))
      remainder = part.remainder
      var weight: UInt64 = 100_000_000
      while weight > 0 {
        result.append(UInt8(part.quotient / weight % 10))
        weight /= 10
      }
    }
    return (isNegative, result, remainder == 0)
  }

  /// The decimal that digits stand for; `nil` where none is exactly that.
  private static func decimal(_ isNegative: Bool, _ digits: [UInt8]) -> Decimal? {
    let point = digits.count - fractionDigits
    let whole = digits[..<point].drop { $0 == 0 }
    let end = digits[point...].lastIndex { $0 != 0 }.map { $0 + 1 } ?? point
    var text = whole.isEmpty ? "0" : String(decoding: whole.map { $0 + 48 }, as: UTF8.self)
    if end > point { text += "." + String(decoding: digits[point..<end].map { $0 + 48 }, as: UTF8.self) }
    if isNegative, text != "0" { text = "-" + text }
    guard let value = DecimalText.value(of: text), DecimalText.text(of: value) == text else { return nil }
    return value
  }
}
