import Foundation

/// Writes into scenario files what their steps print.
package struct ScenarioUpdate: Sendable {
  /// What updating one file came to.
  package enum Outcome: Sendable {
    /// The steps on these lines have new blocks.
    case changed([Int])
    case unchanged
    /// The stores disagree, or a step without a block fails: nothing was written.
    case refused(StepFailure)
    /// Nothing ran, for that reason.
    case skipped(String)
    /// The file itself is wrong.
    case unreadable([ScenarioProblem])
  }

  private let replay: Replay
  private let addsBlocks: Bool

  /// Runs on all the stores; the texts are those of the first one.
  package init(_ options: ReplayOptions, addsBlocks: Bool = false) {
    replay = Replay(options)
    self.addsBlocks = addsBlocks
  }

  /// Whether updates are refused here: expectations are changed by people, not by a build.
  package static func isForbidden(in environment: [String: String]) -> Bool {
    guard let value = environment["CI"] else { return false }
    return !["", "0", "false"].contains(value.lowercased())
  }

  /// Updates one file, or leaves it as it is.
  ///
  /// - Throws: `file.…` when it cannot be read, and what the file system reports when it cannot be
  ///   replaced.
  package func run(_ path: String) throws -> Outcome {
    let bytes = try ScenarioFiles.read(path)
    let read = ScenarioProgram.read(
      bytes, path: path, options: replay.options, tolerating: [.emptyBlock])
    guard let program = read.program else {
      return .unreadable(read.problems.filter { $0.code != .emptyBlock })
    }
    let (result, printed) = replay.perform(program, comparesBlocks: false)
    switch result.outcome {
    case .failed(let failure): return .refused(failure)
    case .skipped(let reason): return .skipped(reason)
    case .unreadable(let problems): return .unreadable(problems)
    case .passed: break
    }
    do {
      let rewrite = try ScenarioRewrite(addsBlocks: addsBlocks)
        .apply(printed, to: program.scenario, bytes: bytes)
      if rewrite.changedLines.isEmpty { return .unchanged }
      try AtomicFile.replace(path, with: rewrite.bytes)
      return .changed(rewrite.changedLines)
    } catch let problem as ScenarioProblem {
      return .unreadable([problem])
    }
  }
}
