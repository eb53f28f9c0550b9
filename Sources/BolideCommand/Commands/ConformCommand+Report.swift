import BolideConformance
import CommandKit

extension ConformCommand {
  /// How many cases ended how. What the store does not offer, and failures it declares, count as skipped.
  struct Counts {
    private(set) var passed = 0
    private(set) var failed = 0
    private(set) var skipped = 0

    mutating func add(_ outcome: Outcome) {
      switch outcome {
      case .passed: passed += 1
      case .failed, .unexpectedPass: failed += 1
      case .unsupported, .knownFailure: skipped += 1
      }
    }

    var text: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }

    var json: JSONValue {
      [
        "type": "summary", "passed": .integer(passed), "failed": .integer(failed),
        "skipped": .integer(skipped),
      ]
    }
  }

  /// Shows a case for `--list`.
  static func show(_ definition: CaseDefinition, _ arguments: Arguments, _ console: Console) {
    if arguments.has(.json) {
      console.print(
        json: [
          "type": "case", "id": .string(definition.id), "summary": .string(definition.summary),
          "rules": .array(definition.rules.map(JSONValue.string)),
        ])
    } else {
      let rules = definition.rules.isEmpty ? "" : "  (\(definition.rules.joined(separator: ", ")))"
      console.print("\(definition.id)  \(definition.summary)\(rules)")
    }
  }

  /// A case as the reports that are written to files keep it.
  static func entry(
    _ outcome: Outcome, of one: ConformanceCase<BackendProvider>, seconds: Double
  ) -> RunRecord.Entry {
    let parts = one.id.split(separator: "/", maxSplits: 1)
    let recorded: RunRecord.Outcome =
      switch outcome {
      case .passed: .passed
      case .unsupported(let reason): .skipped(reason)
      case .knownFailure(let reason): .skipped("known failure: \(reason)")
      case .failed, .unexpectedPass: .failed(outcome.word, lines(of: outcome))
      }
    let rules = one.definition.rules.joined(separator: ", ")
    return RunRecord.Entry(
      group: "\(one.provider.name): \(parts.first ?? "")", name: one.id,
      detail: one.definition.summary + (rules.isEmpty ? "" : " (\(rules))"), outcome: recorded,
      seconds: seconds)
  }

  private static func lines(of outcome: Outcome) -> [RunRecord.Line] {
    (outcome.reason ?? "").split(separator: "\n").map { RunRecord.Line(String($0)) }
  }

  /// Shows how a case ended.
  static func show(
    _ outcome: Outcome, of definition: CaseDefinition, _ arguments: Arguments, _ console: Console
  ) {
    if arguments.has(.json) {
      var members: [String: JSONValue] = [
        "type": "case", "id": .string(definition.id), "outcome": .string(outcome.word),
        "rules": .array(definition.rules.map(JSONValue.string)),
      ]
      members["reason"] = outcome.reason.map(JSONValue.string)
      console.print(json: .object(members))
      return
    }
    let terminal = console.output.terminal
    let word: String =
      switch outcome {
      case .passed: Style.green.apply("ok", on: terminal) + "      "
      case .failed, .unexpectedPass: Style.red.apply("FAILED", on: terminal) + "  "
      case .unsupported, .knownFailure: Style.yellow.apply("skipped", on: terminal) + " "
      }
    console.print(word + definition.id)
    guard let reason = outcome.reason else { return }
    if outcome.isFailure { console.print("        \(definition.summary)") }
    for line in PrintableText(reason).description.split(separator: "\n") { console.print("        \(line)") }
  }
}
