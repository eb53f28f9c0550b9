import CommandKit

extension TerminalTraits {
  static let plain = TerminalTraits(isTerminal: false, usesColor: false, width: 80)
  static let screen = TerminalTraits(isTerminal: true, usesColor: true, width: 80)
}

extension Console {
  static func captured(
    _ terminal: TerminalTraits = .plain, environment: [String: String] = [:]
  ) -> Console {
    Console(
      output: OutputChannel(capturing: terminal), errors: OutputChannel(capturing: terminal),
      environment: environment)
  }
}

enum Fixture {
  static let feed = Positional("FEED", choices: ["jpl", "usgs", "usgs-csv"], help: "The kind of feed.")
  static let source = Positional("SOURCE", .some, help: "A file.")
  static let path = Positional("PATH[:LINE]", .any, help: "A scenario or a folder.")
  static let store = CommandOption(
    "store", .text, "LOCATION", isRequired: true, variable: "DEMO_STORE", help: "Where the store is.")
  static let json = CommandOption("json", .flag, help: "Print JSON Lines.")
  static let limit = CommandOption("limit", .number(atLeast: 1), "N", help: "At most this many rows.")
  static let sort = CommandOption("sort", .text, "TEXT", help: "The order.")
  static let kinds = CommandOption(
    "stores", .list(["memory", "sqlite", "lmdb"]), "A,B", standard: "memory,sqlite", help: "The stores.")
  static let tag = CommandOption("tag", .text, "TEXT", isRepeatable: true, help: "A tag.")

  /// A program whose commands print what they were given.
  static let program = Program(
    Command(
      "demo", "Shows how a table becomes a program.",
      subcommands: [
        Command(
          "import", "Reads feeds into a store.", examples: ["demo import jpl day.json --store memory:"],
          positionals: [feed, source], options: [store, json],
          action: { arguments, console in
            console.print(([arguments.text(feed)] + arguments.texts(source)).joined(separator: " "))
            console.print("\(arguments.text(store) ?? "none") \(arguments.has(json))")
            return .success
          }),
        Command(
          "replay", "Runs scenarios.", positionals: [path], options: [kinds, limit, sort, tag, json],
          action: { arguments, console in
            console.print("paths \(arguments.texts(path)) stores \(arguments.list(kinds) ?? [])")
            console.print("limit \(arguments.number(limit).map(String.init) ?? "-")")
            console.print("sort \(arguments.text(sort) ?? "-") tags \(arguments.texts(tag))")
            return .expectationFailed
          }),
        Command("fail", "Meets an error.", action: { _, _ in throw Unexpected() }),
        Command("refuse", "Meets an error it knows.", action: { _, _ in throw Known() }),
        Command(
          "model", "Reads models.",
          subcommands: [
            Command(
              "check", "Says what a model is understood as.",
              positionals: [Positional("FILE", help: "A model.")],
              action: { _, _ in .success })
          ]),
      ]),
    version: "1.2.3", sections: [Program.exitCodes],
    describe: { error in
      error is Known ? Failure(.storeFailed, code: "store.foreign", "no store", remedy: "take another") : nil
    })

  struct Unexpected: Error {}
  struct Known: Error {}

  struct Run {
    let code: ExitCode
    let output: String
    let errors: String
  }

  static func run(_ words: String..., environment: [String: String] = [:]) async -> Run {
    let console = Console.captured(environment: environment)
    let code = await program.run(words, on: console)
    return Run(code: code, output: console.output.captured, errors: console.errors.captured)
  }
}
