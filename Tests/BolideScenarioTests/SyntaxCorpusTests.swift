import BolideScenario
import Foundation
import Testing

@Suite struct SyntaxCorpusTests {
  @Test func `the list and the folders agree`() throws {
    let listed = try Corpus.listed()
    let found = try Corpus.found()
    #expect(Set(listed) == Set(found))
    #expect(Set(listed).count == listed.count)
  }

  @Test(arguments: try Corpus.listed().filter { $0.hasPrefix("good/") })
  func `a good file is understood`(_ name: String) throws {
    let outcome = ScenarioParser.parse(try Corpus.bytes(name), path: name)
    #expect(Corpus.problems(outcome) == [])
    let expected = try Corpus.text(name, ".outline")
    #expect(Outline(of: outcome.scenario).description == expected)
  }

  @Test(arguments: try Corpus.listed().filter { $0.hasPrefix("bad/") })
  func `a bad file is refused at the right places`(_ name: String) throws {
    let path = URL(fileURLWithPath: name).lastPathComponent + ".scenario"
    let problems = Corpus.problems(ScenarioParser.parse(try Corpus.bytes(name), path: path))
    #expect(!problems.isEmpty)
    let lines = problems.map { Corpus.text($0, path: path) }.joined()
    let expected = try Corpus.text(name, ".errors")
    #expect(lines == expected)
  }

  @Test(arguments: try Corpus.listed().filter { $0.hasPrefix("check/") })
  func `a file that cannot run is refused at the right places`(_ name: String) throws {
    let path = URL(fileURLWithPath: name).lastPathComponent + ".scenario"
    let syntax = Corpus.problems(ScenarioParser.parse(try Corpus.bytes(name), path: path))
    #expect(syntax == [])
    let lines = try Corpus.checked(name, path: path).map { Corpus.text($0, path: path) }.joined()
    let expected = try Corpus.text(name, ".errors")
    #expect(lines == expected)
    #expect(!lines.isEmpty)
  }

  @Test func `every problem stands in the corpus`() throws {
    let seen = try Corpus.listed().filter { !$0.hasPrefix("good/") }.flatMap { name in
      try Corpus.checked(name, path: name).map(\.code)
    }
    // Limits of size are shown with small limits, what cannot be printed by the rewrite.
    let elsewhere: Set<ScenarioProblem.Code> = [.stepCount, .payloadSize, .fileSize, .unprintable]
    #expect(Set(ScenarioProblem.Code.allCases).subtracting(elsewhere) == Set(seen))
  }

  @Test func `payloads keep their bytes`() throws {
    let outcome = ScenarioParser.parse(try Corpus.bytes("good/payloads"), path: "payloads")
    let payloads = outcome.scenario.payloads.map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(
      payloads == [
        "a,b\r\n1,2 \t\n", "\n# not a comment\nv> not a step\n\n", "", "last line without its end",
      ])
  }

  @Test func `blocks keep their lines`() throws {
    let outcome = ScenarioParser.parse(try Corpus.bytes("good/blocks"), path: "blocks")
    let block = try #require(outcome.scenario.steps.first?.block)
    #expect(block.lines.last == #"name "<\*>""#)
    #expect(block.lines.contains("  indented  with  blanks"))
    #expect(block.lines.contains("----"))
  }

  @Test func `the opening comment is the title`() throws {
    #expect(
      ScenarioParser.parse("# One\n# two\ncontext v\n\n# Three\nv> save\n").scenario.title == "One")
    #expect(ScenarioParser.parse("context v\n\n# Three\nv> save\n").scenario.title == nil)
  }

  @Test func `steps know their phase`() throws {
    let scenario = ScenarioParser.parse("# A\ncontext v\n\nv> save\n# B\nv> save\n\nv> save\n").scenario
    #expect(scenario.steps.map(\.phase) == [0, 1, 1])
  }
}
