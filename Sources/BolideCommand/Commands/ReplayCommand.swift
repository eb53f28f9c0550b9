import BolideScenario
import CommandKit
import Foundation

/// `bolide replay`: scenarios on every store in lockstep.
enum ReplayCommand {
  private static let path = Positional(
    "PATH[:LINE]", .any,
    help: "A scenario, or a folder of them; with a line, the run stops after the step there. "
      + "Without any: $BOLIDE_SCENARIOS, else the folder Scenarios.")

  static let command = Command(
    "replay",
    "Run scenarios on every store in lockstep, and stop one at the first step where a store differs.",
    examples: [
      "bolide replay Scenarios", "bolide replay Scenarios/fireballs/refresh.scenario:40 --stores lmdb",
    ],
    positionals: [path], options: [.stores, .feeds, ReportFiles.junit, ReportFiles.html, .json],
    action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let paths = arguments.texts(path)
    let standard = console.environment["BOLIDE_SCENARIOS"].flatMap { $0.isEmpty ? nil : $0 } ?? "Scenarios"
    let targets = try ScenarioFiles.find(paths.isEmpty ? [standard] : paths)
    let files = try ReportFiles(arguments)
    return try await ScenarioRun.with(arguments, console) { run in
      let shown: any ReplayReport = arguments.has(.json) ? JSONLinesReport(console) : TerminalReport(console)
      let report = RecordingReport(passingTo: ProgressReport(shown, targets.count, console))
      let summary = try Replay(run.options).run(targets, report: report)
      try files.write(report.record)
      if summary.unreadable > 0 { return .unreadableInput }
      return summary.failed > 0 || summary.isEmpty ? .expectationFailed : .success
    }
  }
}

/// Shows how far a run is, and passes everything on.
private final class ProgressReport: ReplayReport {
  private let report: any ReplayReport
  private let total: Int
  private let console: Console
  private var done = 0

  init(_ report: any ReplayReport, _ total: Int, _ console: Console) {
    self.report = report
    self.total = total
    self.console = console
  }

  func finished(_ result: ScenarioResult) {
    report.finished(result)
    // A run is slow; who reads it along sees each result at once.
    console.output.flush()
    done += 1
    console.progress.show("\(done)/\(total) scenarios")
  }

  func finished(_ summary: ReplaySummary) {
    report.finished(summary)
  }
}
