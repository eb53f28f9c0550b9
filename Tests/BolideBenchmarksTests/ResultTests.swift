import Foundation
import Testing

@testable import BolideBenchmarks

@Suite struct ResultTests {
  private func members(_ result: BenchmarkResult) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(result.json.text.utf8))
    return try #require(value as? [String: Any])
  }

  @Test func `JSON has every figure by name`() throws {
    let members = try members(.sample)
    #expect(
      members.keys.sorted() == [
        "busyRatio", "busyRowsPerSecond", "busySecondsEach", "comparisons", "fileBytes", "isTargetMet", "job",
        "keptBytes",
        "memoryRatio", "otherBusySecondsEach", "otherKeptBytes", "otherPeakBytes", "otherRowsPerSecond",
        "otherSecondsEach",
        "peakBytes", "ratio",
        "ratioMax",
        "ratioMin", "rows", "rowsPerSecond", "rowsRead", "secondsEach", "store", "target", "writtenBytes",
      ])
    #expect(members["job"] as? String == "import")
    #expect(members["ratio"] as? Double == 1.5)
    #expect(members["isTargetMet"] as? Bool == true)
  }

  @Test func `what was not measured is not in JSON`() throws {
    var result = BenchmarkResult.sample
    result.ratio = nil
    result.target = nil
    result.comparisons = nil
    let members = try members(result)
    #expect(members["ratio"] == nil && members["target"] == nil && members["isTargetMet"] == nil)
    #expect(members["comparisons"] == nil)
  }

  @Test func `the table says whether the target is met, and shows what it bounds`() {
    var result = BenchmarkResult.sample
    #expect(ResultTable.row(result).hasSuffix("≥ 0.9 met (12, 1)"))
    result.comparisons = nil
    result.target = Target(ratio: 2, seconds: 1)
    #expect(ResultTable.row(result).hasSuffix("≥ 2, ≤ 1 s not met (10 µs, cpu 8 µs)"))
    result.target = nil
    #expect(ResultTable.row(result).hasSuffix("  -"))
  }

  @Test func `ratios are those of pairs, and the spread is that of the pairs`() {
    func measurement(_ seconds: Double) -> RunMeasurement {
      RunMeasurement(
        seconds: seconds, busySeconds: seconds / 2, rows: 100, checksum: 1, content: 2,
        peakBytes: Int(seconds * 10), keptBytes: 4, fileBytes: 7, writtenBytes: 8, comparisons: 0,
        rowsRead: 0,
        partsBefore: 0
      )
    }
    let comparison = Comparison(
      plan: ComparisonPlan(job: .importing, store: .memory, rows: 100),
      ours: [measurement(1), measurement(2), measurement(4)],
      theirs: [measurement(2), measurement(2), measurement(16)])
    let result = comparison.result
    #expect(result.ratio == 2 && result.ratioMin == 1 && result.ratioMax == 4 && result.busyRatio == 2)
    #expect(result.rowsPerSecond == 50 && result.otherRowsPerSecond == 50)
    #expect(result.secondsEach == 0.02)
    #expect(result.peakBytes == 40 && result.memoryRatio == 10)
    #expect(result.comparisons == nil, "an import counts no comparisons")
  }
}
