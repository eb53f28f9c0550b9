import Testing

@testable import BolideBenchmarks

@Suite struct TargetTests {
  private func result(_ change: (inout BenchmarkResult) -> Void = { _ in }) -> BenchmarkResult {
    var result = BenchmarkResult.sample
    change(&result)
    return result
  }

  @Test func `a target is met when every bound holds, the bounds themselves included`() {
    let target = Target(
      ratio: 1, seconds: 2, rate: 3, peakBytes: 4, memoryRatio: 5, comparisons: 6, rowsRead: 7)
    let atTheBounds = result {
      $0.ratio = 1
      $0.secondsEach = 2
      $0.rowsPerSecond = 3
      $0.peakBytes = 4
      $0.memoryRatio = 5
      $0.comparisons = 6
      $0.rowsRead = 7
    }
    #expect(target.isMet(by: atTheBounds))
    let misses: [(inout BenchmarkResult) -> Void] = [
      { $0.ratio = 0.99 }, { $0.secondsEach = 2.01 }, { $0.rowsPerSecond = 2.99 }, { $0.peakBytes = 5 },
      { $0.memoryRatio = 5.01 }, { $0.comparisons = 6.01 }, { $0.rowsRead = 7.01 },
    ]
    for miss in misses {
      var result = atTheBounds
      miss(&result)
      #expect(!target.isMet(by: result))
    }
  }

  @Test func `a bound on what was not measured is not met`() {
    #expect(!Target(ratio: 0).isMet(by: result { $0.ratio = nil }))
    #expect(!Target(memoryRatio: 9).isMet(by: result { $0.memoryRatio = nil }))
    #expect(!Target(comparisons: 9).isMet(by: result { $0.comparisons = nil }))
  }

  @Test func `every job has a target, but those that show how things grow`() {
    for job in Job.allCases {
      for store in StoreKind.allCases where job.isFor(store) {
        #expect((Target.of(job, store, rows: 1_000) != nil) == job.isUsual, "\(job) on \(store)")
      }
    }
  }

  @Test func `bounds that follow the size are computed from it`() {
    #expect(Target.of(.controller, .memory, rows: 1 << 17)?.comparisons == 170)
    #expect(Target.of(.stream, .lmdb, rows: 1_000_000)?.peakBytes == 64 << 20 + 280_000_000)
    #expect(Target.of(.stream, .lmdb, rows: 100_000_000)?.peakBytes == 64 << 20 + 512 << 20)
    #expect(Target.of(.stream, .sqlite, rows: 100_000_000)?.peakBytes == 64 << 20)
  }

  @Test func `a target says its bounds`() {
    #expect(Target(ratio: 0.9).text == "≥ 0.9")
    #expect(Target(seconds: 20e-6).text == "≤ 20 µs")
    #expect(Target(ratio: 10, rate: 200e6).text == "≥ 10, ≥ 200.0M/s")
    #expect(Target(memoryRatio: 1.3).text == "≤ 1.3 × its memory")
  }
}

extension BenchmarkResult {
  /// Figures with every number there is.
  static var sample: BenchmarkResult {
    BenchmarkResult(
      job: .importing, store: .sqlite, rows: 1_000, ratio: 1.5, ratioMin: 1.25, ratioMax: 1.75,
      busyRatio: 1.4,
      rowsPerSecond: 100_000, busyRowsPerSecond: 120_000, otherRowsPerSecond: 80_000, secondsEach: 0.00001,
      otherSecondsEach: 0.0000125, busySecondsEach: 0.000008, otherBusySecondsEach: 0.00001,
      peakBytes: 2_000_000, otherPeakBytes: 2_500_000, memoryRatio: 0.5,
      keptBytes: 1_000_000,
      otherKeptBytes: 4_000_000, fileBytes: 3_000_000, writtenBytes: 5_000_000, comparisons: 12, rowsRead: 1,
      target: Target(ratio: 0.9))
  }
}
