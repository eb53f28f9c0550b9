/// A scenario in words: what each step asks for, with the usage of its verb.
package enum ScenarioExplanation {
  /// The explanation of all steps, or of the one on the line.
  package static func text(_ scenario: Scenario, line: Int? = nil) -> String {
    var result = ""
    var phase: Int?
    for step in scenario.steps where line == nil || line == step.position.line {
      if let index = step.phase, index != phase {
        phase = index
        for text in scenario.phases[index].lines { result += "# \(text)\n" }
      }
      result += "\(scenario.path):\(step.position.line): \(step.source)\n"
      if let usage = VerbTable.usage(step.verb.text) {
        result +=
          "  \(usage.summary) Prints \(usage.prints).\n  usage: \(usage.subject.rawValue)> \(usage.line)\n"
      } else {
        result += "  There is no verb `\(step.verb.text)`.\n"
      }
      for node in Outline(of: step).description.split(separator: "\n").dropFirst() { result += "  \(node)\n" }
    }
    return result
  }
}
