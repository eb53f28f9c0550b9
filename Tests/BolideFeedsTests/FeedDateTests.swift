import Testing

@testable import BolideFeeds

private func seconds(_ text: String) -> Double? {
  Array((text + "\"").utf8).withUnsafeBufferPointer { bytes in
    FeedDate.seconds(UnsafeBufferPointer(rebasing: bytes.dropLast()))
  }
}

@Suite struct FeedDateTests {
  /// F5, with times that no clock of New York shows.
  @Test(arguments: [
    ("2001-01-01 00:00:00", 0), ("1970-01-01 00:00:00", -978_307_200), ("2020-12-11 14:30:00", 629_389_800),
    ("2000-02-29 23:59:59", -26_438_401), ("1988-04-15 03:03:10", -401_230_610),
    ("2021-06-12T16:35:17.280Z", 645_208_517.28), ("2000-12-31T23:59:59.999Z", -0.001),
    ("2001-01-01T00:00:00Z", 0), ("2001-01-01T00:00:00.5", 0.5), ("2001-01-01 00:00:00.000001", 0.000001),
    ("2021-03-14 02:30:00", 637_381_800), ("0000-03-01 00:00:00", -63_140_342_400),
    ("9999-12-31 23:59:59", 252_423_993_599),
  ])
  func `a date is its seconds since 2001`(_ text: String, _ expected: Double) {
    #expect(seconds(text) == expected)
  }

  @Test(arguments: [
    "", "2021-06-12", "2021-06-12 16:35", "2021-13-01 00:00:00", "2021-00-01 00:00:00", "2021-02-29 00:00:00",
    "1900-02-29 00:00:00", "2021-04-31 00:00:00", "2021-01-00 00:00:00", "2021-01-01 24:00:00",
    "2021-01-01 00:60:00",
    "2021-01-01 00:00:60", "2021/01/01 00:00:00", "2021-01-01T00:00:00+01:00", "2021-01-01 00:00:00.",
    "2021-01-01 00:00:00 ",
    "2021-01-01 00:00:00.1234567", "21-01-01 00:00:00xx", "2021-01-01 00:00:0x", "٢٠٢١-01-01 00:00:00",
  ])
  func `what is no date is none`(_ text: String) { #expect(seconds(text) == nil) }

  @Test func `every day follows the one before`() {
    var expected = -410_313_600.0
    for year in 1988...2032 {
      for month in 1...12 {
        for day in 1...31 {
          func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
          guard let found = seconds("\(year)-\(two(month))-\(two(day)) 00:00:00") else { continue }
          #expect(found == expected)
          expected += 86_400
        }
      }
    }
    #expect(expected == seconds("2033-01-01 00:00:00"))
  }

  @Test func `milliseconds are counted as integers first`() {
    #expect(FeedDate.seconds(epochMilliseconds: 978_307_200_000) == 0)
    #expect(FeedDate.seconds(epochMilliseconds: 1_626_972_577_731) == 648_665_377.731)
    #expect(FeedDate.seconds(epochMilliseconds: 1_623_515_717_280) == seconds("2021-06-12T16:35:17.280Z"))
    #expect(FeedDate.seconds(epochMilliseconds: .min) == nil)
    #expect(FeedDate.seconds(epochMilliseconds: .max) != nil)
  }

  /// F7.
  @Test func `dates are right from many threads at once`() async {
    await withTaskGroup(of: Int.self) { group in
      for thread in 0..<8 {
        group.addTask {
          (0..<12_500).filter { number in
            let second = (number * 8 + thread) % 60
            return seconds("2020-12-11 14:30:\(second < 10 ? "0" : "")\(second)") != 629_389_800
              + Double(second)
          }.count
        }
      }
      for await wrong in group { #expect(wrong == 0) }
    }
  }
}
