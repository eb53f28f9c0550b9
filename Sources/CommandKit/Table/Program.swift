/// A program: its command table, and the way its errors are told.
package struct Program: Sendable {
  /// A titled list that ends the program's own help text.
  package struct HelpSection: Sendable {
    package let title: String
    package let rows: [(name: String, text: String)]

    package init(_ title: String, _ rows: [(name: String, text: String)]) {
      self.title = title
      self.rows = rows
    }
  }

  let root: Command
  let version: String
  let sections: [HelpSection]
  let describe: @Sendable (any Error) -> Failure?

  /// - Parameters:
  ///   - root: The table; its name is the program's.
  ///   - sections: What ends the program's own help text, after the list of commands.
  ///   - describe: Says what a command's error means to the user; nil for an error nobody expected.
  package init(
    _ root: Command, version: String, sections: [HelpSection] = [],
    describe: @escaping @Sendable (any Error) -> Failure?
  ) {
    self.root = root
    self.version = version
    self.sections = sections
    self.describe = describe
  }

  /// The help section that lists the exit codes.
  package static var exitCodes: HelpSection {
    HelpSection("exit codes", ExitCode.allCases.map { (String($0.rawValue), $0.meaning) })
  }

  /// Reads the command line, does what it says and tells how that went.
  ///
  /// - Parameter words: The command line without the program's name.
  package func run(_ words: [String], on console: Console) async -> ExitCode {
    var code: ExitCode
    do {
      code = try await perform(words, on: console)
    } catch {
      let failure = failure(of: error)
      for diagnostic in failure.diagnostics { console.report(diagnostic) }
      code = failure.exitCode
    }
    console.progress.clear()
    do {
      try console.output.finish()
    } catch {
      for diagnostic in error.diagnostics { console.report(diagnostic) }
      if code == .success { code = error.exitCode }
    }
    return code
  }

  private func perform(_ words: [String], on console: Console) async throws -> ExitCode {
    switch try ArgumentParser(root: root, environment: console.environment).parse(words) {
    case .version: console.print("\(root.name) \(version)")
    case .help(let path):
      console.output.write(HelpText(path: path, sections: sections, terminal: console.output.terminal).text())
    case .run(let action, let arguments): return try await action(arguments, console)
    }
    return .success
  }

  private func failure(of error: any Error) -> Failure {
    if let failure = error as? Failure { return failure }
    return describe(error)
      ?? Failure(
        .bug, code: "program.unexpected-error", "\(root.name) met an error it does not know: \(error)",
        remedy: "please report this with the command line and the file it was about")
  }
}
