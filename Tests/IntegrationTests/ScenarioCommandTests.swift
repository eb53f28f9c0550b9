import Testing

@Suite(.serialized) struct ScenarioCommandTests {
  @Test func `replay runs a folder on every store and counts`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.scenario, to: "themes/a.scenario")
      try bolide.write(Document.scenario, to: "themes/deeper/b.scenario")
      let run = try await bolide("replay", "themes")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.lines.last == "2 passed, 0 failed, 0 skipped")
      #expect(run.output.contains("memory, sqlite, lmdb"))
      #expect(bolide.leftovers == [])
    }
  }

  @Test func `reports are written beside what is printed, also of a run that failed`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.scenario, to: "themes/a.scenario")
      try bolide.write(Document.scenario.replacing("inserted 2", with: "inserted 3"), to: "themes/b.scenario")
      try bolide.write("nonsense\n", to: "themes/c.scenario")
      let reports = ["--report-junit", "run.xml", "--report-html", "run.html"]
      let run = try await bolide(all: ["replay", "themes"] + reports)
      #expect(run.status == 2)
      #expect(run.lines.last == "1 passed, 2 failed, 0 skipped")
      let junit = try bolide.text(of: "run.xml")
      #expect(junit.contains(#"<testsuites name="Scenarios" tests="3" failures="2" errors="0" skipped="0""#))
      #expect(junit.contains(#"classname="themes" name="b.scenario""#))
      #expect(junit.contains("- inserted 3"))
      #expect(try bolide.text(of: "run.html").contains("<strong>1 passed, 2 failed, 0 skipped</strong>"))
      let nowhere = try await bolide("replay", "themes", "--report-junit", "missing/run.xml")
      #expect(nowhere.status == 3)
      #expect(nowhere.output == "")
      #expect(nowhere.errors.hasPrefix("error file.unwritable: "))
    }
  }

  @Test func `without a path replay takes the folder Scenarios, or the one that is set`() async throws {
    try await BolideProgram.inFolder { bolide in
      let none = try await bolide("replay")
      #expect(none.status == 3)
      #expect(none.errors.contains("Scenarios"))
      try bolide.write(Document.scenario, to: "Scenarios/a.scenario")
      #expect(try await bolide("replay").lines.last == "1 passed, 0 failed, 0 skipped")
      try bolide.write(Document.scenario, to: "others/a.scenario")
      try bolide.write(Document.scenario, to: "others/b.scenario")
      let others = try await bolide("replay", environment: ["BOLIDE_SCENARIOS": "others"])
      #expect(others.lines.last == "2 passed, 0 failed, 0 skipped")
    }
  }

  @Test func `a failure names place, store and step, and how to run just that again`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.scenario.replacing("inserted 2", with: "inserted 3"), to: "a.scenario")
      let run = try await bolide("replay", "a.scenario")
      #expect(run.status == 1)
      #expect(run.output.contains("a.scenario:7:1: memory: view> save"), "\(run.output)")
      #expect(run.output.contains("- inserted 3  updated 0  deleted 0"))
      #expect(run.output.contains("+ inserted 2  updated 0  deleted 0"))
      #expect(run.output.contains("bolide replay a.scenario:7 --stores memory"))
      #expect(run.lines.last == "0 passed, 1 failed, 0 skipped")
      let again = try await bolide("replay", "a.scenario:7", "--stores", "memory")
      #expect(again.status == 1)
      let earlier = try await bolide("replay", "a.scenario:6", "--stores", "lmdb,sqlite")
      #expect(earlier.status == 0, "\(earlier.output)")
    }
  }

  @Test func `nothing ran is a failure`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write("no scenario", to: "empty/readme.txt")
      let run = try await bolide("replay", "empty")
      #expect(run.status == 1)
      #expect(run.lines.last == "0 passed, 0 failed, 0 skipped")
    }
  }

  @Test func `check lists every error with its place`() async throws {
    try await BolideProgram.inFolder { bolide in
      let wrong =
        Document.scenario.replacing("view> save", with: "view> sav")
        .replacing("context view", with: "context view author=\"other\"\ncontext view")
      try bolide.write(wrong, to: "a.scenario")
      for command in [["scenario", "check", "a.scenario"], ["replay", "a.scenario"]] {
        let run = try await bolide(all: command)
        #expect(run.status == 2, "\(run.output)\(run.errors)")
        #expect(run.errors.contains("a.scenario:4:9: error "), "\(run.errors)")
        #expect(run.errors.contains("a.scenario:8:7: error "), "\(run.errors)")
      }
      try bolide.write(Document.scenario, to: "a.scenario")
      #expect(try await bolide("scenario", "check", "a.scenario").status == 0)
    }
  }

  @Test func `update fills what is expected, and refuses under CI`() async throws {
    try await BolideProgram.inFolder { bolide in
      let wrong = Document.scenario.replacing("inserted 2", with: "inserted 3")
      try bolide.write(wrong, to: "a.scenario")
      let refused = try await bolide("scenario", "update", "a.scenario", environment: ["CI": "true"])
      #expect(refused.status != 0)
      #expect(try bolide.text(of: "a.scenario") == wrong)
      let run = try await bolide("scenario", "update", "a.scenario")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(try bolide.text(of: "a.scenario") == Document.scenario)
    }
  }

  @Test func `a missing path is told`() async throws {
    try await BolideProgram.inFolder { bolide in
      for command in [["replay", "none.scenario"], ["scenario", "check", "none.scenario"]] {
        let run = try await bolide(all: command)
        #expect(run.status == 3)
        #expect(run.errors.contains("none.scenario"))
      }
    }
  }

  @Test func `JSON output is one object a scenario and one for the run`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.scenario, to: "a.scenario")
      let run = try await bolide("replay", "a.scenario", "--json")
      #expect(run.objects.count == run.lines.count)
      #expect(run.objects.first?["outcome"] as? String == "passed")
      #expect(run.objects.last?["passed"] as? Int == 1)
    }
  }
}
