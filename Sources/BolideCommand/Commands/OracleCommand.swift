import BolideScenario
import CommandKit
import Foundation

/// `bolide oracle`: random operations on stores in lockstep, against a plain model.
enum OracleCommand {
  private static let operations = CommandOption(
    "operations", .number(atLeast: 1), "N", standard: "10000", help: "How many operations.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0, atMost: .max), "N",
    help: "The seed of what is random; another one each time unless given.")
  private static let output = CommandOption(
    "output", .text, "FILE", standard: "oracle.scenario", help: "Where a failure is written as a scenario.")

  static let command = Command(
    "oracle", "Do random operations to stores in lockstep, and compare them with a plain model.",
    discussion: [
      "A difference is shrunk to the fewest operations that show it and written as a scenario, which"
        + " `bolide replay` runs."
    ],
    examples: ["bolide oracle --operations 1000000", "bolide oracle --stores memory,lmdb --seed 7"],
    options: [operations, .stores, seed, output, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let count = arguments.count(operations) ?? 0
    let seed = arguments.number(seed) ?? UInt64.random(in: 0 ... .max)
    return try await ScenarioRun.with(arguments, console) { run in
      let begin = ContinuousClock.now
      let figures = Oracle(run.options).run(operations: count, seed: seed) {
        console.progress.show("\($0)/\(count) operations")
      }
      let seconds = String(format: "%.1f", begin.duration(to: .now) / .seconds(1))
      if let failure = figures.failure { try write(failure, arguments, console) }
      let differences = figures.failure == nil ? 0 : 1
      let stores = run.options.stores.map(\.name).joined(separator: ",")
      if arguments.has(.json) {
        console.print(json: [
          "operations": .integer(figures.operations), "steps": .integer(figures.steps),
          "stores": .string(stores), "differences": .integer(differences), "seed": .string(String(seed)),
        ])
      } else {
        console.print(
          "\(figures.operations) operations, \(figures.steps) steps, on \(stores), \(differences) differences; "
            + "seed \(seed), \(seconds) s")
      }
      return differences == 0 ? .success : .expectationFailed
    }
  }

  private static func write(
    _ failure: Oracle.Failure, _ arguments: Arguments, _ console: Console
  ) throws {
    let path = arguments.text(output) ?? ""
    try Data(failure.scenario.utf8).write(to: URL(filePath: path), options: .atomic)
    let lines =
      ["\(failure.store): \(failure.step)"] + failure.comparison.map { "  \($0)" }
      + [
        failure.isRepeated
          ? "\(failure.operationsAfter) of \(failure.operationsBefore) operations show it: bolide replay \(path)"
          : "it did not fail when it was run again; all \(failure.operationsBefore) operations are in \(path)"
      ]
    console.note(lines.map { PrintableText($0).description + "\n" }.joined())
  }
}
