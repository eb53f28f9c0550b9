import CommandKit

/// The report for programs: one JSON object a scenario, and one for the run.
package struct JSONLinesReport: ReplayReport {
  private let console: Console

  package init(_ console: Console) { self.console = console }

  package func finished(_ result: ScenarioResult) {
    var members: [String: JSONValue] = [
      "type": "scenario", "path": .string(result.path),
      "stores": .array(result.stores.map { .string($0) }), "steps": .integer(result.stepCount),
    ]
    if !result.omissions.isEmpty {
      members["omissions"] = .array(result.omissions.map { .string($0) })
    }
    switch result.outcome {
    case .passed: members["outcome"] = "passed"
    case .skipped(let reason):
      members["outcome"] = "skipped"
      members["reason"] = .string(reason)
    case .failed(let failure):
      members["outcome"] = "failed"
      members["failure"] = Self.json(failure, path: result.path)
    case .unreadable(let problems):
      members["outcome"] = "failed"
      members["problems"] = .array(problems.map { $0.diagnostic(path: result.path).json })
    }
    console.print(json: .object(members))
  }

  package func finished(_ summary: ReplaySummary) {
    console.print(
      json: [
        "type": "summary", "passed": .integer(summary.passed), "failed": .integer(summary.failed),
        "skipped": .integer(summary.skipped),
      ])
  }

  private static func json(_ failure: StepFailure, path: String) -> JSONValue {
    var members: [String: JSONValue] = [
      "store": .string(failure.store), "line": .integer(failure.position.line),
      "column": .integer(failure.position.column), "step": .string(failure.step),
      "rerun": .string(failure.rerun(path: path)),
    ]
    members["explanation"] = failure.explanation.map { .string($0) }
    switch failure.reason {
    case .unexpected(let expected, let actual):
      members["expected"] = .array(expected.map { .string($0) })
      members["actual"] = .array(actual.map { .string($0) })
    case .error(let lines): members["actual"] = .array(lines.map { .string($0) })
    case .stores(let reference, let expected, let actual):
      members["reference"] = .string(reference)
      members["expected"] = .array(expected.map { .string($0) })
      members["actual"] = .array(actual.map { .string($0) })
    }
    return .object(members)
  }
}
