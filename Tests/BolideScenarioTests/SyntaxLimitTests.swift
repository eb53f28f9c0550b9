import BolideScenario
import Testing

@Suite struct SyntaxLimitTests {
  private let small = ScenarioLimits(lineBytes: 40, steps: 2, payloadBytes: 8, fileBytes: 400)

  @Test func `a line may have so many bytes and no more`() {
    let line = "v> count Fireball where name == "
    let fits = line + String(repeating: "x", count: 40 - line.utf8.count)
    #expect(ScenarioParser.parse("context v\n\n\(fits)\n", limits: small).problems == [])
    let problems = ScenarioParser.parse("context v\n\n\(fits)x\n  a=1\n----\nok\n", limits: small).problems
    #expect(problems.map(\.code) == [.lineLength])
    #expect(problems.first?.message == "the line has 41 bytes; at most 40 are allowed")
  }

  @Test func `a file may have so many steps and no more`() {
    let steps = "context v\n\nv> save\nv> save\n"
    #expect(ScenarioParser.parse(steps, limits: small).problems == [])
    let outcome = ScenarioParser.parse(steps + "v> save\nv> save\n", limits: small)
    #expect(outcome.problems.map(\.code) == [.stepCount])
    #expect(outcome.problems.first?.position == SourcePosition(line: 5, column: 1))
    #expect(outcome.scenario.steps.count == 2)
  }

  @Test func `a payload may have so many bytes and no more`() {
    let head = "context v\n\nv> save\n\n-- a --\n"
    #expect(ScenarioParser.parse(head + "1234567\n", limits: small).problems == [])
    let outcome = ScenarioParser.parse(head + "1234\n5678\n9\n-- b --\n1\n", limits: small)
    #expect(outcome.problems.map(\.code) == [.payloadSize])
    #expect(outcome.problems.first?.position == SourcePosition(line: 7, column: 1))
    #expect(outcome.scenario.payloads.map(\.name.text) == ["a", "b"])
  }

  @Test func `a file may have so many bytes and no more`() {
    let text = String(repeating: "#\n", count: 201)
    let outcome = ScenarioParser.parse(text, limits: small)
    #expect(outcome.problems.map(\.code) == [.fileSize])
  }

  @Test func `keys of references nest so deep and no deeper`() {
    func problems(_ depth: Int) -> [ScenarioProblem] {
      let key = String(repeating: "A[", count: depth) + "1" + String(repeating: "]", count: depth)
      return ScenarioParser.parse("context v\n\nv> delete \(key)\n").problems
    }
    #expect(problems(16) == [])
    #expect(problems(17).map(\.message) == ["keys are nested more than 16 deep"])
    let open = "context v\n\nv> delete " + String(repeating: "A[", count: 8_000)
    #expect(ScenarioParser.parse(open).problems.map(\.code) == [.reference])
  }

  @Test func `one enormous line is one problem`() {
    let bytes = [UInt8](repeating: 0x41, count: 15 << 20)
    #expect(ScenarioParser.parse(bytes, path: "x").problems.map(\.code) == [.lineLength])
  }
}
