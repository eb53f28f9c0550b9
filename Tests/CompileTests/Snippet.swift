import Foundation
import Testing

/// A piece of source with the errors that the compiler must find in it.
///
/// `// error: text` expects an error with the text on the line below. Several errors on one line are one, since the compiler
/// may say the same of parts of an expression.
struct Snippet {
  let text: String

  /// An error that is expected or was found: a line and what is said of it.
  struct Finding: Equatable, CustomStringConvertible {
    var line: Int
    var message: String

    var description: String { "\(line): \(message)" }
  }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snippets")

  init(text: String) { self.text = text }

  /// The snippet of a name, beside this file.
  init(_ name: String) throws {
    text = try String(contentsOf: Self.folder.appending(path: "\(name).swift"), encoding: .utf8)
  }

  /// The errors that comments ask for.
  var expected: [Finding] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      line.firstMatch(of: /^ *\/\/ error: (.*)$/).map { Finding(line: index + 2, message: String($0.1)) }
    }
  }

  /// Compiles the snippet as far as the mandatory passes, which check isolation regions, and returns what is wrong: an expected
  /// error that was found is given in the words of the expectation.
  func compile() throws -> [Finding] {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "bolide-snippet-\(UUID().uuidString).swift")
    try Data(text.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      ["swiftc", "-swift-version", "6", "-wmo", "-emit-sil", "-o", "/dev/null", "-module-name", "Snippet"]
      + [
        "-I", Self.modules.path, "-I", Self.headers.path, Self.folder.appending(path: "Model.swift").path,
        file.path,
      ]
    let pipe = Pipe()
    compiler.standardInput = FileHandle.nullDevice
    compiler.standardOutput = pipe
    compiler.standardError = pipe
    try compiler.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    compiler.waitUntilExit()
    // A line of source that the compiler shows, or what it writes below one.
    let excerpt = /^ *[0-9]* *\|/
    var findings: [Finding] = []
    for line in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      // An error anywhere else, as where the modules are missing, is none that a snippet expects.
      guard line.firstMatch(of: excerpt) == nil, let range = line.firstRange(of: "error: ") else { continue }
      var number = 0
      if line.hasPrefix(file.path) {
        number = Int(line.dropFirst(file.path.count + 1).prefix { $0.isNumber }) ?? 0
      }
      let message = String(line[range.upperBound...])
      let known = expected.first { $0.line == number && message.contains($0.message) }
      if let known, findings.contains(known) { continue }
      findings.append(known ?? Finding(line: number, message: message))
    }
    if findings.isEmpty != (compiler.terminationStatus == 0) {
      Issue.record(
        "the compiler ended with \(compiler.terminationStatus): \(String(decoding: output, as: UTF8.self))")
    }
    return findings.sorted { $0.line < $1.line }
  }

  /// Where the module map of the runtime's C interface is, which Bolide's module names.
  private static let headers = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Sources/CSwiftRuntime")

  /// The modules that were built with the tests stand beside the test bundle.
  private static let modules: URL = {
    let bundle =
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      ?? Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent().appending(path: "Modules")
  }()
}
