import Bolide
import BolideStorage
import CommandKit
import Foundation

/// Checks what can be known before a scenario runs: names, verbs, arguments, entities, predicates.
struct ScenarioCheck {
  private(set) var problems: [ScenarioProblem] = []
  /// The model that the scenario starts with.
  private(set) var schema: Schema?
  let roots: FileRoots
  let models: ModelLibrary
  private let scenario: Scenario
  private let declarations: Declarations
  private let capabilities: Set<String>
  private var captures: Set<String> = []

  init(_ scenario: Scenario, _ declarations: Declarations, roots: FileRoots, capabilities: Set<String>) {
    self.scenario = scenario
    self.declarations = declarations
    self.roots = roots
    self.capabilities = capabilities
    models = ModelLibrary(roots: roots)
  }

  /// The verbs of all steps; fewer than there are steps when something is wrong.
  mutating func run() -> [any Verb] {
    for requirement in declarations.requirements { check(capability: requirement) }
    if TimeZone(identifier: declarations.timeZone) == nil {
      let directive = scenario.directives.first { $0.word == .timezone }
      report(
        .directiveArguments, "there is no time zone `\(declarations.timeZone)`",
        at: directive?.arguments.first?.position ?? SourcePosition(line: 1, column: 1))
    }
    schema = readModel()
    if scenario.steps.isEmpty {
      report(.noSteps, "the scenario has no steps", at: SourcePosition(line: 1, column: 1))
    }
    // Steps run in order and without loops, so the schema at each of them is known here.
    var current = schema.flatMap { try? SchemaMap($0) }
    var verbs: [any Verb] = []
    for step in scenario.steps {
      if let condition = step.condition { check(capability: condition.capability) }
      check(subjectOf: step)
      check(capturesOf: step)
      var reader = StepReader(step, schema: step.expectsError ? nil : current)
      if let verb = VerbTable.read(&reader) { verbs.append(verb) }
      problems += reader.problems
      if let capture = step.capture { captures.insert(capture.text) }
      // A step that is expected to fail leaves the model as it was.
      if let model = Self.model(of: step), !step.expectsError {
        current = step.condition == nil ? readModel(model).flatMap { try? SchemaMap($0) } : nil
      }
    }
    return verbs
  }

  private mutating func report(_ code: ScenarioProblem.Code, _ message: String, at position: SourcePosition) {
    problems.append(ScenarioProblem(code, message, at: position))
  }

  private mutating func check(capability name: Name) {
    guard !capabilities.contains(name.text) else { return }
    let hint =
      Suggestion.nearest(to: name.text, among: capabilities.sorted()).map { "; did you mean `\($0)`?" }
      ?? "; there are \(capabilities.sorted().joined(separator: ", "))"
    report(.unknownCapability, "there is no capability `\(name.text)`\(hint)", at: name.position)
  }

  // MARK: Models

  private mutating func readModel() -> Schema? {
    if let model = declarations.model { return readModel(model) }
    if !scenario.directives.contains(where: { $0.word == .model }) {
      report(
        .unknownModel, "the header names no model; write `model FireballWatch` or the name of a model file",
        at: SourcePosition(line: 1, column: 1))
    }
    return nil
  }

  private mutating func readModel(_ name: Name) -> Schema? {
    do {
      return try models.schema(named: name.text)
    } catch let error as BolideError where error.code != .fileMissing {
      let text = ([error.message] + error.details).joined(separator: "; ")
      report(.unknownModel, "\(text); \(error.remedy)", at: name.position)
    } catch {
      let message = (error as? BolideError)?.message ?? "the model `\(name.text)` cannot be read"
      let hint = Suggestion.nearest(to: name.text, among: ModelLibrary.samples).map {
        "; did you mean `\($0)`?"
      }
      report(.unknownModel, message + (hint ?? ""), at: name.position)
    }
    return nil
  }

  private static func model(of step: Step) -> Name? {
    guard step.verb.text == "reopen",
      let value = step.arguments.first(where: { $0.name?.text == "model" })?.values.first,
      let text = value.text
    else { return nil }
    return Name(text: text, position: value.position)
  }

  // MARK: Names

  private mutating func check(subjectOf step: Step) {
    let name = step.subject.text
    let subject: VerbUsage.Subject
    if name == "store" {
      subject = .store
    } else if declarations.contexts.contains(where: { $0.name.text == name }) {
      subject = .context
    } else if declarations.processes.contains(where: { $0.text == name }) {
      subject = .process
    } else {
      let known = declarations.contexts.map(\.name.text) + declarations.processes.map(\.text) + ["store"]
      let hint =
        Suggestion.nearest(to: name, among: known).map { "did you mean `\($0)`?" }
        ?? "declare it: `context \(name)`"
      report(.unknownName, "there is no context or process `\(name)`; \(hint)", at: step.subject.position)
      return
    }
    guard let usage = VerbTable.usage(step.verb.text), usage.subject != subject else { return }
    report(
      .verbArguments,
      "`\(usage.name)` is for a \(usage.subject.rawValue), and `\(name)` is a \(subject.rawValue)",
      at: step.subject.position)
  }

  private mutating func check(capturesOf step: Step) {
    let literals = (step.arguments + step.rows.flatMap(\.options)).flatMap(\.values)
    for literal in literals { check(capturesIn: literal) }
  }

  private mutating func check(capturesIn literal: Literal) {
    guard case .reference(let reference) = literal.kind else { return }
    switch reference.root {
    case .capture(let name) where !captures.contains(name):
      let hint =
        Suggestion.nearest(to: name, among: captures.sorted()).map { "; did you mean `$\($0)`?" } ?? ""
      report(.unknownName, "nothing was captured as `$\(name)` above\(hint)", at: literal.position)
    case .key(_, let keys): for key in keys { check(capturesIn: key) }
    case .capture, .number, .predicate: break
    }
  }
}
