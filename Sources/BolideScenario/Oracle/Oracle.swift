import BolideConformance
import Foundation

/// Does random operations to stores in lockstep and compares everything they print with a plain model.
///
/// Operations are run as scenarios, so what fails can be replayed. A failure is shrunk first.
package struct Oracle {
  /// What a run came to.
  package struct Figures: Sendable {
    package var operations = 0
    package var steps = 0
    package var failure: Failure?
  }

  /// A difference between a store and the model, or between stores.
  package struct Failure: Sendable {
    /// A scenario that shows it; every step before the last agrees.
    package var scenario: String
    package var stepCount: Int
    package var store: String
    package var step: String
    /// Expected lines after `-`, printed ones after `+`.
    package var comparison: [String]
    /// The operations that were shrunk to those of the scenario.
    package var operationsBefore: Int
    package var operationsAfter: Int
  }

  /// How many operations a scenario has: each begins with an empty store.
  private static let roundLength = 200

  private let replay: Replay

  package init(_ options: ReplayOptions) { replay = Replay(options) }

  /// Does so many operations, or stops at the first difference.
  ///
  /// - Parameter progress: told the number of operations done.
  package func run(operations: Int, seed: UInt64, progress: (Int) -> Void = { _ in }) -> Figures {
    var figures = Figures()
    var seeds = SplitMix64(seed: seed)
    while figures.operations < operations, figures.failure == nil {
      var random = SplitMix64(seed: seeds.next())
      let count = min(Self.roundLength, operations - figures.operations)
      let round = (0..<count).map { _ in OracleOperation.random(using: &random) }
      let trial = attempt(round)
      figures.operations += count
      figures.steps += trial.stepCount
      if trial.failure != nil { figures.failure = shrink(round, seed: seed) }
      progress(figures.operations)
    }
    return figures
  }

  /// The scenario of so many operations, which is not run.
  package static func transcript(operations: Int, seed: UInt64) -> String {
    var random = SplitMix64(seed: seed)
    let all = (0..<operations).map { _ in OracleOperation.random(using: &random) }
    return OracleTranscript(all, title: "Made by the oracle.").text
  }

  private struct Trial {
    var stepCount: Int
    var transcript: OracleTranscript
    var failure: StepFailure?
  }

  private func attempt(_ operations: [OracleOperation], title: String = "Found by the oracle.") -> Trial {
    let transcript = OracleTranscript(operations, title: title)
    let outcome = ScenarioProgram.read(
      Array(transcript.text.utf8), path: "oracle.scenario", options: replay.options)
    guard let program = outcome.program else {
      let problem = outcome.problems.first
      return Trial(
        stepCount: 0, transcript: transcript,
        failure: StepFailure(
          store: "none", position: problem?.position ?? SourcePosition(line: 1, column: 1), step: "",
          reason: .error(outcome.problems.map(\.message))))
    }
    let result = replay.perform(program).result
    guard case .failed(let failure) = result.outcome else {
      return Trial(stepCount: result.stepCount, transcript: transcript)
    }
    return Trial(stepCount: result.stepCount, transcript: transcript, failure: failure)
  }

  // MARK: Shrinking

  /// The shortest list of operations found that still fails, as a scenario.
  private func shrink(_ operations: [OracleOperation], seed: UInt64) -> Failure? {
    var current = truncated(operations)
    // A simpler operation may make others superfluous.
    while true {
      let before = current
      current = simplified(shortened(current))
      if current == before { break }
    }
    let trial = attempt(current, title: "Found by the oracle, seed \(seed).")
    guard let failure = trial.failure else { return nil }
    return Failure(
      scenario: trial.transcript.text, stepCount: trial.transcript.stepCount, store: failure.store,
      step: failure.step, comparison: failure.comparison, operationsBefore: operations.count,
      operationsAfter: current.count)
  }

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
}
