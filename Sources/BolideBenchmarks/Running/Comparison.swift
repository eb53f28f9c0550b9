import CommandKit
import Foundation

/// What is to be compared, and how often.
struct ComparisonPlan: Sendable {
  var job: Job
  var store: StoreKind
  /// Which side is ours.
  var side = SideName.bolide
  var rows: Int
  var pairs = 5
  var seed: UInt64 = 1
  /// Whether the other side is left out.
  var isAlone = false

  /// Who runs in turn, ours first.
  var sides: [SideName] {
    guard let opponent = job.opponent, !isAlone else { return [side] }
    return [side, opponent]
  }

  /// What is compared, in words.
  var label: String { "\(job.rawValue) on \(store.rawValue)" }
}

/// Our side and the other in turn, A B A B, and what came of it.
struct Comparison: Sendable {
  let plan: ComparisonPlan
  let ours: [RunMeasurement]
  /// Empty where there is no other side.
  let theirs: [RunMeasurement]

  /// Measures pair after pair, each run in a folder of its own that is removed.
  ///
  /// - Parameter measure: Does one run; in a process of its own, unless a test looks on.
  /// - Throws: ``BenchmarkFailure`` when a run fails, or when the two sides did not see or leave the same.
  static func run(
    _ plan: ComparisonPlan, console: Console,
    measure: (RunRequest) throws -> RunMeasurement
  ) async throws -> Comparison {
    var ours: [RunMeasurement] = []
    var theirs: [RunMeasurement] = []
    for pair in 1...plan.pairs {
      for (turn, side) in plan.sides.enumerated() {
        console.progress.show("\(plan.label), pair \(pair) of \(plan.pairs): \(side.rawValue)")
        let measurement = try await TemporaryFolder.with(
          prefix: "bolide-bench", console.interruption
        ) { folder in
          try measure(
            RunRequest(
              job: plan.job, store: plan.store, side: side, rows: plan.rows, seed: plan.seed,
              folder: folder.url.path))
        }
        if turn == 0 { ours.append(measurement) } else { theirs.append(measurement) }
      }
      if let other = theirs.last { try check(ours[pair - 1], other, plan.label) }
    }
    return Comparison(plan: plan, ours: ours, theirs: theirs)
  }

  /// - Throws: ``BenchmarkFailure`` when two runs did not see or leave the same.
  static func check(_ ours: RunMeasurement, _ theirs: RunMeasurement, _ what: String) throws {
    guard ours.rows == theirs.rows else {
      throw BenchmarkFailure("\(what): \(ours.rows) rows on our side, \(theirs.rows) on the other")
    }
    guard ours.checksum == theirs.checksum else {
      throw BenchmarkFailure("\(what): the two sides did not see the same values")
    }
    guard ours.content == theirs.content else {
      throw BenchmarkFailure("\(what): the two stores do not hold the same content")
    }
  }

  /// Our rate to theirs, a number a pair, from the lowest.
  var ratios: [Double] { zip(ours, theirs).map { $0.rate / $1.rate }.sorted() }

  /// The figures of the run.
  var result: BenchmarkResult {
    let ratios = ratios
    let peak = ours.map(\.peakBytes).max() ?? 0
    let kept = median(theirs.map { Double($0.keptBytes) })
    let changes = Double(max(1, ours.first?.rows ?? 1))
    let counts = plan.job == .controller ? ours.first : nil
    return BenchmarkResult(
      job: plan.job, store: plan.store, rows: plan.rows,
      ratio: ratios.isEmpty ? nil : median(ratios), ratioMin: ratios.first, ratioMax: ratios.last,
      busyRatio: theirs.isEmpty ? nil : median(zip(ours, theirs).map { $0.busyRate / $1.busyRate }),
      rowsPerSecond: median(ours.map(\.rate)), busyRowsPerSecond: median(ours.map(\.busyRate)),
      otherRowsPerSecond: theirs.isEmpty ? nil : median(theirs.map(\.rate)),
      secondsEach: median(ours.map { $0.seconds / Double(max(1, $0.rows)) }),
      otherSecondsEach: theirs.isEmpty ? nil : median(theirs.map { $0.seconds / Double(max(1, $0.rows)) }),
      busySecondsEach: median(ours.map { $0.busySeconds / Double(max(1, $0.rows)) }),
      otherBusySecondsEach: theirs.isEmpty
        ? nil : median(theirs.map { $0.busySeconds / Double(max(1, $0.rows)) }),
      peakBytes: peak, otherPeakBytes: theirs.map(\.peakBytes).max(),
      memoryRatio: kept > 0 ? Double(peak) / kept : nil,
      keptBytes: ours.map(\.keptBytes).max() ?? 0,
      otherKeptBytes: theirs.isEmpty ? nil : Int(kept),
      fileBytes: ours.map(\.fileBytes).max() ?? 0, writtenBytes: ours.map(\.writtenBytes).max() ?? 0,
      comparisons: counts.map { Double($0.comparisons) / changes },
      rowsRead: counts.map { Double($0.rowsRead) / changes },
      target: Target.of(plan.job, plan.store, rows: plan.rows))
  }
}
