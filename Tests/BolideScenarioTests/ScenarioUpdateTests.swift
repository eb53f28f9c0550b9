import BolideScenario
import Foundation
import Testing

@Suite struct ScenarioUpdateTests {
  private func update(
    _ text: String, adding: Bool = false
  ) throws -> (outcome: ScenarioUpdate.Outcome, text: String) {
    try withFolder { folder in
      let file = folder.appending(path: "a.scenario")
      try Data(text.utf8).write(to: file)
      let outcome = try ScenarioUpdate(Stores.options(folder), addsBlocks: adding).run(file.path)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["a.scenario"])
      return (outcome, try String(contentsOf: file, encoding: .utf8))
    }
  }

  private let header = "model FireballWatch\ncontext view author=\"view\"\n\n"

  @Test func `blocks get what the stores print`() throws {
    let text =
      header + "view> $a = insert FireballGroup name=\"A\"\n----\n\nview> save\n----\nold\n\nview> save\n"
    let result = try update(text)
    guard case .changed([4, 7]) = result.outcome else {
      Issue.record("\(result.outcome)")
      return
    }
    let expected =
      header + "view> $a = insert FireballGroup name=\"A\"\n----\nFireballGroup#new1\n\nview> save\n----\n"
      + "inserted 1  updated 0  deleted 0\ntransaction 1  author \"view\"\n\nview> save\n"
    #expect(result.text == expected)
    guard case .unchanged = try update(expected).outcome else {
      Issue.record("a second update changes nothing")
      return
    }
  }

  @Test func `blocks are added on request`() throws {
    let result = try update(header + "view> save\n", adding: true)
    #expect(result.text == header + "view> save\n----\nnothing to save\n")
  }

  @Test func `a step that fails without a block is refused`() throws {
    let text = header + "view> count Fireball\n----\n7\n\nview> delete Fireball#1\n"
    let result = try update(text, adding: true)
    guard case .refused(let failure) = result.outcome else {
      Issue.record("\(result.outcome)")
      return
    }
    #expect(failure.position.line == 8)
    #expect(result.text == text)
  }

  @Test func `a file with problems is left alone`() throws {
    let text = header + "view> cuont Fireball\n----\n7\n"
    let result = try update(text)
    guard case .unreadable(let problems) = result.outcome else {
      Issue.record("\(result.outcome)")
      return
    }
    #expect(problems.map(\.code) == [.unknownVerb])
    #expect(result.text == text)
  }

  @Test func `a skipped scenario is left alone`() throws {
    let text = "requires feeds\n" + header + "view> save\n----\nold\n"
    let result = try update(text)
    guard case .skipped = result.outcome else {
      Issue.record("\(result.outcome)")
      return
    }
    #expect(result.text == text)
  }

  @Test func `a build never updates`() {
    #expect(ScenarioUpdate.isForbidden(in: ["CI": "true"]))
    #expect(ScenarioUpdate.isForbidden(in: ["CI": "1"]))
    #expect(!ScenarioUpdate.isForbidden(in: ["CI": "false"]))
    #expect(!ScenarioUpdate.isForbidden(in: [:]))
  }
}
