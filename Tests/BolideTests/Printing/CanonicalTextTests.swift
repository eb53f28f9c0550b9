import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct CanonicalTextTests {
  @Test(arguments: [
    (0.0, "2001-01-01T00:00:00Z"),
    (-0.5, "2000-12-31T23:59:59.5Z"),
    (-0.1, "2000-12-31T23:59:59.9Z"),
    (0.1, "2001-01-01T00:00:00.1Z"),
    (625_184_340, "2020-10-23T22:19:00Z"),
    (-978_307_200, "1970-01-01T00:00:00Z"),
    (-63_113_904_000, "0001-01-01T00:00:00Z"),
    (-63_113_904_001, "0000-12-31T23:59:59Z"),
    (-63_114_076_800, "0000-12-30T00:00:00Z"),
    (-63_145_526_401, "-0001-12-31T23:59:59Z"),
    (63_113_904_000, "4001-01-01T00:00:00Z"),
    (252_423_993_600, "+10000-01-01T00:00:00Z"),
    (-31_622_400, "2000-01-01T00:00:00Z"),
    (-26_524_800, "2000-02-29T00:00:00Z"),
    (1e-7, "2001-01-01T00:00:00.0000001Z"),
    (.infinity, "@inf"),
    (-.infinity, "@-inf"),
    (1e300, "@1e+300"),
  ])
  func `a date prints in UTC with the fewest digits`(_ seconds: Double, _ text: String) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(CanonicalText.text(date) == text)
    #expect(CanonicalText.date(text) == date)
  }

  @Test func `random dates read back bit-equal and no shorter text does`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<4000 {
      let scale = Double.random(in: -9...19, using: &random)
      let seconds = Double.random(in: -1...1, using: &random) * pow(10, scale)
      let text = CanonicalText.text(Date(timeIntervalSinceReferenceDate: seconds))
      let back = CanonicalText.date(text)?.timeIntervalSinceReferenceDate
      #expect(back?.bitPattern == seconds.bitPattern, "seed \(seed): \(seconds) is \(text)")
      guard let point = text.firstIndex(of: ".") else { continue }
      let shorter = text.dropLast(text.distance(from: point, to: text.endIndex) == 3 ? 3 : 2) + "Z"
      let other = CanonicalText.date(String(shorter))?.timeIntervalSinceReferenceDate
      #expect(other != seconds, "seed \(seed): \(shorter) reads back as \(text) does")
    }
  }

  @Test func `dates agree with Foundation's calendar`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      // After 1582 both calendars are the same.
      let seconds = Double(Int64.random(in: -13_000_000_000...250_000_000_000, using: &random))
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let text = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
        parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0)
      #expect(CanonicalText.text(date) == text, "seed \(seed)")
    }
  }

  @Test(arguments: [
    "", "2021", "2021-7-20", "2021-02-29", "2021-13-01", "2021-00-10", "2021-07-20T24:00:00Z",
    "2021-07-20T10:00:00", "2021-07-20T10:60Z", "2021-07-20T10:00:00.Z", "2021-07-20T10:00:00Zx",
    "+99999999999999-01-01", "@nan", "@", "2021-07-20T10:00:00+2:00", "20210-01-01",
  ])
  func `what is no date is refused`(_ text: String) { #expect(CanonicalText.date(text) == nil) }

  @Test func `offsets and short forms are read`() throws {
    let noon = try #require(CanonicalText.date("2021-07-20T12:00:00Z"))
    #expect(CanonicalText.date("2021-07-20T14:00+02:00") == noon)
    #expect(CanonicalText.date("2021-07-20 06:30:00.000-05:30") == noon)
    #expect(CanonicalText.date("2021-07-20") == noon.addingTimeInterval(-43_200))
  }

  @Test(arguments: [
    ("1e3", "1000"), ("-1.50E-2", "-0.015"), ("0.0", "0"), ("-0", "0"), ("0e9999999", "0"), ("12e-1", "1.2"),
    ("9e89", "9" + String(repeating: "0", count: 89)), ("1e127", "1" + String(repeating: "0", count: 127)),
    ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
    ("0.10000000000000000000000000000000000000000000", "0.1"),
    ("1e-128", "0." + String(repeating: "0", count: 127) + "1"),
  ])
  func `a decimal is exactly what was written`(_ text: String, _ plain: String) throws {
    #expect(CanonicalText.value(text, as: .decimal) == DecimalText.value(of: plain).map(Value.decimal))
    #expect(try DecimalText.text(of: #require(DecimalText.exactValue(of: text))) == plain)
  }

  @Test(arguments: [
    // One more than the largest whole number of so many digits, digits that are too many, and powers out of range.
    "340282366920938463463374607431768211456", "0.1234567890123456789012345678901234567891", "1e200",
    "1e-129",
    "1e9223372036854775807", "1e-9223372036854775808", "1e99999999999999999999", "", "-", "e5", "1e", ".5",
    "5.",
    "1.2.3", "1e5e5", "+1", "0x10", "inf", "nan", "１",
  ])
  func `what no decimal is exactly is none`(_ text: String) {
    #expect(CanonicalText.value(text, as: .decimal) == nil)
  }

  @Test func `each kind of value has its text`() throws {
    let uuid = try #require(UUID(uuidString: "0A1B2C3D-0000-4000-8000-00000000FFFF"))
    let expected: [(Value, String)] = [
      (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.int(.min), "-9223372036854775808"),
      (.double(0.1), "0.1"), (.double(5), "5.0"), (.double(1e16), "1e+16"), (.double(-.infinity), "-inf"),
      (.float(0.1), "0.1"), (.decimal(Decimal(string: "1200.50") ?? 0), "1200.5"),
      (.string("a\"b\\\n\u{1}é☄/"), #""a\"b\\\n\u0001é☄/""#), (.uri("x:y"), "\"x:y\""),
      (.uuid(uuid), "0a1b2c3d-0000-4000-8000-00000000ffff"), (.binary([0, 255]), "0x00ff"),
      (.binary([]), "0x"), (.reference(3), "#3"),
    ]
    for (value, text) in expected { #expect(CanonicalText.text(value) == text) }
  }

  @Test func `random values of every type read back equal`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for type in ValueType.allCases {
      for _ in 0..<200 {
        let value = random.value(of: type)
        let text = CanonicalText.text(value)
        #expect(CanonicalText.value(text, as: type) == value, "seed \(seed): \(type) \(text)")
      }
    }
  }

  @Test(arguments: [#""\x""#, #""\u12""#, #""\ud800""#, #""\ud800\u0041""#, "\"a", "\"a\"b\"", "\"\n\""])
  func `a wrong JSON string is refused`(_ text: String) { #expect(CanonicalText.unquoted(text) == nil) }

  @Test func `surrogate escapes make one scalar`() {
    #expect(CanonicalText.unquoted(#""\ud83d\ude00\/""#) == "\u{1F600}/")
  }
}

extension SplitMix64 {
  /// Any value that fits a type.
  mutating func value(of type: ValueType) -> Value {
    switch type {
    case .int16, .int32, .int64, .reference:
      let range = type.integerRange ?? 0...0
      let number = Int64.random(in: range, using: &self)
      return type == .reference ? .reference(number) : .int(number)
    case .boolean: return .bool(Bool.random(using: &self))
    case .double: return .double(double())
    case .float:
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: next()))
      return .float(value.isNaN ? .infinity : value == 0 ? 0 : value)
    case .date:
      let seconds = Bool.random(using: &self) ? double() : Double.random(in: -1e12...1e12, using: &self)
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .decimal:
      let digits = Int64.random(in: -999_999_999_999...999_999_999_999, using: &self)
      return .decimal(Decimal(digits) / pow(Decimal(10), Int.random(in: 0...9, using: &self)))
    case .string: return .string(text())
    case .uri: return .uri("x:" + text())
    case .uuid:
      var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
      withUnsafeMutableBytes(of: &bytes) { bytes in for index in 0..<16 { bytes[index] = byte() } }
      return .uuid(UUID(uuid: bytes))
    case .binary:
      return .binary((0..<Int.random(in: 0...9, using: &self)).map { _ in byte() })
    }
  }

  private mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
