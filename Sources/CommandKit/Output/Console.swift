import Foundation

/// What a command talks to: results on one stream, everything else on the other.
package struct Console: Sendable {
  package let output: OutputChannel
  package let errors: OutputChannel
  package let progress: ProgressLine
  package let environment: [String: String]
  package let interruption: Interruption

  package init(
    output: OutputChannel, errors: OutputChannel, environment: [String: String],
    interruption: Interruption = Interruption()
  ) {
    self.output = output
    self.errors = errors
    self.environment = environment
    self.interruption = interruption
    progress = ProgressLine(on: errors)
  }

  /// The console of this process. A reader that goes away and Ctrl-C no longer end the process by themselves.
  package static func process(environment: [String: String] = ProcessInfo.processInfo.environment) -> Console
  {
    signal(SIGPIPE, SIG_IGN)
    let console = Console(
      output: OutputChannel(
        "standard output", descriptor: STDOUT_FILENO, isBuffered: true, environment: environment),
      errors: OutputChannel(
        "standard error", descriptor: STDERR_FILENO, isBuffered: false, environment: environment),
      environment: environment)
    _ = console.interruption.atEnd { [console] in
      console.output.salvage()
      console.errors.writeAtOnce((console.errors.terminal.isTerminal ? "\r\u{1b}[K" : "") + "interrupted\n")
    }
    console.interruption.listen(for: SIGINT, endingWith: ExitCode.interrupted.rawValue)
    console.interruption.listen(for: SIGTERM, endingWith: 128 + SIGTERM)
    return console
  }

  /// Writes a line of the result.
  package func print(_ line: String) {
    progress.clear()
    output.write(line + "\n")
  }

  /// Writes a line of the result as JSON.
  package func print(json value: JSONValue) {
    print(value.text)
  }

  /// Tells the user something that is no result.
  package func report(_ diagnostic: Diagnostic) {
    note(diagnostic.text(on: errors.terminal))
  }

  /// Writes text that is no result, with its line ends.
  package func note(_ text: String) {
    progress.clear()
    // Both streams may end on one screen: what was printed before must be seen before.
    output.flush()
    errors.write(text)
  }
}
