import BolideStorage
import Testing

@testable import BolideFeeds

/// Scans a text that a quotation mark follows.
private func number<Result>(_ text: String, _ body: (DecimalNumber, UnsafePointer<UInt8>) -> Result?)
  -> Result?
{
  Array((text + "\"").utf8).withUnsafeBufferPointer { bytes in
    let text = UnsafeBufferPointer(rebasing: bytes.dropLast())
    guard let start = bytes.baseAddress, let number = DecimalNumber(text) else { return nil }
    return body(number, start)
  }
}

private func double(_ text: String, shift: Int = 0) -> Double? {
  number(text) { $0.double(shiftedBy: shift, in: $1) }
}

private func integer(_ text: String) -> Int64? { number(text) { number, _ in number.integer } }

@Suite struct DecimalNumberTests {
  @Test(arguments: [
    "0", "-0", "1", "1.5", "-155.459335327148", "34.5299987792969", "9007199254740993", "1e22", "1e23",
    "123e-22",
    "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "0.1", "1e-400", "4.9406564584124654e-325",
    "179769313486231570000000000000000000000e270", "0.000000000000000000000000000001234", "8.5E+3",
    "9223372036854775807", "18446744073709551615", "18446744073709551616", "0e999999999999",
  ])
  func `a double is the nearest one`(_ text: String) {
    #expect(double(text)?.bitPattern == Double(text).map { ($0 + 0).bitPattern })
  }

  @Test func `doubles survive printing and reading`() {
    let seed: UInt64 = 20_201_211
    var generator = SplitMix64(seed: seed)
    for _ in 0..<5_000 {
      let value = Double(bitPattern: generator.next())
      guard value.isFinite else { continue }
      #expect(double("\(value)") == value, "seed \(seed)")
      let short = Double(Int64.random(in: -10_000_000...10_000_000, using: &generator)) / 10_000
      #expect(double("\(short)")?.bitPattern == (short + 0).bitPattern, "seed \(seed)")
    }
  }

  @Test func `thousands of digits are read exactly`() {
    let digits = String(repeating: "3", count: 5_000)
    #expect(double("0.\(digits)") == 1.0 / 3.0)
    #expect(double("\(digits)e-5000") == 1.0 / 3.0)
    #expect(double("1" + String(repeating: "0", count: 5_000) + "e-5000") == 1)
  }

  @Test(arguments: ["1e309", "-1e309", "1e999", "1e99999999999999999999", "2e308"])
  func `a number that no double holds is none`(_ text: String) { #expect(double(text) == nil) }

  @Test(arguments: [
    "", "-", "+1", "01", "1.", ".5", "1e", "1e+", "1x", "NaN", "Infinity", "0x10", "1 ", " 1", "1,5",
  ])
  func `what is no number is none`(_ text: String) {
    #expect(double(text) == nil)
    #expect(integer(text) == nil)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1626972577731", 1_626_972_577_731), ("1626972577731.000", 1_626_972_577_731),
      ("1.626972577731e12", 1_626_972_577_731), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil),
      ("1.5", nil),
      ("1e18", 1_000_000_000_000_000_000), ("1e19", nil), ("1e-1", nil), ("10e-1", 1), ("0e5", 0),
      ("1e99999999999", nil),
    ] as [(String, Int64?)])
  func `an integer is exact or none`(_ text: String, _ expected: Int64?) {
    #expect(integer(text) == expected)
  }

  @Test func `moving the point gives the same double as writing it moved`() {
    for tenths in stride(from: 1, through: 50_000, by: 7) {
      let text = "\(tenths / 10).\(tenths % 10)"
      #expect(double(text + "e10", shift: -10) == double(text))
      #expect(double("\(tenths)00000000000000", shift: -10) == double("\(tenths)0000"))
    }
  }
}
