import Bolide
import BolideStorage
import Foundation

/// Aggregates as the reference makes them: with whole numbers of any size.
enum ReferenceNumbers {
  /// A whole number, by its bits of magnitude from the lowest on.
  private struct Whole {
    var isNegative = false
    /// Digits of base 2¹⁶, the lowest first, without zeros at the end.
    var digits: [Int] = []

    static let base = 1 << 16

    /// A number times a power of two.
    init(_ magnitude: UInt64, isNegative: Bool, shift: Int) {
      self.isNegative = isNegative && magnitude != 0
      for bit in 0..<64 where magnitude >> UInt64(bit) & 1 == 1 {
        let place = bit + shift
        while digits.count <= place / 16 { digits.append(0) }
        digits[place / 16] |= 1 << (place % 16)
      }
    }

    static func + (left: Whole, right: Whole) -> Whole {
      var result = left
      if left.isNegative == right.isNegative {
        result.digits = add(left.digits, right.digits)
      } else if isLess(left.digits, right.digits) {
        result.digits = subtract(right.digits, left.digits)
        result.isNegative = right.isNegative
      } else {
        result.digits = subtract(left.digits, right.digits)
      }
      if result.digits.isEmpty { result.isNegative = false }
      return result
    }

    static prefix func - (number: Whole) -> Whole {
      var result = number
      result.isNegative = !number.isNegative && !number.digits.isEmpty
      return result
    }

    func times(_ factor: Int) -> Whole {
      var result = self
      result.digits = []
      for _ in 0..<factor { result.digits = Self.add(result.digits, digits) }
      return result
    }

    static func isLess(_ left: [Int], _ right: [Int]) -> Bool {
      if left.count != right.count { return left.count < right.count }
      return left.reversed().lexicographicallyPrecedes(right.reversed())
    }

    private static func add(_ left: [Int], _ right: [Int]) -> [Int] {
      var result: [Int] = []
      var carry = 0
      for index in 0..<max(left.count, right.count) {
        carry += (index < left.count ? left[index] : 0) + (index < right.count ? right[index] : 0)
        result.append(carry % base)
        carry /= base
      }
      if carry > 0 { result.append(carry) }
      return result
    }

    private static func subtract(_ left: [Int], _ right: [Int]) -> [Int] {
      var result = left
      for index in left.indices {
        result[index] -= index < right.count ? right[index] : 0
        if result[index] < 0 {
          result[index] += base
          result[index + 1] -= 1
        }
      }
      while result.last == 0 { result.removeLast() }
      return result
    }
  }

  /// Doubles in units of 2⁻¹⁰⁷⁴, of which all are whole numbers.
  private static func whole(_ number: Double) -> Whole {
    if number.isInfinite { return Whole(1, isNegative: number < 0, shift: 1024 + 1074) }
    let bits = number.bitPattern & 0x7FFF_FFFF_FFFF_FFFF
    let exponent = Int(bits >> 52)
    let fraction = bits & 0xF_FFFF_FFFF_FFFF
    return Whole(
      exponent == 0 ? fraction : fraction | 1 << 52, isNegative: number < 0, shift: max(exponent - 1, 0))
  }

  /// The double nearest to a sum divided by a count: the one whose product with the count is nearest to the
  /// sum.
  static func nearest(_ numbers: [Double], dividedBy count: Int) -> Double {
    if numbers.contains(where: \.isInfinite) { return numbers.reduce(0, +) }
    let sum = numbers.map(whole).reduce(Whole(0, isNegative: false, shift: 0), +)
    var magnitude = sum
    magnitude.isNegative = false
    // Between two doubles of which the lower is not too high: bit patterns ascend as doubles do.
    var low: UInt64 = 0
    var high = Double.infinity.bitPattern
    // A guess spares most of the way, where it is right.
    let guess = min(abs(numbers.reduce(0, +) / Double(count)), .greatestFiniteMagnitude).bitPattern
    if guess > 8, guess + 8 < high, !(magnitude + -product(guess - 8, count)).isNegative,
      (magnitude + -product(guess + 8, count)).isNegative
    {
      (low, high) = (guess - 8, guess + 8)
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if (magnitude + -product(middle, count)).isNegative { high = middle } else { low = middle }
    }
    let below = magnitude + -product(low, count)
    let above = product(high, count) + -magnitude
    let isLow = Whole.isLess(below.digits, above.digits) || below.digits == above.digits && low % 2 == 0
    let result = Double(bitPattern: isLow ? low : high)
    return sum.isNegative && result != 0 ? -result : result
  }

  private static func product(_ pattern: UInt64, _ count: Int) -> Whole {
    whole(Double(bitPattern: pattern)).times(count)
  }

  /// The average of decimals with at most four digits after the point, by long division to 38 digits.
  static func average(_ numbers: [Decimal]) -> Decimal {
    let sum = numbers.reduce(Decimal(0), +) * 10_000
    guard let whole = Int(DecimalText.text(of: sum)), whole != 0 else { return 0 }
    var rest = abs(whole)
    let count = numbers.count
    var digits = String(rest / count)
    rest %= count
    var power = -4
    if digits == "0" { digits = "" }
    while digits.count < 38, rest != 0 {
      rest *= 10
      let digit = rest / count
      rest %= count
      power -= 1
      if digit != 0 || !digits.isEmpty { digits += String(digit) }
    }
    var value = Decimal(string: digits) ?? 0
    let isOdd = "13579".contains(digits.last ?? "0")
    if rest * 2 > count || rest * 2 == count && isOdd { value += 1 }
    return Decimal(sign: whole < 0 ? .minus : .plus, exponent: power, significand: value)
  }
}
