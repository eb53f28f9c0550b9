import BolideConformance

/// From a failure to the shortest scenario that shows it.
extension Oracle {
  /// The shortest list of operations found that still fails, as a scenario of the steps that it takes.
  ///
  /// A failure that does not repeat is a failure all the same: it comes back as it was found.
  func shrink(_ operations: [OracleOperation], _ found: Trial, seed: UInt64) -> Failure? {
    // Nothing can be told from leaving parts out where the whole does not fail again.
    guard attempt(operations).failure != nil else { return Self.once(found, operations.count) }
    var current = truncated(operations)
    // A simpler operation may make others superfluous.
    while true {
      let before = current
      current = withoutPairs(simplified(shortened(current)))
      if current == before { break }
    }
    let trial = leaned(attempt(current, title: "Found by the oracle, seed \(seed)."))
    if let failure = trial.failure {
      return Self.failure(failure, trial, from: operations.count, to: current.count)
    }
    return Self.once(found, operations.count)
  }

  /// A failure as it was found, which did not repeat.
  private static func once(_ found: Trial, _ count: Int) -> Failure? {
    guard let seen = found.failure else { return nil }
    var once = failure(seen, found, from: count, to: count)
    once.isRepeated = false
    return once
  }

  private static func failure(_ failure: StepFailure, _ trial: Trial, from: Int, to: Int) -> Failure {
    Failure(
      scenario: trial.transcript.text, stepCount: trial.transcript.stepCount, store: failure.store,
      step: failure.step, comparison: failure.comparison, operationsBefore: from, operationsAfter: to)
  }

  // MARK: Operations

  /// Delta debugging: leaves out ever smaller parts, as long as what is left fails.
  private func shortened(_ operations: [OracleOperation]) -> [OracleOperation] {
    var current = operations
    var size = max(1, current.count / 2)
    while true {
      var place = 0
      var hasShrunk = false
      while place < current.count {
        var fewer = current
        fewer.removeSubrange(place..<min(place + size, current.count))
        if attempt(fewer).failure != nil {
          current = truncated(fewer)
          hasShrunk = true
        } else {
          place += size
        }
      }
      if size > 1 { size /= 2 } else if !hasShrunk { return current }
    }
  }

  /// Without two operations that are needed only for each other, such as a write and the purge of its history.
  private func withoutPairs(_ operations: [OracleOperation]) -> [OracleOperation] {
    guard operations.count <= Self.pairLimit else { return operations }
    for first in operations.indices {
      for second in operations.indices where second > first {
        var fewer = operations
        fewer.remove(at: second)
        fewer.remove(at: first)
        if attempt(fewer).failure != nil { return truncated(fewer) }
      }
    }
    return operations
  }

  /// Beyond so many operations there are too many pairs to try.
  private static let pairLimit = 24

  /// Without what comes after the first difference.
  private func truncated(_ operations: [OracleOperation]) -> [OracleOperation] {
    let trial = attempt(operations)
    guard let line = trial.failure?.position.line, let last = trial.transcript.operation(at: line) else {
      return operations
    }
    return Array(operations.prefix(last + 1))
  }

  private func simplified(_ operations: [OracleOperation]) -> [OracleOperation] {
    var current = operations
    var place = 0
    while place < current.count {
      let simpler = current[place].simplified.lazy.map { simple in
        var changed = current
        changed[place] = simple
        return changed
      }.first { attempt($0).failure != nil }
      if let simpler { current = simpler } else { place += 1 }
    }
    return current
  }

  // MARK: Steps

  /// Without the steps that the last one does not need to show exactly the same difference on the same store.
  private func leaned(_ trial: Trial) -> Trial {
    guard let failure = trial.failure, let last = trial.transcript.step(at: failure.position.line) else {
      return trial
    }
    var best = trial
    func take(_ transcript: OracleTranscript) {
      let fewer = attempt(transcript)
      guard let seen = fewer.failure, seen.store == failure.store, seen.step == failure.step,
        seen.comparison == failure.comparison
      else { return }
      best = fewer
    }
    take(best.transcript.ending(with: last))
    for step in (0..<last).reversed() { take(best.transcript.leaving(out: step)) }
    return best
  }
}
