import CommandKit
import Foundation

/// The program `bolide`.
@main struct Entry {
  static let version = "0.1.0"

  static func main() async {
    let console = Console.process()
    let code = await CommandTable.program.run(Array(CommandLine.arguments.dropFirst()), on: console)
    exit(code.rawValue)
  }
}
