import CommandKit
import Foundation

/// One line of the table, and one element of what `--json` prints.
struct BenchmarkResult: Sendable {
  var job: String
  var store: String
  var rows: Int
  /// Median of our rate to the comparator's.
  var ratio: Double
  var ratioMin: Double
  var ratioMax: Double
  var rowsPerSecond: Double
  var comparatorRowsPerSecond: Double
  /// The highest of our runs, above the open store.
  var peakBytes: Int
  var fileBytes: Int
  /// The least ratio asked for.
  var target: Double

  var json: JSONValue {
    [
      "job": .string(job), "store": .string(store), "rows": .integer(rows), "ratio": .double(ratio),
      "ratioMin": .double(ratioMin), "ratioMax": .double(ratioMax),
      "rowsPerSecond": .double(rowsPerSecond),
      "comparatorRowsPerSecond": .double(comparatorRowsPerSecond), "peakBytes": .integer(peakBytes),
      "fileBytes": .integer(fileBytes), "target": .double(target),
    ]
  }
}

/// The table that people read: one line a comparison, printed as soon as it is known.
enum ResultTable {
  /// The line above the results.
  static let heading = line(
    "job", "store", "rows", "ratio", "spread", "ours/s", "other/s", "peak MB", "file MB", "target")

  /// The line of one comparison.
  static func row(_ comparison: Comparison) -> String {
    let result = comparison.result
    let target = Target.of(comparison.job, comparison.store, rows: comparison.rows)
    return line(
      result.job, result.store, String(result.rows), factor(result.ratio),
      "\(factor(result.ratioMin))-\(factor(result.ratioMax))", rate(result.rowsPerSecond),
      rate(result.comparatorRowsPerSecond), megabytes(result.peakBytes), megabytes(result.fileBytes),
      "\(target.text) \(comparison.isTargetMet ? "met" : "not met")")
  }

  private static func line(
    _ job: String, _ store: String, _ rows: String, _ ratio: String, _ spread: String, _ ours: String,
    _ theirs: String, _ peak: String, _ file: String, _ target: String
  ) -> String {
    left(job, 17) + left(store, 8) + right(rows, 8) + right(ratio, 8) + right(spread, 14) + right(ours, 10)
      + right(theirs, 10) + right(peak, 9) + right(file, 9) + "  " + target
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  private static func factor(_ value: Double) -> String {
    value >= 100 ? String(Int(value.rounded())) : String(format: "%.2f", value)
  }

  private static func rate(_ value: Double) -> String {
    switch value {
    case 10_000_000...: String(format: "%.1fM", value / 1e6)
    case 10_000...: String(format: "%.0fk", value / 1e3)
    default: String(format: "%.0f", value)
    }
  }

  private static func megabytes(_ bytes: Int) -> String {
    String(format: "%.1f", Double(bytes) / 1e6)
  }
}

extension Target {
  /// The bounds in words.
  var text: String {
    var text = "≥ \(ratio.formatted)"
    if let seconds { text += ", ≤ \((seconds * 1e6).formatted) µs" }
    if let peakBytes { text += ", ≤ \((Double(peakBytes) / 1e6).rounded().formatted) MB" }
    return text
  }
}

extension Double {
  /// The number with no more digits than it needs.
  fileprivate var formatted: String { self == rounded() ? String(Int(self)) : String(self) }
}
