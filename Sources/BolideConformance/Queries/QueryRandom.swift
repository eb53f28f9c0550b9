import BolideStorage
import Foundation

/// Random choices for worlds and requests; the same ones for the same seed.
struct QueryRandom: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func next() -> UInt64 { generator.next() }

  /// True once in `count` times.
  mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// One of some elements, of which there is at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  // MARK: Values

  /// A value of a type: often one of a few, so that keys are equal, sometimes an extreme.
  mutating func value(of type: ValueType) -> Value {
    switch type {
    case .int16, .int32, .int64:
      let range = type.integerRange ?? 0...1
      if chance(25) { return .int(pick([range.lowerBound, range.upperBound, range.upperBound - 1])) }
      if type == .int64, chance(40) {
        return .int(pick([1 << 31, 1 << 32 + 1, 1 << 53 + 1, 1_606_780_800_123]))
      }
      return .int(Int64.random(in: -3...4, using: &self))
    case .double: return .double(pick(Self.doubles))
    case .float:
      return .float(
        pick([
          0, 0.1, -0.1, 1, 16_777_216, .leastNonzeroMagnitude, 3.5,
          chance(9) ? pick([.infinity, -.infinity]) : 2,
        ]))
    case .decimal:
      return .decimal(Decimal(Int64.random(in: -40...40, using: &self)) / pick([1, 100, 10_000]))
    case .boolean: return .bool(Bool.random(using: &self))
    case .date:
      return .date(
        Date(
          timeIntervalSinceReferenceDate: chance(12)
            ? pick([-6.3e10, 6.4e10, 1e15, -1e17, .infinity, -.infinity])
            : pick([-1e9, -0.5, 0, 0.1, 0.30000000000000004, 7e8])))
    case .string: return .string(text())
    case .uri: return .uri("x:" + pick(["", "a", "A", "é", "e\u{301}", "É", "b/c", "ez"]))
    case .uuid:
      return .uuid(
        UUID(uuid: (pick([0, 1, 128, 255]), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, pick([0, 9]))))
    case .binary:
      return .binary(pick([[], [0], [0, 0], [0, 255], [1], [255], Array(repeating: 7, count: 700)]))
    case .reference: return .null
    }
  }

  private static let doubles: [Double] = [
    0, 0.1, 0.2, 0.3, -0.1, 1, 2.5, -1, 1e16, -1e16, 3e-9, 1e300, -1e300, 1.7e308, .leastNonzeroMagnitude,
    .leastNormalMagnitude, 9_007_199_254_740_994, .infinity, -.infinity,
  ]

  /// A text: accents composed and decomposed, letters whose cases are odd, digits, NULs, and long ones.
  mutating func text() -> String {
    if chance(12) {
      return String(repeating: "k", count: pick([479, 480, 481, 600])) + pick(["", "a", "A", "\0"])
    }
    if chance(3) { return pick(Self.words) }
    return (0..<Int.random(in: 0...4, using: &self)).map { _ in pick(Self.letters) }.joined()
  }

  private static let words = [
    "", "a", "A", "straße", "STRASSE", "Strasse", "item 2", "item 10", "Item 02", "item", "a\0b", "a\0c", "ﬁ",
    "fi",
    "\u{e9}t\u{e9}", "e\u{301}te\u{301}", "ete", "ÉTÉ", "\u{1e69}", "s\u{323}\u{307}", "s\u{307}\u{323}",
    "ΟΔΟΣ", "οδος", "οδοσ", "100%", "a_b", "a*b", "a?b", "a\\b", "가", "각", "😀", "😀a",
  ]

  private static let letters = [
    "a", "A", "ä", "a\u{308}", "Ä", "e", "é", "É", "e\u{301}", "i", "I", "ı", "İ", "ß", "ẞ", "ss", "σ", "ς",
    "Σ",
    "ΐ", "ᾳ", "\u{345}", "0", "1", "01", "9", "10", " ", "*", "?", "\\", "\0", "K", "k", "\u{212A}", "ǆ", "ǅ",
    "ø",
    "\u{301}", "한", "\u{1100}", "𐐀", "𐐨", "\u{10FFFF}", "\u{FFFF}",
  ]
}
