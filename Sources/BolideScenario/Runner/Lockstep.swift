/// One store that performs the steps of a scenario.
package protocol StepPerformer: AnyObject {
  /// The store's name.
  var storeName: String { get }
  /// Whether the store, or the run, has the capability.
  func has(_ capability: String) -> Bool
  /// Performs a step and gives back its canonical text; an error is a text that starts with `error `.
  func perform(_ index: Int) -> [String]
  /// What the last step's error means and what to do about it, if it ended with one.
  var explanation: String? { get }
}

/// Runs a scenario on several stores, one step on all of them before the next.
package struct Lockstep {
  /// What came out.
  package struct Outcome: Sendable {
    package var failure: StepFailure?
    /// The steps that ran on at least one store.
    package var stepCount = 0
    /// Store names by the index of a step that was left out there.
    package var omitted: [Int: [String]] = [:]
    /// What each step printed on the first store that ran it.
    package var printed: [Int: [String]] = [:]
  }

  private let scenario: Scenario
  private let performers: [any StepPerformer]
  /// Whether texts are compared with the file; an update compares the stores only.
  private let comparesBlocks: Bool

  package init(_ scenario: Scenario, on performers: [any StepPerformer], comparesBlocks: Bool = true) {
    self.scenario = scenario
    self.performers = performers
    self.comparesBlocks = comparesBlocks
  }

  /// Runs the steps in order, through the one on `line` if a line is given, and stops at the first
  /// step where a store differs from the expectation or from its peers.
  package func run(through line: Int? = nil) -> Outcome {
    var outcome = Outcome()
    for (index, step) in scenario.steps.enumerated() {
      if let line, step.position.line > line { break }
      var printed: [(store: String, lines: [String])] = []
      for performer in performers {
        if let condition = step.condition, performer.has(condition.capability.text) == condition.isNegated {
          outcome.omitted[index, default: []].append(performer.storeName)
        } else {
          printed.append((performer.storeName, performer.perform(index)))
        }
      }
      guard let first = printed.first else { continue }
      outcome.stepCount += 1
      outcome.printed[index] = first.lines
      if let failure = failure(of: step, printed) {
        outcome.failure = failure
        return outcome
      }
    }
    return outcome
  }

  private func failure(
    of step: Step, _ printed: [(store: String, lines: [String])]
  ) -> StepFailure? {
    func failure(_ store: String, _ reason: StepFailure.Reason) -> StepFailure {
      StepFailure(
        store: store, position: step.position, step: step.source, phase: step.phase, reason: reason,
        explanation: performers.first { $0.storeName == store }?.explanation)
    }
    let pattern = step.block.map { BlockPattern($0.lines) }
    if let pattern, !pattern.lines.isEmpty {
      let mismatch = printed.first { !pattern.matches($0.lines) }
      if let mismatch, comparesBlocks {
        return failure(mismatch.store, .unexpected(expected: pattern.lines, actual: mismatch.lines))
      }
      // A wildcard, and an error's code alone, say that the rest may differ.
      if mismatch == nil, pattern.hasWildcards || pattern.isErrorCodeAlone { return nil }
    }
    if pattern == nil,
      let (store, lines) = printed.first(where: { $0.lines.first?.hasPrefix("error ") == true })
    {
      return failure(store, .error(lines))
    }
    guard let reference = printed.first else { return nil }
    for (store, lines) in printed.dropFirst() where lines != reference.lines {
      return failure(
        store, .stores(reference: reference.store, expected: reference.lines, actual: lines))
    }
    return nil
  }
}
