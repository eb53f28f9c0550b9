import BolideScenario
import Foundation
import Testing

@Suite struct ScenarioRewriteTests {
  private func rewrite(
    _ text: String, _ printed: [Int: [String]], adding: Bool = false
  ) throws -> (text: String, lines: [Int]) {
    let scenario = ScenarioParser.parse(text).scenario
    let outcome = try ScenarioRewrite(addsBlocks: adding)
      .apply(printed, to: scenario, bytes: Array(text.utf8))
    return (String(decoding: outcome.bytes, as: UTF8.self), outcome.changedLines)
  }

  @Test func `only expected blocks change`() throws {
    let text = "# T\ncontext v\n\nv> save\n----\nold\nlines\n\n# B\nv> count E\n----\n2\n\n-- p --\r\n \t\n"
    let result = try rewrite(text, [0: ["new"], 1: ["2"]])
    #expect(
      result.text == "# T\ncontext v\n\nv> save\n----\nnew\n\n# B\nv> count E\n----\n2\n\n-- p --\r\n \t\n")
    #expect(result.lines == [4])
  }

  @Test func `a block that matches keeps its wildcards`() throws {
    let text = "context v\n\nv> history\n----\ntransaction <*>\n<**>\n"
    #expect(try rewrite(text, [0: ["transaction 1", "x"]]).text == text)
  }

  @Test func `lines that still match keep their wildcards`() throws {
    let text = "context v\n\nv> history\n----\nat <*>\nold\n<**>\nend\n"
    let result = try rewrite(text, [0: ["at 12", "new", "x", "end"]])
    #expect(result.text == "context v\n\nv> history\n----\nat <*>\n<**>\nend\n")
    let other = try rewrite("context v\n\nv> history\n----\nat <*>\nold\n", [0: ["at 12", "new"]])
    #expect(other.text == "context v\n\nv> history\n----\nat <*>\nnew\n")
  }

  @Test func `an error code alone stays one line`() throws {
    let text = "context v\n\nv> save\n----\nerror a.b\n"
    #expect(
      try rewrite(text, [0: ["error c.d", "  detail"]]).text == "context v\n\nv> save\n----\nerror c.d\n")
    #expect(try rewrite(text, [0: ["ok", "two"]]).text == "context v\n\nv> save\n----\nok\ntwo\n")
  }

  @Test func `an empty block is filled`() throws {
    let text = "context v\n\nv> save\n----\n\nv> save\n----"
    let result = try rewrite(text, [0: ["a"], 1: ["b"]])
    #expect(result.text == "context v\n\nv> save\n----\na\n\nv> save\n----\nb\n")
  }

  @Test func `blocks are added on request only`() throws {
    let text = "context v\n\nv> insert E\n  a=1\nv> save\n\nv> save"
    let printed = [0: ["E#new1"], 1: ["x"], 2: ["y", "z"]]
    #expect(try rewrite(text, printed).text == text)
    #expect(
      try rewrite(text, printed, adding: true).text
        == "context v\n\nv> insert E\n  a=1\n----\nE#new1\n\nv> save\n----\nx\n\nv> save\n----\ny\nz\n")
  }

  @Test func `what was added reads as it was meant`() throws {
    let text = "context v\n\nv> save\nv> save\n# c\nv> save\n"
    let once = try rewrite(text, [0: ["a"], 1: ["b"], 2: ["c"]], adding: true)
    let outcome = ScenarioParser.parse(once.text)
    #expect(outcome.problems == [])
    #expect(outcome.scenario.steps.map(\.block?.lines) == [["a"], ["b"], ["c"]])
    #expect(try rewrite(once.text, [0: ["a"], 1: ["b"], 2: ["c"]], adding: true).lines == [])
  }

  @Test func `a step that did not run keeps its block`() throws {
    let text = "context v\n\n[feeds] v> save\n----\nold\n"
    #expect(try rewrite(text, [:], adding: true).text == text)
  }

  @Test(arguments: ["", "a ", "a\tb", "-- x --"])
  func `a line that no block can hold is refused`(_ line: String) {
    #expect(throws: ScenarioProblem.self) { try rewrite("context v\n\nv> save\n----\na\n", [0: [line]]) }
  }

  @Test func `a file is replaced whole, through links, with its permissions`() throws {
    try withFolder { folder in
      let file = folder.appending(path: "a.scenario")
      let link = folder.appending(path: "link.scenario")
      try Data("old".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      try AtomicFile.replace(link.path, with: Array("new".utf8))
      #expect(try String(contentsOf: file, encoding: .utf8) == "new")
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == file.path)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
    }
  }

  @Test func `a file that is not there is an error`() throws {
    try withFolder { folder in
      #expect(throws: (any Error).self) {
        try AtomicFile.replace(folder.appending(path: "none").path, with: [])
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
    }
  }
}
