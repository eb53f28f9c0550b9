import Foundation

/// What one stream can show.
package struct TerminalTraits: Sendable, Equatable {
  package let isTerminal: Bool
  package let usesColor: Bool
  /// Columns of a line.
  package let width: Int

  package init(isTerminal: Bool, usesColor: Bool, width: Int) {
    self.isTerminal = isTerminal
    self.usesColor = usesColor
    self.width = width
  }

  /// Asks the descriptor. Color needs a terminal that is not `dumb`, and no `NO_COLOR` (any value but the empty one).
  package init(descriptor: Int32, environment: [String: String]) {
    self.init(
      isTerminal: isatty(descriptor) == 1, columns: Self.columns(of: descriptor), environment: environment)
  }

  package init(isTerminal: Bool, columns: Int?, environment: [String: String]) {
    self.isTerminal = isTerminal
    let isPlain = environment["TERM"] == "dumb" || environment["NO_COLOR"]?.isEmpty == false
    usesColor = isTerminal && !isPlain
    width = columns ?? environment["COLUMNS"].flatMap(Int.init).flatMap { $0 > 0 ? $0 : nil } ?? 80
  }

  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
