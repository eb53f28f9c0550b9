import BolideLMDB
import BolideSQLite
import BolideScenario
import Foundation
import Testing

/// The stores and folders that tests replay on.
enum Stores {
  static let repository = Corpus.folder.deletingLastPathComponent().deletingLastPathComponent()

  static func options(_ scratch: URL, feeds: URL? = nil, memoryOnly: Bool = false) -> ReplayOptions {
    let stores: [ReplayStore] =
      memoryOnly ? [.memory] : [.memory, ReplayStore(SQLiteBackend()), ReplayStore(LMDBBackend())]
    return ReplayOptions(stores: stores, feeds: feeds, scratch: scratch)
  }

  /// Runs a scenario's text on the in-memory store.
  static func replay(_ text: String, feeds: URL? = nil, beside files: [String: String] = [:]) throws
    -> ScenarioResult
  {
    try withFolder { folder in
      let file = folder.appending(path: "in/test.scenario")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      for (name, content) in files { try Data(content.utf8).write(to: folder.appending(path: "in/" + name)) }
      let scratch = folder.appending(path: "scratch")
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      let result = try Replay(options(scratch, feeds: feeds, memoryOnly: true)).run(.init(path: file.path))
      let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
      #expect(left.isEmpty, "the run left files behind")
      return result
    }
  }
}

extension ScenarioResult {
  var failure: StepFailure? {
    if case .failed(let failure) = outcome { failure } else { nil }
  }
  var hasPassed: Bool {
    if case .passed = outcome { true } else { false }
  }
  var skipReason: String? {
    if case .skipped(let reason) = outcome { reason } else { nil }
  }
  var problems: [ScenarioProblem] {
    if case .unreadable(let problems) = outcome { problems } else { [] }
  }
}
