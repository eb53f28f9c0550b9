import BolideConformance
import BolideStorage
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
    /// Whether the scenario failed each time; one that did not is kept as it was found.
    package var isRepeated = true
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
      if trial.failure != nil { figures.failure = shrink(round, trial, seed: seed) }
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

  /// A scenario that was run.
  struct Trial {
    var stepCount: Int
    var transcript: OracleTranscript
    var failure: StepFailure?
  }

  func attempt(_ operations: [OracleOperation], title: String = "Found by the oracle.") -> Trial {
    attempt(OracleTranscript(operations, title: title))
  }

  func attempt(_ transcript: OracleTranscript) -> Trial {
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
}
