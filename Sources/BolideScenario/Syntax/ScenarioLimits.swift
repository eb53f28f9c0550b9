/// How large a scenario file may be; beyond a limit there is an error that states it.
package struct ScenarioLimits: Hashable, Sendable {
  /// Bytes of a line outside payloads, without its line feed.
  package var lineBytes: Int
  /// Steps of a file.
  package var steps: Int
  /// Bytes of one payload.
  package var payloadBytes: Int
  /// Bytes of a whole file.
  package var fileBytes: Int

  package init(lineBytes: Int, steps: Int, payloadBytes: Int, fileBytes: Int) {
    self.lineBytes = lineBytes
    self.steps = steps
    self.payloadBytes = payloadBytes
    self.fileBytes = fileBytes
  }

  /// The limits of the language.
  package static let standard = ScenarioLimits(
    lineBytes: 16 << 10, steps: 10_000, payloadBytes: 4 << 20, fileBytes: 16 << 20)
}
