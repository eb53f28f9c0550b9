/// New text for the expected blocks of a scenario file; every other byte stays.
package struct ScenarioRewrite {
  /// What a rewrite came to.
  package struct Outcome: Hashable, Sendable {
    package var bytes: [UInt8]
    /// The steps whose blocks are new, by their lines.
    package var changedLines: [Int]
  }

  /// Whether steps without a block get one.
  package var addsBlocks: Bool

  package init(addsBlocks: Bool = false) { self.addsBlocks = addsBlocks }

  /// Puts what was printed into the blocks; steps that did not run have no entry in `printed`.
  ///
  /// A block that matches stays as it is. In one that does not, lines that still match stay, with
  /// their wildcards, and `error CODE` alone stays one line.
  ///
  /// - Throws: A `ScenarioProblem` when a printed line cannot stand in a block.
  package func apply(
    _ printed: [Int: [String]], to scenario: Scenario, bytes: [UInt8]
  ) throws(ScenarioProblem) -> Outcome {
    let lines = TextLines.ranges(of: bytes)
    var outcome = Outcome(bytes: [], changedLines: [])
    var copied = 0
    for (index, step) in scenario.steps.enumerated() {
      guard let actual = printed[index], !actual.isEmpty else { continue }
      guard let replacement = try replacement(for: step, actual) else { continue }
      let above = step.block?.position.line ?? step.lastLine
      let below = above + (step.block?.lines.count ?? 0)
      let start = above < lines.count ? lines[above].lowerBound : bytes.count
      outcome.bytes += bytes[copied..<start]
      if outcome.bytes.last != 0x0A { outcome.bytes.append(0x0A) }
      if step.block == nil { outcome.bytes += Array("----\n".utf8) }
      for line in replacement { outcome.bytes += Array((line + "\n").utf8) }
      copied = below < lines.count ? lines[below].lowerBound : bytes.count
      if step.block == nil, below < lines.count, !lines[below].isEmpty { outcome.bytes.append(0x0A) }
      outcome.changedLines.append(step.position.line)
    }
    outcome.bytes += bytes[copied...]
    return outcome
  }

  /// The lines for the step's block, or nil when nothing is to change.
  private func replacement(
    for step: Step, _ actual: [String]
  ) throws(ScenarioProblem) -> [String]? {
    for line in actual where !Self.fits(line) {
      throw ScenarioProblem(
        .unprintable, "the step printed a line that no block can hold: \(line.debugDescription)",
        at: step.position)
    }
    guard let block = step.block else { return addsBlocks ? actual : nil }
    let pattern = BlockPattern(block.lines)
    if !block.lines.isEmpty, pattern.matches(actual) { return nil }
    if pattern.isErrorCodeAlone, let first = actual.first, first.hasPrefix("error ") { return [first] }
    return pattern.difference(from: actual).compactMap { difference in
      switch difference {
      case .same(let expected, _): expected
      case .unexpected(let line): line
      case .missing: nil
      }
    }
  }

  private static func fits(_ line: String) -> Bool {
    !line.isEmpty && line.last != " " && !line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
      && PayloadHeader.name(in: line) == nil
  }
}
