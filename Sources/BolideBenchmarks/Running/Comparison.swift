import CommandKit
import Foundation

/// Our side and the other in turn, A B A B, and what came of it.
struct Comparison: Sendable {
  let job: Job
  let store: StoreKind
  let rows: Int
  let ours: [Measurement]
  let theirs: [Measurement]

  /// Measures `pairs` pairs in processes of their own.
  ///
  /// - Throws: ``BenchmarkFailure`` when a run fails, or when the two sides did not see or leave the same.
  static func run(
    _ job: Job, on store: StoreKind, side: SideName, rows: Int, pairs: Int, seed: UInt64, console: Console
  ) async throws -> Comparison {
    var ours: [Measurement] = []
    var theirs: [Measurement] = []
    for pair in 1...pairs {
      for (turn, side) in [side, job.opponent].enumerated() {
        console.progress.show(
          "\(job.rawValue) on \(store.rawValue), pair \(pair) of \(pairs): \(side.rawValue)")
        let measurement = try await TemporaryFolder.with(
          prefix: "bolide-bench", console.interruption
        ) { folder in
          let request = RunRequest(
            job: job, store: store, side: side, rows: rows, seed: seed, folder: folder.url.path)
          return try MeasuringProcess.run(request, console.interruption)
        }
        if turn == 0 { ours.append(measurement) } else { theirs.append(measurement) }
      }
      try check(ours[pair - 1], theirs[pair - 1], "\(job.rawValue) on \(store.rawValue)")
    }
    return Comparison(job: job, store: store, rows: rows, ours: ours, theirs: theirs)
  }

  private static func check(_ ours: Measurement, _ theirs: Measurement, _ what: String) throws {
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
    return BenchmarkResult(
      job: job.rawValue, store: store.rawValue, rows: rows,
      ratio: median(ratios), ratioMin: ratios.first ?? 0, ratioMax: ratios.last ?? 0,
      rowsPerSecond: median(ours.map(\.rate)), comparatorRowsPerSecond: median(theirs.map(\.rate)),
      peakBytes: ours.map(\.peakBytes).max() ?? 0, fileBytes: ours.map(\.fileBytes).max() ?? 0,
      target: Target.of(job, store, rows: rows).ratio)
  }

  /// Whether the figures reach the target.
  var isTargetMet: Bool {
    let result = result
    return Target.of(job, store, rows: rows).isMet(
      ratio: result.ratio, seconds: median(ours.map(\.seconds)), peakBytes: result.peakBytes)
  }
}

/// The middle of the values, or the mean of the two in the middle.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
