import Bolide
import BolideStorage
import Foundation

/// A scenario that was read and checked and can run.
package struct ScenarioProgram: Sendable {
  package let scenario: Scenario
  package let declarations: Declarations
  let verbs: [any Verb]
  /// The model the store starts with.
  let schema: Schema
  let roots: FileRoots
  let models: ModelLibrary
  let hasFeeds: Bool

  /// What a file came to: a program, or the problems that keep it from being one.
  package struct Outcome: Sendable {
    package var scenario: Scenario
    package var program: ScenarioProgram?
    package var problems: [ScenarioProblem]
  }

  /// The capabilities that depend on the run and not on the store.
  static let runCapabilities: Set<String> = ["feeds"]

  /// Reads and checks the bytes of a scenario file; all problems are found at once.
  ///
  /// - Parameter tolerated: problems that do not keep the scenario from running, for an update.
  package static func read(
    _ bytes: [UInt8], path: String, options: ReplayOptions,
    tolerating tolerated: Set<ScenarioProblem.Code> = []
  ) -> Outcome {
    let parsed = ScenarioParser.parse(bytes, path: path)
    var problems = parsed.problems
    // Of a file that could not be read as text nothing else can be said.
    if problems.contains(where: { $0.code == .encoding || $0.code == .fileSize }) {
      return Outcome(scenario: parsed.scenario, program: nil, problems: problems)
    }
    let (declarations, declared) = Declarations.read(parsed.scenario)
    problems += declared
    var check = ScenarioCheck(
      parsed.scenario, declarations, roots: options.roots(of: parsed.scenario),
      capabilities: Set(options.stores.flatMap { $0.capabilities.keys }).union(runCapabilities))
    let verbs = check.run()
    problems += check.problems
    problems.sort { $0.position < $1.position }
    let outcome = Outcome(scenario: parsed.scenario, program: nil, problems: problems)
    guard let schema = check.schema, problems.allSatisfy({ tolerated.contains($0.code) }) else {
      return outcome
    }
    let program = ScenarioProgram(
      scenario: parsed.scenario, declarations: declarations, verbs: verbs, schema: schema,
      roots: check.roots, models: check.models, hasFeeds: options.feeds != nil)
    return Outcome(scenario: parsed.scenario, program: program, problems: problems)
  }
}
