/// The exact sum of doubles and integers, rounded once at the end (rule V-8): it depends on no order.
///
/// The sum is a fixed-point number wide enough for every double. Its digits of 32 bits are kept in 64, so
/// that carries wait; they are settled before they could overflow.
package struct ExactSum: Sendable {
  /// The power of two that the lowest bit stands for; the first digit is below every double, for averages.
  private static let lowest = -1074 - 32
  private static let digitCount = 72

  private var digits = [Int64](repeating: 0, count: digitCount)
  private var unsettled = 0
  private var infinities: (positive: Bool, negative: Bool) = (false, false)

  /// The sum of nothing: zero.
  package init() {}

  /// Adds a number that is not NaN.
  package mutating func add(_ number: Double) {
    if number.isInfinite {
      if number > 0 { infinities.positive = true } else { infinities.negative = true }
      return
    }
    if number == 0 { return }
    // The significand as an integer times a power of two.
    let exponent = number.isNormal ? number.exponent - 52 : -1074
    let significand = number.significandBitPattern | (number.isNormal ? 1 << 52 : 0)
    add(significand, power: Int(exponent), isNegative: number < 0)
  }

  /// Adds an integer.
  package mutating func add(_ number: Int64) {
    add(number.magnitude, power: 0, isNegative: number < 0)
  }

  private mutating func add(_ magnitude: UInt64, power: Int, isNegative: Bool) {
    let place = power - Self.lowest
    var rest = UInt128(magnitude) << UInt128(place & 31)
    var index = place >> 5
    while rest != 0 {
      let digit = Int64(UInt32(truncatingIfNeeded: rest))
      digits[index] += isNegative ? -digit : digit
      rest >>= 32
      index += 1
    }
    unsettled += 1
    if unsettled == 1 << 30 { settle() }
  }

  /// Carries over what is more than 32 bits; the last digit keeps the sign.
  private mutating func settle() {
    for index in 0..<(digits.count - 1) {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= 0xFFFF_FFFF
    }
    unsettled = 0
  }

  /// The double nearest to the sum divided by a count, ties to even; `nil` where infinities of both signs are
  /// in it.
  package func rounded(dividedBy count: Int = 1) -> Double? {
    if infinities.positive || infinities.negative {
      if infinities.positive && infinities.negative { return nil }
      return infinities.positive ? .infinity : -.infinity
    }
    var sum = self
    sum.settle()
    let isNegative = (sum.digits.last ?? 0) < 0
    if isNegative {
      for index in sum.digits.indices { sum.digits[index] = -sum.digits[index] }
      sum.settle()
    }
    let (quotient, isExact) = Self.divide(sum.digits, by: UInt64(max(1, count)))
    let value = Self.nearest(to: quotient, isExact: isExact)
    return isNegative ? -value : value
  }

  private static func divide(_ digits: [Int64], by divisor: UInt64) -> (quotient: [UInt32], isExact: Bool) {
    var quotient = [UInt32](repeating: 0, count: digits.count)
    var remainder: UInt64 = 0
    for index in digits.indices.reversed() {
      let low = remainder << 32 | UInt64(truncatingIfNeeded: digits[index])
      let part = divisor.dividingFullWidth((remainder >> 32, low))
      quotient[index] = UInt32(truncatingIfNeeded: part.quotient)
      remainder = part.remainder
    }
    return (quotient, remainder == 0)
  }

  /// The double nearest to a number that is not negative, with something below its last bit unless it is
  /// exact.
  private static func nearest(to digits: [UInt32], isExact: Bool) -> Double {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let topBit = top * 32 + 31 - digits[top].leadingZeroBitCount
    let lastBit = max(topBit - 52, 32)
    func bit(_ place: Int) -> Bool { digits[place >> 5] & (1 << UInt32(place & 31)) != 0 }
    var significand: UInt64 = 0
    for place in stride(from: topBit, through: lastBit, by: -1) {
      significand = significand << 1 | (bit(place) ? 1 : 0)
    }
    if bit(lastBit - 1) {
      let isTie = isExact && !(0..<(lastBit - 1)).contains(where: bit)
      if !isTie || significand & 1 == 1 { significand += 1 }
    }
    return Double(sign: .plus, exponent: lastBit + lowest, significand: Double(significand))
  }
}
