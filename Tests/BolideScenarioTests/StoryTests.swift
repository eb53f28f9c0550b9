import BolideScenario
import Foundation
import Testing

/// Every scenario of the repository, on all three stores in lockstep.
@Suite struct StoryTests {
  static let files: [String] = {
    let folder = Stores.repository.appending(path: "Scenarios").path
    let targets = (try? ScenarioFiles.find([folder])) ?? []
    return targets.map { String($0.path.dropFirst(folder.count + 1)) }
  }()

  @Test func `there are scenarios`() {
    #expect(Self.files.count >= 30)
  }

  @Test(arguments: files)
  func `a scenario passes on every store that can do what it requires`(_ file: String) throws {
    let path = Stores.repository.appending(path: "Scenarios").appending(path: file).path
    let feeds = ProcessInfo.processInfo.environment["BOLIDE_FEEDS"].map { URL(fileURLWithPath: $0) }
    let result = try withFolder { try Replay(Stores.options($0, feeds: feeds)).run(.init(path: path)) }
    let scenario = ScenarioParser.parse(try ScenarioFiles.read(path), path: path).scenario
    let requirements = Declarations.read(scenario).declarations.requirements.map(\.text)
    if requirements.contains("feeds"), feeds == nil {
      #expect(result.skipReason == "requires feeds: give --feeds DIR or set BOLIDE_FEEDS")
    } else {
      #expect(result.hasPassed, "\(result.outcome)")
      let needsDisk = requirements.contains("durable") || requirements.contains("processes")
      #expect(result.stores == (needsDisk ? ["sqlite", "lmdb"] : ["memory", "sqlite", "lmdb"]))
    }
  }

  @Test(arguments: files)
  func `a scenario is laid out as the language lays it out`(_ file: String) throws {
    let bytes = try ScenarioFiles.read(
      Stores.repository.appending(path: "Scenarios").appending(path: file).path)
    #expect(ScenarioFormat.format(bytes) == bytes)
  }
}
