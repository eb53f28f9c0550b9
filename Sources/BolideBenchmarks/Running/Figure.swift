import Foundation

/// Figures as the table and the plot print them.
enum Figure {
  /// A number with no more digits than it needs, at most two after the point.
  static func short(_ value: Double) -> String {
    let rounded = (value * 100).rounded() / 100
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }

  /// A ratio.
  static func factor(_ value: Double) -> String {
    value >= 100 ? String(Int(value.rounded())) : String(format: "%.2f", value)
  }

  /// A rate a second.
  static func rate(_ value: Double) -> String {
    switch value {
    case 10_000_000...: String(format: "%.1fM", value / 1e6)
    case 10_000...: String(format: "%.0fk", value / 1e3)
    case 100...: String(format: "%.0f", value)
    default: String(format: "%.2f", value)
    }
  }

  /// A time, in the unit that fits it.
  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case 1...: "\(short(seconds)) s"
    case 1e-3...: "\(short(seconds * 1e3)) ms"
    default: "\(short(seconds * 1e6)) µs"
    }
  }

  /// A text with blanks after it.
  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// A text with blanks before it.
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }

  /// Bytes in millions.
  static func megabytes(_ bytes: Int) -> String { String(format: "%.1f", Double(bytes) / 1e6) }
}

/// The middle of the values, or the mean of the two in the middle; 0 without values.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
