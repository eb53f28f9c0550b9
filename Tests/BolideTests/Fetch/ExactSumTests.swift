import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct ExactSumTests {
  private func sum(_ numbers: [Double]) -> Double? {
    var sum = ExactSum()
    for number in numbers { sum.add(number) }
    return sum.rounded()
  }

  @Test(
    arguments: [
      ([], 0), ([0.1, 0.2], 0.30000000000000004), ([0.1, 0.2, 0.3], 0.6), ([1e308, 1e308, -1e308], 1e308),
      ([1e308, 1e308], .infinity), ([1, 1e100, 1, -1e100], 2),
      ([.leastNonzeroMagnitude, .leastNonzeroMagnitude], 2 * .leastNonzeroMagnitude),
      ([.leastNonzeroMagnitude, -.leastNonzeroMagnitude], 0),
      ([.greatestFiniteMagnitude, -.leastNonzeroMagnitude], .greatestFiniteMagnitude),
      ([9_007_199_254_740_992, 1], 9_007_199_254_740_992),
      ([9_007_199_254_740_992, 1, .leastNonzeroMagnitude], 9_007_199_254_740_994),
      ([-9_007_199_254_740_992, -1, -.leastNonzeroMagnitude], -9_007_199_254_740_994),
      ([.infinity, 1], .infinity),
    ] as [([Double], Double)])
  func `sums are rounded once`(_ numbers: [Double], _ expected: Double) {
    #expect(sum(numbers) == expected)
    #expect(sum(numbers.reversed()) == expected)
  }

  @Test func `infinities of both signs have no sum`() {
    #expect(sum([.infinity, -.infinity]) == nil)
  }

  @Test func `sums depend on no order, and agree with wider numbers`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      // Small integers times one power of two: 128-bit integers hold their sum exactly.
      let exponent = Int.random(in: -1100...900, using: &random)
      let scale = Double(sign: .plus, exponent: max(exponent, -1074), significand: 1)
      let integers = (0..<50).map { _ in Int64.random(in: -(1 << 50)...(1 << 50), using: &random) }
      let expected = Double(integers.reduce(0, +)) * scale
      #expect(sum(integers.map { Double($0) * scale }) == expected, "seed \(seed)")
      let numbers = (0..<20).map { _ in random.double() }.filter { !$0.isNaN }
      #expect(sum(numbers) == sum(numbers.shuffled(using: &random)), "seed \(seed)")
    }
  }

  @Test func `averages are rounded once`() throws {
    var sum = ExactSum()
    for number in [Int64.max, Int64.max, Int64.max - 1] { sum.add(number) }
    #expect(sum.rounded(dividedBy: 3) == Double(Int64.max))
    var third = ExactSum()
    third.add(1.0)
    #expect(third.rounded(dividedBy: 3) == 1.0 / 3)
    var tiny = ExactSum()
    tiny.add(Double.leastNonzeroMagnitude)
    #expect(tiny.rounded(dividedBy: 2) == 0)
    tiny.add(2 * Double.leastNonzeroMagnitude)
    #expect(tiny.rounded(dividedBy: 2) == 2 * Double.leastNonzeroMagnitude)
    // Their sum is out of range, their average is not.
    #expect(try value(.average, [.double(1e308), .double(1.5e308)], .double) == .double(1.25e308))
  }

  private func value(_ aggregate: Aggregate, _ values: [Value], _ type: ValueType) throws -> Value {
    var accumulator = AggregateAccumulator(aggregate, of: type)
    for value in values { accumulator.add(value) }
    return try accumulator.result()
  }

  private func decimal(_ text: String) -> Value { DecimalText.value(of: text).map(Value.decimal) ?? .null }

  @Test(
    arguments: [
      (["0.1", "0.2"], "0.3", "0.15"), (["1", "1", "0"], "2", "0.66666666666666666666666666666666666667"),
      (["99999999999999999999999999999999999999", "-99999999999999999999999999999999999998"], "1", "0.5"),
      (
        ["12345678901234567890", "0.000000000000000001"], "12345678901234567890.000000000000000001",
        "6172839450617283945.0000000000000000005"
      ),
      (["-1.5", "0.5"], "-1", "-0.5"), ([], "0", nil), (["5", "5", "-10"], "0", "0"),
    ] as [([String], String, String?)])
  func `decimals are exact`(_ numbers: [String], _ sum: String, _ average: String?) throws {
    #expect(try value(.sum, numbers.map(decimal), .decimal) == decimal(sum))
    #expect(try value(.average, numbers.reversed().map(decimal), .decimal) == average.map(decimal) ?? .null)
  }

  @Test func `what is out of range is an error`() throws {
    for (values, type) in [
      ([.int(.max), .int(1)], .int64), ([.int(.min), .int(-1)], .int16),
      ([.double(.infinity), .double(-.infinity)], .double),
      (
        [
          decimal("10000000000000000000000000000000000000"),
          decimal("0.0000000000000000000000000000000000001"),
        ], .decimal
      ),
    ] as [([Value], ValueType)] {
      let error = #expect(throws: BolideError.self) { try value(.sum, values, type) }
      #expect(error?.code == .aggregateOverflow)
    }
    // Only the end counts.
    #expect(try value(.sum, [.int(.max), .int(1), .int(-1)], .int64) == .int(.max))
  }

  @Test func `other aggregates`() throws {
    #expect(try value(.count, [.null, .int(1)], .int64) == .int(2))
    #expect(try value(.minimum, [.null, .string("b"), .string("a")], .string) == .string("a"))
    #expect(try value(.maximum, [.null, .string("b"), .string("a")], .string) == .string("b"))
    #expect(try value(.maximum, [.null], .string) == .null)
    #expect(try value(.average, [.null, .int(1), .int(2)], .int16) == .double(1.5))
    #expect(try value(.sum, [.float(0.5), .null], .float) == .double(0.5))
    #expect(try value(.average, [.null], .float) == .null)
  }
}
