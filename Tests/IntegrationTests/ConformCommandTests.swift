import Testing

@Suite(.serialized) struct ConformCommandTests {
  @Test(arguments: ["memory", "sqlite", "lmdb"])
  func `conform runs the cases that are asked for`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let list = try await bolide("conform", "--store", store, "--list", "--json")
      #expect(list.status == 0)
      #expect(list.objects.count > 20)
      let id = try #require(list.objects.first?["id"] as? String)
      let run = try await bolide("conform", "--store", store, "--filter", id)
      #expect(run.status == 0, "\(run.output)")
      #expect(run.lines.last?.hasSuffix(" passed, 0 failed, 0 skipped") == true)
      #expect(bolide.leftovers == [])
    }
  }

  @Test func `reports name each case with its rules`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide(
        "conform", "--store", "memory", "--filter", "history/", "--report-junit", "run.xml")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let passed = run.output.components(separatedBy: "ok      history/").count - 1
      #expect(passed > 0)
      #expect(try bolide.text(of: "run.xml").contains(#"<testsuites name="Conformance" tests="\#(passed)" "#))
    }
  }

  @Test func `a filter that matches nothing is a failure`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("conform", "--store", "memory", "--filter", "no-such-case")
      #expect(run.status == 1)
      #expect(run.lines.last == "0 passed, 1 failed, 0 skipped")
    }
  }
}
