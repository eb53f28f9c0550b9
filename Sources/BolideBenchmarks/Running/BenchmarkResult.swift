import CommandKit
import Foundation

/// One line of the table, and one element of what `--json` prints.
struct BenchmarkResult: Equatable, Sendable {
  var job: Job
  var store: StoreKind
  var rows: Int
  /// Median of our rate to the other side's, with the lowest and the highest; `nil` where there is no other side.
  var ratio: Double?
  var ratioMin: Double?
  var ratioMax: Double?
  /// Median of the same ratio by processor time.
  var busyRatio: Double?
  var rowsPerSecond: Double
  /// What a second of processor time does.
  var busyRowsPerSecond: Double
  var otherRowsPerSecond: Double?
  /// Median of the seconds that one of what is counted takes.
  var secondsEach: Double
  var otherSecondsEach: Double?
  /// The same by processor time.
  var busySecondsEach: Double
  var otherBusySecondsEach: Double?
  /// The highest of our runs, above the open store.
  var peakBytes: Int
  /// The same of the other side.
  var otherPeakBytes: Int?
  /// Our peak to what the other side keeps.
  var memoryRatio: Double?
  /// What our side holds afterwards, above the open store.
  var keptBytes: Int
  var otherKeptBytes: Int?
  var fileBytes: Int
  var writtenBytes: Int
  /// Comparisons and rows read for a change, where they are counted.
  var comparisons: Double?
  var rowsRead: Double?
  var target: Target?

  /// Whether the target is reached; `nil` where none is set.
  var isTargetMet: Bool? { target?.isMet(by: self) }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "job": .string(job.rawValue), "store": .string(store.rawValue), "rows": .integer(rows),
      "rowsPerSecond": .double(rowsPerSecond), "secondsEach": .double(secondsEach),
      "busyRowsPerSecond": .double(busyRowsPerSecond), "busySecondsEach": .double(busySecondsEach),
      "peakBytes": .integer(peakBytes), "keptBytes": .integer(keptBytes), "fileBytes": .integer(fileBytes),
      "writtenBytes": .integer(writtenBytes),
    ]
    let optional: [String: Double?] = [
      "otherBusySecondsEach": otherBusySecondsEach, "busyRatio": busyRatio, "ratio": ratio,
      "ratioMin": ratioMin, "ratioMax": ratioMax,
      "otherRowsPerSecond": otherRowsPerSecond,
      "otherSecondsEach": otherSecondsEach, "memoryRatio": memoryRatio,
      "otherPeakBytes": otherPeakBytes.map(Double.init), "otherKeptBytes": otherKeptBytes.map(Double.init),
      "comparisons": comparisons, "rowsRead": rowsRead,
    ]
    for case (let name, let value?) in optional { members[name] = .double(value) }
    if let target {
      members["target"] = .string(target.text)
      members["isTargetMet"] = .boolean(target.isMet(by: self))
    }
    return .object(members)
  }
}

/// The table that people read: one line a comparison, printed as soon as it is known.
enum ResultTable {
  /// The line above the results.
  static let heading = line(
    "job", "store", "rows", "ratio", "spread", "cpu", "ours/s", "other/s", "peak MB", "file MB", "written",
    "target")

  /// The line of one comparison.
  static func row(_ result: BenchmarkResult) -> String {
    let spread =
      if let low = result.ratioMin, let high = result.ratioMax {
        "\(Figure.factor(low))-\(Figure.factor(high))"
      } else {
        "-"
      }
    var target = result.target.map { "\($0.text) \($0.isMet(by: result) ? "met" : "not met")" } ?? "-"
    if result.target?.seconds != nil {
      target += " (\(Figure.duration(result.secondsEach)), cpu \(Figure.duration(result.busySecondsEach)))"
    }
    if result.target?.rate != nil { target += " (cpu \(Figure.rate(result.busyRowsPerSecond))/s)" }
    if let memoryRatio = result.memoryRatio, result.target?.memoryRatio != nil {
      target += " (\(Figure.factor(memoryRatio)))"
    }
    if let comparisons = result.comparisons, let rowsRead = result.rowsRead {
      target += " (\(Figure.short(comparisons)), \(Figure.short(rowsRead)))"
    }
    return line(
      result.job.rawValue, result.store.rawValue, String(result.rows), result.ratio.map(Figure.factor) ?? "-",
      spread, result.busyRatio.map(Figure.factor) ?? "-", Figure.rate(result.rowsPerSecond),
      result.otherRowsPerSecond.map(Figure.rate) ?? "-",
      Figure.megabytes(result.peakBytes), Figure.megabytes(result.fileBytes),
      Figure.megabytes(result.writtenBytes), target)
  }

  private static func line(
    _ job: String, _ store: String, _ rows: String, _ ratio: String, _ spread: String, _ busy: String,
    _ ours: String,
    _ theirs: String, _ peak: String, _ file: String, _ written: String, _ target: String
  ) -> String {
    Figure.left(job, 17) + Figure.left(store, 7) + Figure.right(rows, 9) + Figure.right(ratio, 8)
      + Figure.right(spread, 14) + Figure.right(busy, 8) + Figure.right(ours, 10) + Figure.right(theirs, 10)
      + Figure.right(peak, 9)
      + Figure.right(file, 9) + Figure.right(written, 9) + "  " + target
  }
}
