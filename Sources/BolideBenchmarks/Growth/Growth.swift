import CommandKit

/// How the cost of a job grows with the rows: a comparison a size, by processor time, which a busy machine disturbs less.
struct Growth: Sendable {
  let job: Job
  let store: StoreKind
  let results: [BenchmarkResult]

  /// Sizes from one to another, about three a power of ten, both ends included.
  static func sizes(from first: Int, to last: Int) -> [Int] {
    var sizes: [Int] = []
    var power = first
    while power < last {
      sizes.append(power)
      if power * 3 < last { sizes.append(power * 3) }
      power *= 10
    }
    return sizes + [last]
  }

  /// How many times one of what is counted costs at the largest size what it costs at the smallest.
  var factor: Double? {
    guard let first = results.first, let last = results.last, first.busySecondsEach > 0 else { return nil }
    return last.busySecondsEach / first.busySecondsEach
  }

  /// The same of the other side.
  var otherFactor: Double? {
    guard let first = results.first?.otherBusySecondsEach, let last = results.last?.otherBusySecondsEach,
      first > 0
    else { return nil }
    return last / first
  }

  /// The line above the sizes.
  static let heading = line("job", "store", "rows", "ours cpu", "other cpu", "ratio", "peak MB", "file MB")

  /// The line of one size.
  static func line(_ result: BenchmarkResult) -> String {
    line(
      result.job.rawValue, result.store.rawValue, String(result.rows),
      Figure.duration(result.busySecondsEach),
      result.otherBusySecondsEach.map(Figure.duration) ?? "-", result.busyRatio.map(Figure.factor) ?? "-",
      Figure.megabytes(result.peakBytes), Figure.megabytes(result.fileBytes))
  }

  /// The line below the sizes.
  var summary: String {
    Self.line(
      job.rawValue, store.rawValue, "growth", factor.map { "× " + Figure.factor($0) } ?? "-",
      otherFactor.map { "× " + Figure.factor($0) } ?? "-", "", "", "")
  }

  private static func line(
    _ job: String, _ store: String, _ rows: String, _ ours: String, _ theirs: String, _ ratio: String,
    _ peak: String, _ file: String
  ) -> String {
    let line =
      Figure.left(job, 17) + Figure.left(store, 7) + Figure.right(rows, 9) + Figure.right(ours, 12)
      + Figure.right(theirs, 12) + Figure.right(ratio, 8) + Figure.right(peak, 10) + Figure.right(file, 10)
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
