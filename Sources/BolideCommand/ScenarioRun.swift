import BolideScenario
import CommandKit
import Foundation

/// What commands that run scenarios have in common: stores, the folder of captures, and a folder of their own.
struct ScenarioRun {
  let options: ReplayOptions

  /// Runs `body` with the options that the arguments give; what it writes is removed afterwards.
  ///
  /// - Throws: A `Failure` when the folder of captures is not there, and what `body` throws.
  static func with<Result: Sendable>(
    _ arguments: Arguments, _ console: Console, _ body: (ScenarioRun) async throws -> Result
  ) async throws -> Result {
    let feeds = try arguments.text(.feeds).map(folder)
    let kinds = (arguments.list(.stores) ?? StoreKind.words).compactMap(StoreKind.init)
    return try await TemporaryFolder.with(prefix: "bolide-scenarios", console.interruption) { scratch in
      try await body(
        ScenarioRun(
          options: ReplayOptions(
            stores: kinds.map { ReplayStore($0.backend) }, feeds: feeds, scratch: scratch.url)))
    }
  }

  private static func folder(_ path: String) throws(Failure) -> URL {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      throw Failure(
        .storeFailed, code: "file.missing", "there is no folder of feed captures \"\(path)\"",
        remedy: "correct --feeds or BOLIDE_FEEDS, or leave both out: scenarios that need captures are skipped"
      )
    }
    return URL(filePath: path, directoryHint: .isDirectory)
  }
}

extension CommandOption {
  static let stores = CommandOption(
    "stores", .list(StoreKind.words), "A,B", standard: StoreKind.words.joined(separator: ","),
    help: "The stores to run on.")
  static let feeds = CommandOption(
    "feeds", .text, "DIR", variable: "BOLIDE_FEEDS",
    help: "The folder of feed captures; without it, scenarios that require feeds are skipped.")
}
