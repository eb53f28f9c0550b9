import BolideScenario
import Testing

@Suite struct ScenarioFormatTests {
  private func format(_ text: String) -> String {
    String(decoding: ScenarioFormat.format(Array(text.utf8)), as: UTF8.self)
  }

  @Test func `blanks, line ends and blank lines become single`() {
    #expect(
      format("\n\n#T\r\ncontext  v\t\n\n\n\nv>  count\tE  where  a  ==  1 \n----\na  b \n\n\n")
        == "# T\ncontext v\n\nv> count E where a  ==  1\n----\na  b\n")
  }

  @Test func `texts keep their blanks`() {
    let line = "v> set E{a  ==  \"x  }\"}  a=\"two  blanks \\\"  \"  b=`a  +  b`\n"
    #expect(format(line) == "v> set E{a  ==  \"x  }\"} a=\"two  blanks \\\"  \" b=`a  +  b`\n")
  }

  @Test func `rows keep their indent and payloads their bytes`() {
    #expect(
      format("v> insert E\n  a=1   b=2\n\n\n-- p --\n a  b \t\n\n\n")
        == "v> insert E\n  a=1 b=2\n\n-- p --\n a  b \t\n\n\n"
    )
  }

  @Test(arguments: try Corpus.listed().filter { $0.hasPrefix("bad/") })
  func `a file with other problems keeps its bytes`(_ name: String) throws {
    let bytes = try Corpus.bytes(name)
    let codes = Set(ScenarioParser.parse(bytes, path: name).problems.map(\.code))
    if codes.isSubset(of: ScenarioFormat.mended.union([.emptyBlock])) { return }
    #expect(ScenarioFormat.format(bytes) == bytes)
  }

  @Test(arguments: try Corpus.listed().filter { $0.hasPrefix("good/") })
  func `formatting changes no meaning`(_ name: String) throws {
    let bytes = try Corpus.bytes(name)
    let formatted = ScenarioFormat.format(bytes)
    let before = ScenarioParser.parse(bytes, path: "x").scenario
    let after = ScenarioParser.parse(formatted, path: "x")
    #expect(after.problems == [])
    #expect(after.scenario.steps.map(\.source) == before.steps.map(\.source))
    #expect(after.scenario.steps.map(\.block?.lines) == before.steps.map(\.block?.lines))
    #expect(after.scenario.payloads.map(\.bytes) == before.payloads.map(\.bytes))
    #expect(ScenarioFormat.format(formatted) == formatted)
  }
}
