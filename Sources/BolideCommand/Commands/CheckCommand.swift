import CommandKit

/// `bolide check`: does everything in a store agree with everything else?
enum CheckCommand {
  static let command = Command(
    "check", "Check that a store's rows, indexes, links, counts and history agree.",
    options: [.store, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments) { store in
      let problems = try store.container.check()
      if arguments.has(.json) {
        for problem in problems { console.print(json: ["problem": .string(problem)]) }
        console.print(json: ["consistent": .boolean(problems.isEmpty), "problems": .integer(problems.count)])
      } else {
        for problem in problems { console.print(PrintableText(problem).description) }
        console.print(problems.isEmpty ? "consistent" : "\(problems.count) problems")
      }
      return problems.isEmpty ? .success : .expectationFailed
    }
  }
}
