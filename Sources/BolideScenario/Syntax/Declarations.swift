/// What the header of a scenario declares.
package struct Declarations: Hashable, Sendable {
  /// A context that steps can speak of.
  package struct Context: Hashable, Sendable {
    package var name: Name
    package var author: String?
    package var policy: Policy?
    package var mergesAutomatically = false
    package var isPinned = false
    /// The declared process, or nil for the scenario's own.
    package var process: Name?
  }

  /// The merge policies by their words in scenarios.
  package enum Policy: String, CaseIterable, Hashable, Sendable {
    case error
    case objectTrump = "object-trump"
    case storeTrump = "store-trump"
    case overwrite
    case rollback

    package static let choices: KeyValuePairs<String, Policy> = [
      "error": .error, "object-trump": .objectTrump, "store-trump": .storeTrump,
      "overwrite": .overwrite, "rollback": .rollback,
    ]
  }

  /// Capabilities without which the scenario is skipped.
  package var requirements: [Name] = []
  package var model: Name?
  /// The seed of object, store and token identifiers.
  package var seed: UInt64 = 1
  /// Where the clock stands at first.
  package var clock = "2020-01-01T00:00:00Z"
  package var timeZone = "UTC"
  package var keepsHistory = true
  /// Whether a commit is to survive a power failure.
  package var syncsCommits = false
  package var processes: [Name] = []
  package var contexts: [Context] = []

  package init() {}

  /// Reads the directives; problems are those that need no model and no store.
  package static func read(
    _ scenario: Scenario
  ) -> (declarations: Declarations, problems: [ScenarioProblem]) {
    var declarations = Declarations()
    var problems: [ScenarioProblem] = []
    var seen: Set<Directive.Word> = []
    for directive in scenario.directives {
      let isFirst = seen.insert(directive.word).inserted
      if !isFirst, ![.requires, .process, .context].contains(directive.word) {
        problems.append(
          ScenarioProblem(
            .duplicateName, "`\(directive.word.rawValue)` is declared twice", at: directive.position))
      }
      // An empty directive has been reported where it was read.
      if directive.arguments.isEmpty { continue }
      var reader = ArgumentReader(
        directive.arguments, of: directive.word.rawValue, at: directive.position,
        code: .directiveArguments)
      declarations.take(directive.word, &reader)
      reader.finish()
      problems += reader.problems
    }
    problems += declarations.problemsAmongNames()
    return (declarations, problems)
  }

  private mutating func take(_ word: Directive.Word, _ reader: inout ArgumentReader) {
    switch word {
    case .requires: requirements += takeNames(&reader, "a capability")
    case .model: model = reader.takeText("the name of a model") ?? model
    case .seed: takeSeed(&reader)
    case .clock: takeClock(&reader)
    case .timezone: timeZone = reader.takeText("a time zone")?.text ?? timeZone
    case .store:
      keepsHistory = reader.takeOptionChoice("history", ["on": true, "off": false]) ?? keepsHistory
      syncsCommits = reader.takeOptionChoice("durability", ["process": false, "power": true]) ?? syncsCommits
    case .process: processes += takeNames(&reader, "a name")
    case .context: takeContext(&reader)
    }
  }

  private func takeNames(_ reader: inout ArgumentReader, _ what: String) -> [Name] {
    var names: [Name] = []
    repeat {
      if let name = reader.takeText(what) { names.append(name) }
    } while reader.hasList
    return names
  }

  private mutating func takeSeed(_ reader: inout ArgumentReader) {
    guard let value = reader.takeValue("a number") else { return }
    guard case .number(let text) = value.kind, let number = UInt64(text) else {
      reader.report("`seed` needs a whole number", at: value.position)
      return
    }
    seed = number
  }

  private mutating func takeClock(_ reader: inout ArgumentReader) {
    guard let value = reader.takeValue("a date") else { return }
    guard case .date(let text) = value.kind else {
      reader.report("`clock` needs a date such as 2020-12-10T00:00:00Z", at: value.position)
      return
    }
    clock = text
  }

  private mutating func takeContext(_ reader: inout ArgumentReader) {
    guard let name = reader.takeText("a name") else { return }
    var context = Context(name: name)
    context.author = reader.takeOptionText("author")?.text
    context.policy = reader.takePolicy()
    context.mergesAutomatically =
      reader.takeOptionChoice("automerge", ["yes": true, "no": false]) ?? false
    context.isPinned = reader.takeOptionChoice("pin", ["current": true]) ?? false
    context.process = reader.takeOptionText("process")
    contexts.append(context)
  }

  private func problemsAmongNames() -> [ScenarioProblem] {
    var problems: [ScenarioProblem] = []
    var seen: Set<String> = []
    for name in (processes + contexts.map(\.name)).sorted(by: { $0.position < $1.position }) {
      if name.text == "store" {
        problems.append(
          ScenarioProblem(.duplicateName, "`store` always names the store", at: name.position))
      } else if !seen.insert(name.text).inserted {
        problems.append(
          ScenarioProblem(.duplicateName, "`\(name.text)` is declared twice", at: name.position))
      }
    }
    let known = Set(processes.map(\.text))
    for process in contexts.compactMap(\.process) where !known.contains(process.text) {
      problems.append(
        ScenarioProblem(
          .unknownName, "no process `\(process.text)`; declare it: `process \(process.text)`",
          at: process.position))
    }
    return problems
  }
}
