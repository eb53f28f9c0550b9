/// What running one scenario file came to.
package struct ScenarioResult: Sendable {
  /// How it ended.
  package enum Outcome: Sendable {
    case passed
    case failed(StepFailure)
    /// Nothing of it ran, for that reason.
    case skipped(String)
    /// The file itself is wrong.
    case unreadable([ScenarioProblem])
  }

  package var path: String
  package var phases: [String]
  package var outcome: Outcome
  /// The stores it ran on.
  package var stores: [String] = []
  /// The steps that ran on at least one store.
  package var stepCount = 0
  /// What was left out although the scenario ran: a store or some steps, each with the reason.
  package var omissions: [String] = []

  package init(
    path: String, phases: [String] = [], outcome: Outcome, stores: [String] = [], stepCount: Int = 0,
    omissions: [String] = []
  ) {
    self.path = path
    self.phases = phases
    self.outcome = outcome
    self.stores = stores
    self.stepCount = stepCount
    self.omissions = omissions
  }
}

/// The step at which a scenario stopped, and what it should have printed.
package struct StepFailure: Hashable, Sendable {
  /// What went wrong.
  package enum Reason: Hashable, Sendable {
    /// The printed text is not the expected one.
    case unexpected(expected: [String], actual: [String])
    /// A step without expected text ended with an error.
    case error([String])
    /// Two stores printed different texts.
    case stores(reference: String, expected: [String], actual: [String])
  }

  package var store: String
  package var position: SourcePosition
  package var step: String
  /// Index of the phase the step belongs to.
  package var phase: Int?
  package var reason: Reason
  /// What the store said where the step ended with an error: its message and what to do.
  package var explanation: String?

  package init(
    store: String, position: SourcePosition, step: String, phase: Int? = nil, reason: Reason,
    explanation: String? = nil
  ) {
    self.store = store
    self.position = position
    self.step = step
    self.phase = phase
    self.reason = reason
    self.explanation = explanation
  }

  /// The command that runs the scenario up to this step again, on the stores concerned.
  package func rerun(path: String) -> String {
    var stores = [store]
    if case .stores(let reference, _, _) = reason { stores.insert(reference, at: 0) }
    return
      "bolide replay \(ShellWord.quoted("\(path):\(position.line)")) --stores \(stores.joined(separator: ","))"
  }

  /// The lines of a comparison: two blanks before what agrees, `-` expected, `+` printed.
  ///
  /// Of a long stretch that agrees only the ends are shown.
  package var comparison: [String] {
    switch reason {
    case .error(let lines): lines.map { "+ \($0)" }
    case .unexpected(let expected, let actual), .stores(_, let expected, let actual):
      Self.folded(BlockPattern(expected).difference(from: actual))
    }
  }

  private static func folded(_ differences: [BlockPattern.Difference]) -> [String] {
    let context = 3
    var isShown = [Bool](repeating: differences.count <= 4 * context, count: differences.count)
    for (index, difference) in differences.enumerated() {
      if case .same = difference { continue }
      for near in max(0, index - context)...min(differences.count - 1, index + context) {
        isShown[near] = true
      }
    }
    var lines: [String] = []
    var hidden = 0
    for (index, difference) in differences.enumerated() {
      guard isShown[index] else {
        hidden += 1
        continue
      }
      if hidden > 0 { lines.append("  … \(hidden) lines that agree") }
      hidden = 0
      switch difference {
      case .same(let line, _): lines.append("  \(line)")
      case .missing(let line): lines.append("- \(line)")
      case .unexpected(let line): lines.append("+ \(line)")
      }
    }
    if hidden > 0 { lines.append("  … \(hidden) lines that agree") }
    return lines
  }
}

/// Text as one word of a command line.
enum ShellWord {
  static func quoted(_ text: String) -> String {
    let plain = text.unicodeScalars.allSatisfy { $0.isWordPart && $0.isASCII }
    return plain && !text.isEmpty ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}

/// What a whole run came to.
package struct ReplaySummary: Hashable, Sendable {
  package var passed = 0
  package var failed = 0
  package var skipped = 0
  package var unreadable = 0

  package init() {}

  package mutating func add(_ result: ScenarioResult) {
    switch result.outcome {
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    case .unreadable:
      failed += 1
      unreadable += 1
    }
  }

  /// The last line of a run; it stays the last line.
  package var text: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }

  /// Whether nothing ran at all, which is a failure.
  package var isEmpty: Bool { passed + failed == 0 }
}
