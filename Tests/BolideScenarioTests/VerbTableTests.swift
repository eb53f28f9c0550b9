import BolideScenario
import Testing

@Suite struct VerbTableTests {
  /// The verbs of the language's page.
  private let language = [
    "insert", "set", "delete", "add", "remove", "replace", "get", "fetch", "count", "save", "rollback",
    "reset", "refresh", "obtain-ids", "changed", "batch-insert", "batch-update", "batch-delete",
    "download", "history", "merge", "merge-ids", "token", "save-token", "load-token", "pin", "unpin", "watch",
    "list", "events", "reopen", "crash", "damage",
    "consumer", "purge", "resync", "disk", "signals", "clock", "check", "dump", "start", "exit", "kill",
  ]

  @Test func `every verb of the language is known, to run or to be refused`() {
    let text = VerbTable.text()
    for verb in language {
      let outcome = ScenarioParser.parse("context v\n\nv> \(verb)\n")
      #expect(outcome.problems == [], "\(verb)")
      #expect(text.contains(verb), "\(verb)")
    }
    #expect(Set(VerbTable.usages.map(\.name)).isSubset(of: Set(language)))
    #expect(Set(VerbTable.usages.map(\.name)).count == VerbTable.usages.count)
  }

  @Test func `every verb says what it prints`() {
    for usage in VerbTable.usages {
      #expect(usage.summary.hasSuffix("."), "\(usage.name)")
      #expect(!usage.prints.isEmpty, "\(usage.name)")
    }
  }

  @Test func `a step is explained by its verb`() {
    let scenario = ScenarioParser.parse("# Title\ncontext v\n\nv> count Fireball where a == 1\nv> save\n")
      .scenario
    #expect(
      ScenarioExplanation.text(scenario, line: 4) == """
        # Title
        test.scenario:4: v> count Fireball where a == 1
          Counts the objects that a fetch would give. Prints `N`.
          usage: context> count E limit=N offset=N subentities=yes|no [where PREDICATE]
            verb 4:4 count
            argument 4:10
              word 4:10 Fireball
            where 4:25 a == 1

        """)
  }
}
