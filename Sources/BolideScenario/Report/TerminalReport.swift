import CommandKit

/// The report for people: a line for what passed, all that helps for what did not.
package struct TerminalReport: ReplayReport {
  private let console: Console

  package init(_ console: Console) { self.console = console }

  package func finished(_ result: ScenarioResult) {
    let terminal = console.output.terminal
    switch result.outcome {
    case .passed:
      let stores = result.stores.joined(separator: ", ")
      print("ok", .green, "\(result.path)  \(result.stepCount) steps on \(stores)")
    case .skipped(let reason): print("skipped", .yellow, "\(result.path)  \(reason)")
    case .failed(let failure):
      print("FAILED", .red, result.path)
      show(failure, of: result)
    case .unreadable(let problems):
      print("FAILED", .red, "\(result.path)  the file is not a scenario")
      for problem in problems { console.report(problem.diagnostic(path: result.path)) }
    }
    for omission in result.omissions {
      console.print("        " + Style.yellow.apply(PrintableText(omission).description, on: terminal))
    }
  }

  package func finished(_ summary: ReplaySummary) {
    if summary.isEmpty {
      let remedy =
        summary.skipped > 0
        ? "all were skipped, for the reasons above" : "name a scenario file or a folder that holds some"
      console.note("nothing ran, which is a failure: \(remedy)\n")
    }
    console.print(summary.text)
  }

  private func print(_ word: String, _ style: Style, _ text: String) {
    let padding = String(repeating: " ", count: max(1, 8 - word.count))
    console.print(style.apply(word, on: console.output.terminal) + padding + PrintableText(text).description)
  }

  private func show(_ failure: StepFailure, of result: ScenarioResult) {
    // Phases that passed are folded into their titles.
    for (index, title) in result.phases.enumerated() where !title.isEmpty {
      guard let failed = failure.phase, index <= failed else { break }
      line("# \(title)" + (index < failed ? "  passed" : ""), index < failed ? .dim : .bold)
    }
    let place = "\(result.path):\(failure.position.line):\(failure.position.column)"
    var heading = "\(place): \(failure.store): \(failure.step)"
    if case .stores(let reference, _, _) = failure.reason {
      heading = "\(place): \(failure.store) differs from \(reference): \(failure.step)"
    }
    line(heading, nil)
    for text in failure.comparison {
      line("  " + text, text.hasPrefix("- ") ? .red : text.hasPrefix("+ ") ? .green : nil)
    }
    if let explanation = failure.explanation { line("  " + explanation, .dim) }
    line("rerun: \(failure.rerun(path: result.path))", .cyan)
  }

  private func line(_ text: String, _ style: Style?) {
    let plain = PrintableText(text).description
    console.print("  " + (style?.apply(plain, on: console.output.terminal) ?? plain))
  }
}
