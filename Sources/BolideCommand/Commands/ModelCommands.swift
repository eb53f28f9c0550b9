import Bolide
import CommandKit
import Foundation

/// `bolide model …`: model files.
enum ModelCommands {
  private static let file = Positional(
    "FILE", help: "An .xcdatamodeld or .xcdatamodel folder, or the contents file in it.")

  static let command = Command(
    "model", "Read the model files that Xcode keeps.",
    subcommands: [
      Command(
        "check", "Print what a model file is understood as; doubts are warnings.",
        positionals: [file], options: [.json], action: check)
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
    return .success
  }
}
