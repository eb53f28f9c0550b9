import BolideScenario
import CommandKit

/// `bolide scenario …`: reading and keeping scenario files.
enum ScenarioCommands {
  private static let path = Positional("PATH", .some, help: "A scenario, or a folder of them.")
  private static let place = Positional(
    "PATH[:LINE]", .some, help: "A scenario; with a line, only the step there.")
  private static let add = CommandOption(
    "add", .flag, help: "Also give blocks to steps that have none.")

  static let command = Command(
    "scenario", "Check, format, update and explain scenario files.",
    subcommands: [
      Command(
        "check", "Report every error in scenarios as path:line:column, without running them.",
        positionals: [path], options: [.feeds, .json], action: check),
      Command(
        "fmt", "Rewrite scenarios in the standard layout.", positionals: [path], options: [.json],
        action: format),
      Command(
        "update", "Rewrite the expected blocks of scenarios to what the stores print, if they all agree.",
        discussion: ["Refused where CI is set: expectations are changed by people, not by a build."],
        positionals: [path], options: [.stores, .feeds, add, .json], action: update),
      Command("verbs", "List the verbs, what they take and what they print.", action: verbs),
      Command(
        "explain", "Say in words what each step of a scenario asks for.",
        positionals: [place], action: explain),
    ])

  @Sendable private static func check(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let targets = try ScenarioFiles.find(arguments.texts(path))
    let problems = try await ScenarioRun.with(arguments, console) { run in
      var count = 0
      for target in targets {
        let bytes = try ScenarioFiles.read(target.path)
        for problem in ScenarioProgram.read(bytes, path: target.path, options: run.options).problems {
          count += 1
          let diagnostic = problem.diagnostic(path: target.path)
          if arguments.has(.json) { console.print(json: diagnostic.json) } else { console.report(diagnostic) }
        }
      }
      return count
    }
    if targets.isEmpty { throw nothing(arguments) }
    if !arguments.has(.json) { console.print("\(targets.count) scenarios  \(problems) errors") }
    return problems == 0 ? .success : .unreadableInput
  }

  @Sendable private static func format(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let targets = try ScenarioFiles.find(arguments.texts(path))
    if targets.isEmpty { throw nothing(arguments) }
    for target in targets {
      let bytes = try ScenarioFiles.read(target.path)
      let formatted = ScenarioFormat.format(bytes)
      if formatted != bytes { try AtomicFile.replace(target.path, with: formatted) }
      say(formatted == bytes ? "unchanged" : "changed", target.path, [:], arguments, console)
    }
    return .success
  }

  @Sendable private static func update(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    if ScenarioUpdate.isForbidden(in: console.environment) {
      throw Failure(
        .usage, code: "scenario.update-forbidden", "expected blocks are not rewritten where CI is set",
        remedy: "run the update on your machine, look at the change and commit it")
    }
    let targets = try ScenarioFiles.find(arguments.texts(path))
    if targets.isEmpty { throw nothing(arguments) }
    return try await ScenarioRun.with(arguments, console) { run in
      let updater = ScenarioUpdate(run.options, addsBlocks: arguments.has(add))
      var code = ExitCode.success
      for target in targets {
        switch try updater.run(target.path) {
        case .changed(let lines):
          say("changed", target.path, ["lines": .array(lines.map(JSONValue.integer))], arguments, console)
        case .unchanged: say("unchanged", target.path, [:], arguments, console)
        case .skipped(let reason):
          say("skipped", target.path, ["reason": .string(reason)], arguments, console)
        case .refused(let failure):
          say("refused", target.path, [:], arguments, console)
          console.report(diagnostic(of: failure, target.path))
          if code == .success { code = .expectationFailed }
        case .unreadable(let problems):
          say("refused", target.path, [:], arguments, console)
          for problem in problems { console.report(problem.diagnostic(path: target.path)) }
          code = .unreadableInput
        }
      }
      return code
    }
  }

  @Sendable private static func verbs(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    console.output.write(VerbTable.text())
    return .success
  }

  @Sendable private static func explain(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let targets = try ScenarioFiles.find(arguments.texts(place))
    var code = ExitCode.success
    for target in targets {
      let parsed = ScenarioParser.parse(try ScenarioFiles.read(target.path), path: target.path)
      console.output.write(ScenarioExplanation.text(parsed.scenario, line: target.line))
      for problem in parsed.problems { console.report(problem.diagnostic(path: target.path)) }
      if !parsed.problems.isEmpty { code = .unreadableInput }
    }
    return code
  }

  private static func nothing(_ arguments: Arguments) -> Failure {
    Failure(
      .expectationFailed, code: "scenario.none",
      "no file named .scenario is in \(arguments.texts(path).joined(separator: ", "))",
      remedy: "name a scenario, or a folder that holds some")
  }

  private static func say(
    _ word: String, _ path: String, _ more: [String: JSONValue], _ arguments: Arguments, _ console: Console
  ) {
    if arguments.has(.json) {
      console.print(json: .object(more.merging(["path": .string(path), "outcome": .string(word)]) { $1 }))
    } else {
      console.print("\(word)  \(path)")
    }
  }

  private static func diagnostic(of failure: StepFailure, _ path: String) -> Diagnostic {
    Diagnostic(
      .error, code: "scenario.update-refused", "\(failure.store): \(failure.step)",
      at: .init(path: path, line: failure.position.line, column: failure.position.column),
      details: failure.comparison, remedy: "make the stores agree first: \(failure.rerun(path: path))")
  }
}
