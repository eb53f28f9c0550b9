import Bolide
import BolideStorage
import CommandKit
import Foundation

/// `bolide model …`: model files.
enum ModelCommands {
  private static let file = Positional(
    "FILE", help: "An .xcdatamodeld or .xcdatamodel folder, or the contents file in it.")

  private static let against = CommandOption(
    "against", .text, "LOCATION",
    help: "A store of an earlier version: print what opening it with the model would do, and do nothing.")

  static let command = Command(
    "model", "Read the model files that Xcode keeps.",
    subcommands: [
      Command(
        "check", "Print what a model file is understood as; doubts are warnings.",
        positionals: [file], options: [against, .json], action: check)
    ])

  @Sendable private static func check(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let path = arguments.text(file)
    let (schema, warnings) = try ModelFile.read(URL(filePath: path))
    if arguments.has(.json) {
      console.print(String(decoding: try schema.json(), as: UTF8.self))
    } else {
      console.print(schema.outline)
    }
    for warning in warnings {
      let place = Diagnostic.Position(path: path, line: warning.line)
      console.report(Diagnostic(.warning, "\(warning.subject): \(warning.message)", at: place))
    }
    guard let name = arguments.text(against) else { return .success }
    return try compare(schema, with: name, arguments, console)
  }

  /// Prints the steps of a migration, or why there is none.
  private static func compare(
    _ schema: Schema, with name: String, _ arguments: Arguments, _ console: Console
  ) throws -> ExitCode {
    var location = try StoreLocation(parsing: name)
    location.options.isReadOnly = true
    let container = try PersistentContainer(at: location)
    let stored = container.schema
    try container.close()
    let outlook = try schema.outlook(from: stored)
    if arguments.has(.json) {
      console.print(json: [
        "same": .boolean(schema == stored), "steps": .array(outlook.steps.map { .string($0) }),
        "refusals": .array(outlook.refusals.map { .string($0) }),
      ])
      return outlook.refusals.isEmpty ? .success : .expectationFailed
    }
    for line in outlook.refusals { console.print("refused: \(line)") }
    for line in outlook.steps { console.print("migrate: \(line)") }
    if schema == stored { console.print("the store has this schema") }
    return outlook.refusals.isEmpty ? .success : .expectationFailed
  }
}
