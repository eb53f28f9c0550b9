import Bolide
import BolidePreview
import BolideStorage
import Foundation

extension PersistentContainer {
  /// Opens a fresh store in memory, filled by the steps of a scenario: for previews, tests and demos.
  ///
  /// Clock and ids are those of the scenario, so two runs are alike. Use ``PersistentContainer/fork(to:)`` to give
  /// each test a copy of its own at once.
  ///
  /// - Throws: `file.missing` or `file.unreadable`, `scenario.unreadable` with every problem of the file, and
  ///   `scenario.failed` when a step prints something else than the file expects.
  public static func inMemory(scenario file: URL) throws -> PersistentContainer {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let bytes = try ScenarioFiles.read(file.path)
    let name = file.lastPathComponent
    let options = ReplayOptions(stores: [.memory], scratch: scratch)
    let read = ScenarioProgram.read(bytes, path: file.path, options: options)
    guard let program = read.program else {
      throw BolideError(
        .scenarioUnreadable, "\(name) is no scenario that can run",
        details: read.problems.map { "\(name):\($0.position.line):\($0.position.column): \($0.message)" })
    }
    let session = try StoreSession(program, on: .memory, scratch: scratch)
    if let failure = Lockstep(program.scenario, on: [session]).run().failure {
      throw BolideError(
        .scenarioFailed, "\(name):\(failure.position.line): \(failure.step) did not print what is expected",
        details: failure.comparison)
    }
    return try session.mainContainer()
  }
}
