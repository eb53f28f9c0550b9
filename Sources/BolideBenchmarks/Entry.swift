import Foundation

@main struct Entry {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if let request = RunRequest(arguments: arguments) {
        try request.answer()
        return
      }
      let c = try Comparison.run(.importing, on: .sqlite, side: .comparator, rows: 1000, pairs: 1, seed: 1)
      print(c.result)
    } catch {
      FileHandle.standardError.write(Data("bolide-bench: \(error)\n".utf8))
      exit(1)
    }
  }
}
