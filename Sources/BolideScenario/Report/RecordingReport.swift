import CommandKit

/// Keeps what a run came to for the reports that are written to files, and passes everything on.
package final class RecordingReport: ReplayReport {
  private let report: any ReplayReport
  private let clock = ContinuousClock()
  private var started: ContinuousClock.Instant
  /// What ended so far: an entry a scenario, grouped by folder.
  package private(set) var record = RunRecord(title: "Scenarios")

  /// Scenarios run one after another: each begins when the one before it ended, the first one now.
  package init(passingTo report: any ReplayReport) {
    self.report = report
    started = clock.now
  }

  package func finished(_ result: ScenarioResult) {
    let now = clock.now
    let parts = result.path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    var entry = RunRecord.Entry(
      group: folder.isEmpty ? "." : folder, name: parts.last.map(String.init) ?? result.path,
      detail: Self.detail(of: result), outcome: Self.outcome(of: result), omissions: result.omissions)
    entry.seconds = (now - started) / .seconds(1)
    record.add(entry)
    started = now
    report.finished(result)
  }

  package func finished(_ summary: ReplaySummary) { report.finished(summary) }

  private static func detail(of result: ScenarioResult) -> String {
    let title = result.phases.first { !$0.isEmpty }
    let ran =
      result.stepCount > 0 ? "\(result.stepCount) steps on \(result.stores.joined(separator: ", "))" : nil
    return [title, ran].compactMap { $0 }.joined(separator: " · ")
  }

  private static func outcome(of result: ScenarioResult) -> RunRecord.Outcome {
    switch result.outcome {
    case .passed: return .passed
    case .skipped(let reason): return .skipped(reason)
    case .unreadable(let problems):
      let lines = problems.map {
        RunRecord.Line("\(result.path):\($0.position.line):\($0.position.column): \($0.message)")
      }
      return .failed("the file is not a scenario", lines)
    case .failed(let failure):
      var lines = failure.comparison.map { text in
        let kind: RunRecord.Line.Kind =
          text.hasPrefix("- ") ? .expected : text.hasPrefix("+ ") ? .actual : .plain
        return RunRecord.Line(kind, String(text.dropFirst(2)))
      }
      if let explanation = failure.explanation { lines.append(RunRecord.Line(explanation)) }
      lines.append(RunRecord.Line("rerun: \(failure.rerun(path: result.path))"))
      let place = "\(result.path):\(failure.position.line):\(failure.position.column)"
      var store = failure.store
      if case .stores(let reference, _, _) = failure.reason { store += " differs from \(reference)" }
      return .failed("\(place): \(store): \(failure.step)", lines)
    }
  }
}
