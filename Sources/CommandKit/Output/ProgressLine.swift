import Synchronization

/// The one line of a terminal's error stream that says how far the work is; anywhere else it writes nothing.
package final class ProgressLine: Sendable {
  private struct State {
    var isShown = false
    var last: ContinuousClock.Instant?
  }

  /// A line that changes more often than this cannot be read, and costs time on a slow connection.
  private static let interval = Duration.milliseconds(100)

  private let channel: OutputChannel
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  package init(
    on channel: OutputChannel,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock().now }
  ) {
    self.channel = channel
    self.now = now
  }

  /// Shows the text in place of the one before, unless that one was shown a moment ago.
  package func show(_ text: @autoclosure () -> String) {
    guard channel.terminal.isTerminal else { return }
    state.withLock { state in
      let time = now()
      if state.isShown, let last = state.last, time - last < Self.interval { return }
      let line = PrintableText(text()).description.replacing("\n", with: " ")
      channel.write("\r\u{1b}[K" + line.prefix(max(channel.terminal.width - 1, 1)))
      channel.flush()
      state.isShown = true
      state.last = time
    }
  }

  /// Removes the line, so that other text can take its place.
  package func clear() {
    state.withLock { state in
      guard state.isShown else { return }
      channel.write("\r\u{1b}[K")
      channel.flush()
      state.isShown = false
    }
  }
}
