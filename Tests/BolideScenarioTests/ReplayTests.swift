import BolideScenario
import Foundation
import Testing

@Suite struct ReplayTests {
  private let header = "model FireballWatch\ncontext view author=\"view\"\n\n"

  @Test func `what is printed is compared`() throws {
    let text = header + "view> insert FireballGroup name=\"A\"\n----\nFireballGroup#new2\n"
    let failure = try Stores.replay(text).failure
    #expect(failure?.store == "memory")
    #expect(failure?.position == SourcePosition(line: 4, column: 1))
    #expect(
      failure?.reason == .unexpected(expected: ["FireballGroup#new2"], actual: ["FireballGroup#new1"]))
  }

  @Test func `a step without expected text must succeed`() throws {
    let failure = try Stores.replay(header + "view> delete Fireball#7\n").failure
    #expect(failure?.reason == .error(["error object.missing"]))
    #expect(failure?.explanation?.contains("Fireball#7") == true)
  }

  @Test func `a file with problems does not run`() throws {
    let problems = try Stores.replay(header + "view> fetsch Fireball\nveiw> save\n").problems
    #expect(problems.map(\.code) == [.unknownVerb, .unknownName])
  }

  @Test func `feeds are required visibly`() throws {
    let text = "requires feeds\n" + header + "view> save\n"
    #expect(try Stores.replay(text).skipReason == "requires feeds: give --feeds DIR or set BOLIDE_FEEDS")
    try withFolder { folder in
      let passed = try Stores.replay(text, feeds: folder).hasPassed
      #expect(passed)
    }
  }

  @Test func `a capability that no store has skips with the reason`() throws {
    let result = try Stores.replay("requires durable\n" + header + "view> save\n")
    #expect(result.skipReason == "no store has what it requires: durable")
    #expect(result.omissions == ["not on memory: requires durable"])
  }

  @Test func `a step that no store can run is left out and said so`() throws {
    let one = try Stores.replay(header + "view> save\n[durable] view> save\n[!feeds] view> save\n")
    #expect(one.hasPassed && one.stepCount == 2)
    #expect(one.omissions == ["on memory: left out [durable], 1 steps"])
    let none = try Stores.replay(header + "[durable] view> save\n")
    #expect(none.skipReason == "no step can run on memory")
  }

  @Test func `a line ends the run behind its step`() throws {
    try withFolder { folder in
      let file = folder.appending(path: "a.scenario")
      try Data((header + "view> save\nview> save\nview> delete Fireball#1\n").utf8).write(to: file)
      let replay = Replay(Stores.options(folder, memoryOnly: true))
      let result = try replay.run(.init(path: file.path, line: 5))
      #expect(result.hasPassed && result.stepCount == 2)
      #expect(try replay.run(.init(path: file.path)).failure?.position.line == 6)
    }
  }

  @Test func `a document lies beside the scenario, and never outside`() throws {
    let list = #"{"count":"1","fields":["date","energy"],"data":[["2020-10-21 02:41:07","2.9"]]}"#
    let text =
      header + """
        view> download jpl list.json
        ----
        inserted 1  updated 0  unchanged 0  skipped 0
        transaction 1  author "view"

        view> download jpl other.json
        ----
        error file.missing

        view> download jpl "../secret.json"
        ----
        error file.outside

        """
    let result = try Stores.replay(text, beside: ["list.json": list, "secret.json": list])
    #expect(result.hasPassed, "\(result.outcome)")
  }

  @Test func `records come from rows or from a file`() throws {
    let text =
      header + """
        view> batch-insert Fireball from=records.json
        ----
        inserted 2  updated 0  unchanged 0
        transaction 1  author "view"

        view> fetch Fireball columns=dateTimeStamp,altitude
        ----
        Fireball#1  2020-10-21T02:41:07.5Z  3.0
        Fireball#2  2020-10-22T00:00:00Z  null
        2 rows

        view> batch-insert Fireball from=broken.json
        ----
        error scenario.records

        -- records.json --
        [{"dateTimeStamp":"2020-10-21T02:41:07.5Z","altitude":3},{"dateTimeStamp":"2020-10-22T00:00:00Z","altitude":null}]
        -- broken.json --
        {"not":"an array"}

        """
    let result = try Stores.replay(text)
    #expect(result.hasPassed, "\(result.outcome)")
  }

  @Test func `data never act as wildcards`() throws {
    let text =
      header + #"""
        view> insert FireballGroup name="<*>"
        view> fetch FireballGroup columns=name
        ----
        FireballGroup#new1  "<\*>"
        1 rows

        view> set FireballGroup{name == "<*>"} name="x"
        view> fetch FireballGroup columns=name
        ----
        FireballGroup#new1  "<\*>"
        1 rows

        """#
    #expect(
      try Stores.replay(text).failure?.reason
        == .unexpected(
          expected: [#"FireballGroup#new1  "<\*>""#, "1 rows"],
          actual: [#"FireballGroup#new1  "x""#, "1 rows"]))
  }

  @Test func `a run without files is empty`() throws {
    let summary = try withFolder { folder in
      try Replay(Stores.options(folder, memoryOnly: true)).run([], report: SilentReport())
    }
    #expect(summary.isEmpty)
    #expect(summary.text == "0 passed, 0 failed, 0 skipped")
  }

  @Test func `two runs print the same`() throws {
    let path = Stores.repository.appending(path: "Scenarios/fireballs/refresh.scenario").path
    for _ in 0..<2 {
      let passed = try withFolder { folder in
        try Replay(Stores.options(folder, memoryOnly: true)).run(.init(path: path)).hasPassed
      }
      #expect(passed)
    }
  }
}

private struct SilentReport: ReplayReport {
  func finished(_ result: ScenarioResult) {}
  func finished(_ summary: ReplaySummary) {}
}
