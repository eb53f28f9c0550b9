import CommandKit
import Foundation

@main struct Entry {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if let request = RunRequest(arguments: words) {
      do {
        try request.answer()
        exit(ExitCode.success.rawValue)
      } catch {
        FileHandle.standardError.write(Data("bolide-bench: \(error)\n".utf8))
        exit(ExitCode.expectationFailed.rawValue)
      }
    }
    let code = await BenchmarkCommand.program.run(words, on: .process())
    exit(code.rawValue)
  }
}
