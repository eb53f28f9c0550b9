import BolideScenario
import Testing

/// A store that prints what it was told to.
private final class ScriptedPerformer: StepPerformer {
  let storeName: String
  let capabilities: Set<String>
  let lines: [[String]]
  var performed: [Int] = []
  let explanation: String? = nil

  init(_ storeName: String, _ lines: [[String]], capabilities: Set<String> = []) {
    self.storeName = storeName
    self.lines = lines
    self.capabilities = capabilities
  }

  func has(_ capability: String) -> Bool { capabilities.contains(capability) }

  func perform(_ index: Int) -> [String] {
    performed.append(index)
    return lines[index]
  }
}

@Suite struct LockstepTests {
  private let scenario = ScenarioParser.parse(
    "# A\ncontext v\n\nv> save\n----\na\n\n# B\nv> save\n[two] v> save\n----\nc\n"
  ).scenario

  @Test func `all stores print what is expected`() {
    let performers = ["x", "y"].map { ScriptedPerformer($0, [["a"], ["b"], ["c"]], capabilities: ["two"]) }
    let outcome = Lockstep(scenario, on: performers).run()
    #expect(outcome.failure == nil)
    #expect(outcome.stepCount == 3)
    #expect(outcome.printed == [0: ["a"], 1: ["b"], 2: ["c"]])
  }

  @Test func `it stops at the first step that differs from the expectation, on every store`() {
    let first = ScriptedPerformer("x", [["a"], ["b"], ["c"]])
    let second = ScriptedPerformer("y", [["z"], ["b"], ["c"]])
    let outcome = Lockstep(scenario, on: [first, second]).run()
    #expect(outcome.failure?.store == "y")
    #expect(outcome.failure?.position == SourcePosition(line: 4, column: 1))
    #expect(outcome.failure?.reason == .unexpected(expected: ["a"], actual: ["z"]))
    #expect(first.performed == [0] && second.performed == [0])
  }

  @Test func `without expected text the stores must agree`() {
    let outcome = Lockstep(
      scenario, on: [ScriptedPerformer("x", [["a"], ["b"]]), ScriptedPerformer("y", [["a"], ["d"]])]
    ).run()
    #expect(outcome.failure?.reason == .stores(reference: "x", expected: ["b"], actual: ["d"]))
    #expect(outcome.failure?.phase == 1)
    #expect(
      outcome.failure?.rerun(path: "a b.scenario") == "bolide replay 'a b.scenario:9' --stores x,y")
  }

  @Test func `without expected text an error fails`() {
    let outcome = Lockstep(scenario, on: [ScriptedPerformer("x", [["a"], ["error a.b", "  c"]])]).run()
    #expect(outcome.failure?.reason == .error(["error a.b", "  c"]))
    #expect(outcome.failure?.comparison == ["+ error a.b", "+   c"])
    #expect(outcome.failure?.rerun(path: "a.scenario") == "bolide replay a.scenario:9 --stores x")
  }

  @Test func `a wildcard lets the rest differ`() {
    let scenario = ScenarioParser.parse("context v\n\nv> save\n----\na <*>\n").scenario
    let outcome = Lockstep(
      scenario, on: [ScriptedPerformer("x", [["a 1"]]), ScriptedPerformer("y", [["a 2"]])])
    #expect(outcome.run().failure == nil)
  }

  @Test func `a condition leaves a step out, visibly`() {
    let able = ScriptedPerformer("x", [["a"], ["b"], ["c"]], capabilities: ["two"])
    let unable = ScriptedPerformer("y", [["a"], ["b"], []])
    let outcome = Lockstep(scenario, on: [able, unable]).run()
    #expect(outcome.failure == nil)
    #expect(outcome.omitted == [2: ["y"]])
    #expect(unable.performed == [0, 1])
    let none = Lockstep(scenario, on: [unable]).run()
    #expect(none.stepCount == 2)
    #expect(none.omitted == [2: ["y"]])
  }

  @Test func `a negated condition does the reverse`() {
    let scenario = ScenarioParser.parse("context v\n\n[!two] v> save\n").scenario
    let able = ScriptedPerformer("x", [["a"]], capabilities: ["two"])
    let unable = ScriptedPerformer("y", [["a"]])
    #expect(Lockstep(scenario, on: [able, unable]).run().omitted == [0: ["x"]])
    #expect(able.performed == [] && unable.performed == [0])
  }

  @Test func `a line ends the run behind its step`() {
    let performer = ScriptedPerformer("x", [["a"], ["b"], ["c"]], capabilities: ["two"])
    #expect(Lockstep(scenario, on: [performer]).run(through: 9).stepCount == 2)
    #expect(performer.performed == [0, 1])
  }

  @Test func `an update compares the stores only`() {
    let same = ["x", "y"].map { ScriptedPerformer($0, [["new"], ["b"]]) }
    #expect(Lockstep(scenario, on: same, comparesBlocks: false).run().printed[0] == ["new"])
    let different = [ScriptedPerformer("x", [["1"]]), ScriptedPerformer("y", [["2"]])]
    #expect(
      Lockstep(scenario, on: different, comparesBlocks: false).run().failure?.reason
        == .stores(reference: "x", expected: ["1"], actual: ["2"]))
  }
}
