import Bolide
import BolideScenario
import CommandKit
import Testing

@Suite struct ReportTests {
  private let failure = StepFailure(
    store: "sqlite", position: SourcePosition(line: 21, column: 1), step: "view> save", phase: 1,
    reason: .unexpected(
      expected: ["inserted 2  updated 2  deleted 0", "transaction 2"],
      actual: ["inserted 2  updated 2  deleted 0", "transaction 3"]))

  private func captured(_ report: (Console) -> Void) -> (output: String, errors: String) {
    let plain = TerminalTraits(isTerminal: false, usesColor: false, width: 80)
    let console = Console(
      output: OutputChannel(capturing: plain), errors: OutputChannel(capturing: plain), environment: [:])
    report(console)
    return (console.output.captured, console.errors.captured)
  }

  private func result(_ outcome: ScenarioResult.Outcome) -> ScenarioResult {
    ScenarioResult(
      path: "Scenarios/a.scenario", phases: ["First", "Second", "Third"], outcome: outcome,
      stores: ["memory", "sqlite"], stepCount: 3)
  }

  /// The escapes are written twice, since neither module may know the other; they must not come apart.
  @Test func `JSON texts are those of canonical text`() {
    for code in (0..<0x3000 as Range<UInt32>) {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let text = "a" + String(scalar) + "\"\\"
      #expect(JSONValue.string(text).text == CanonicalText.quoted(text), "U+\(String(code, radix: 16))")
    }
    #expect(JSONValue.string("\u{1F600}\u{10FFFF}").text == CanonicalText.quoted("\u{1F600}\u{10FFFF}"))
  }

  @Test func `a failure shows place, store, step, difference and how to run it again`() {
    let text = captured { console in
      TerminalReport(console).finished(result(.failed(failure)))
    }.output
    #expect(
      text == """
        FAILED  Scenarios/a.scenario
          # First  passed
          # Second
          Scenarios/a.scenario:21:1: sqlite: view> save
              inserted 2  updated 2  deleted 0
            - transaction 2
            + transaction 3
          rerun: bolide replay Scenarios/a.scenario:21 --stores sqlite

        """)
  }

  @Test func `long stretches that agree are folded`() {
    let expected = (1...40).map { "line \($0)" }
    var actual = expected
    actual[19] = "other"
    actual.append("more")
    let failure = StepFailure(
      store: "memory", position: SourcePosition(line: 1, column: 1), step: "view> dump",
      reason: .unexpected(expected: expected, actual: actual))
    #expect(
      failure.comparison == [
        "  … 16 lines that agree", "  line 17", "  line 18", "  line 19", "- line 20", "+ other", "  line 21",
        "  line 22", "  line 23", "  … 14 lines that agree", "  line 38", "  line 39", "  line 40", "+ more",
      ])
  }

  @Test func `the last line is the count`() {
    var summary = ReplaySummary()
    summary.add(result(.passed))
    summary.add(result(.skipped("no feeds folder")))
    summary.add(result(.unreadable([])))
    let text = captured { TerminalReport($0).finished(summary) }
    #expect(text.output == "1 passed, 1 failed, 1 skipped\n")
    #expect(text.errors.isEmpty)
    #expect(summary.unreadable == 1)
  }

  @Test func `nothing ran is said aloud`() {
    var summary = ReplaySummary()
    summary.add(result(.skipped("no feeds folder")))
    let text = captured { TerminalReport($0).finished(summary) }
    #expect(summary.isEmpty)
    #expect(text.output == "0 passed, 0 failed, 1 skipped\n")
    #expect(text.errors == "nothing ran, which is a failure: all were skipped, for the reasons above\n")
  }

  @Test func `what was left out is shown with its reason`() {
    var passed = result(.passed)
    passed.omissions = ["on memory: needs processes"]
    let text = captured { console in
      TerminalReport(console).finished(passed)
      TerminalReport(console).finished(result(.skipped("no feeds folder")))
    }.output
    #expect(
      text == """
        ok      Scenarios/a.scenario  3 steps on memory, sqlite
                on memory: needs processes
        skipped Scenarios/a.scenario  no feeds folder

        """)
  }

  @Test func `programs get one object a line`() {
    let text = captured { console in
      let report = JSONLinesReport(console)
      report.finished(result(.failed(failure)))
      report.finished(ReplaySummary())
    }.output
    #expect(
      text == """
        {"failure":{"actual":["inserted 2  updated 2  deleted 0","transaction 3"],"column":1,\
        "expected":["inserted 2  updated 2  deleted 0","transaction 2"],"line":21,\
        "rerun":"bolide replay Scenarios/a.scenario:21 --stores sqlite","step":"view> save",\
        "store":"sqlite"},"outcome":"failed","path":"Scenarios/a.scenario","steps":3,\
        "stores":["memory","sqlite"],"type":"scenario"}
        {"failed":0,"passed":0,"skipped":0,"type":"summary"}

        """)
  }
}
