import BolideStorage
import Foundation

/// Runs scenario files on all stores in lockstep.
package struct Replay: Sendable {
  package let options: ReplayOptions

  package init(_ options: ReplayOptions) { self.options = options }

  /// Runs the files one after another and reports each when it ends.
  ///
  /// - Parameter continues: asked before each file; false ends the run early.
  /// - Throws: `file.…` when a file cannot be read; earlier files have been reported.
  package func run(
    _ targets: [ScenarioFiles.Target], report: any ReplayReport, while continues: () -> Bool = { true }
  ) throws(BolideError) -> ReplaySummary {
    var summary = ReplaySummary()
    for target in targets {
      guard continues() else { break }
      let result = try run(target)
      summary.add(result)
      report.finished(result)
    }
    report.finished(summary)
    return summary
  }

  /// Runs one file.
  ///
  /// - Throws: `file.…` when it cannot be read.
  package func run(_ target: ScenarioFiles.Target) throws(BolideError) -> ScenarioResult {
    let bytes = try ScenarioFiles.read(target.path)
    let outcome = ScenarioProgram.read(bytes, path: target.path, options: options)
    guard let program = outcome.program else {
      return ScenarioResult(path: target.path, outcome: .unreadable(outcome.problems))
    }
    return perform(program, through: target.line).result
  }

  /// Runs a program; also gives back what each step printed.
  func perform(
    _ program: ScenarioProgram, through line: Int? = nil, comparesBlocks: Bool = true
  ) -> (result: ScenarioResult, printed: [Int: [String]]) {
    var result = ScenarioResult(
      path: program.scenario.path, phases: program.scenario.phases.map { $0.lines.first ?? "" },
      outcome: .passed)
    let stores = usable(program, &result)
    guard !stores.isEmpty else { return (result, [:]) }
    let scratch = options.scratch.appending(path: UUID().uuidString, directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: scratch) }
    var sessions: [StoreSession] = []
    defer { for session in sessions { session.close() } }
    for store in stores {
      do {
        let folder = scratch.appending(path: store.name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        sessions.append(try StoreSession(program, on: store, scratch: folder))
      } catch {
        result.outcome = .failed(Self.failure(of: program, store.name, error))
        return (result, [:])
      }
    }
    let outcome = Lockstep(program.scenario, on: sessions, comparesBlocks: comparesBlocks).run(through: line)
    result.stores = stores.map(\.name)
    result.stepCount = outcome.stepCount
    result.omissions += Self.omissions(outcome.omitted, program.scenario)
    if let failure = outcome.failure {
      result.outcome = .failed(failure)
    } else if outcome.stepCount == 0 {
      result.outcome = .skipped("no step can run on \(result.stores.joined(separator: ", "))")
    }
    return (result, outcome.printed)
  }

  /// The stores that have what the scenario requires; the others are left out visibly.
  private func usable(_ program: ScenarioProgram, _ result: inout ScenarioResult) -> [ReplayStore] {
    let requirements = program.declarations.requirements.map(\.text)
    if requirements.contains("feeds"), options.feeds == nil {
      result.outcome = .skipped("requires feeds: give --feeds DIR or set BOLIDE_FEEDS")
      return []
    }
    var usable: [ReplayStore] = []
    for store in options.stores {
      let missing = requirements.filter {
        !ScenarioProgram.runCapabilities.contains($0) && store.capabilities[$0] != true
      }
      if missing.isEmpty {
        usable.append(store)
      } else {
        result.omissions.append("not on \(store.name): requires \(missing.joined(separator: ", "))")
      }
    }
    if usable.isEmpty {
      result.outcome = .skipped("no store has what it requires: \(requirements.joined(separator: ", "))")
    }
    return usable
  }

  private static func omissions(_ omitted: [Int: [String]], _ scenario: Scenario) -> [String] {
    var counts: [String: Int] = [:]
    for (index, stores) in omitted {
      guard let condition = scenario.steps[index].condition else { continue }
      let text = "[\(condition.isNegated ? "!" : "")\(condition.capability.text)]"
      counts["on \(stores.joined(separator: ", ")): left out \(text)", default: 0] += 1
    }
    return counts.map { "\($0.key), \($0.value) steps" }.sorted()
  }

  private static func failure(of program: ScenarioProgram, _ store: String, _ error: any Error) -> StepFailure
  {
    let model = program.scenario.directives.first { $0.word == .model }
    return StepFailure(
      store: store, position: model?.position ?? SourcePosition(line: 1, column: 1),
      step: "opening the store", reason: .error(TranscriptText.error(error)),
      explanation: TranscriptText.explanation(error))
  }
}
