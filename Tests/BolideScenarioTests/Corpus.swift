import BolideScenario
import CommandKit
import Foundation

/// The files under Fixtures/scenario-syntax.
struct Corpus {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fixtures/scenario-syntax")

  /// `good/values` and so on, as listed.
  static func listed() throws -> [String] {
    try String(contentsOf: folder.appending(path: "corpus.txt"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  /// The same names, from the folders themselves.
  static func found() throws -> [String] {
    try ["good", "bad", "check"].flatMap { kind in
      try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: kind).path)
        .filter { $0.hasSuffix(".scenario") }
        .map { "\(kind)/\($0.dropLast(".scenario".count))" }
    }
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name + ".scenario")))
  }

  static func text(_ name: String, _ suffix: String) throws -> String {
    try String(contentsOf: folder.appending(path: name + suffix), encoding: .utf8)
  }

  /// A problem as `bolide scenario check` prints it.
  static func text(_ problem: ScenarioProblem, path: String) -> String {
    problem.diagnostic(path: path).text(on: TerminalTraits(isTerminal: false, usesColor: false, width: 80))
  }

  /// All problems, those that need a model and verbs included.
  static func checked(_ name: String, path: String) throws -> [ScenarioProblem] {
    let options = ReplayOptions(stores: [.memory], scratch: folder)
    return ScenarioProgram.read(try bytes(name), path: path, options: options).problems
  }

  /// All problems that need no model and no store, in the order of the file.
  static func problems(_ outcome: ScenarioParser.Outcome) -> [ScenarioProblem] {
    (outcome.problems + Declarations.read(outcome.scenario).problems)
      .sorted { $0.position < $1.position }
  }
}

extension ScenarioParser {
  static func parse(_ text: String, limits: ScenarioLimits = .standard) -> Outcome {
    parse(Array(text.utf8), path: "test.scenario", limits: limits)
  }
}

/// Makes a folder for the body and removes it.
func withFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try body(folder)
}
