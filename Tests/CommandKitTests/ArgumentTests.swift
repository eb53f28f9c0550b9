import CommandKit
import Testing

@Suite struct ArgumentTests {
  @Test func `positionals, options and flags reach the command`() async {
    let run = await Fixture.run("import", "jpl", "--json", "a.json", "--store", "memory:", "b.json")
    #expect(run.code == .success)
    #expect(run.output == "jpl a.json b.json\nmemory: true\n")
    #expect(run.errors == "")
  }

  @Test func `a value follows its option or an equals sign`() async {
    let run = await Fixture.run("replay", "--limit=3", "--sort=-impactEnergy", "--tag", "a=b", "--tag=c")
    #expect(run.output.hasSuffix("limit 3\nsort -impactEnergy tags [\"a=b\", \"c\"]\n"))
    let spaced = await Fixture.run("replay", "--sort", "-impactEnergy")
    #expect(spaced.output.contains("sort -impactEnergy"))
  }

  @Test func `two dashes end the options`() async {
    let run = await Fixture.run("replay", "--", "--limit", "-h")
    #expect(run.output.hasPrefix("paths [\"--limit\", \"-h\"]"))
  }

  @Test func `a lone dash is an argument`() async {
    let run = await Fixture.run("replay", "-")
    #expect(run.output.hasPrefix("paths [\"-\"]"))
  }

  @Test func `a variable stands in for an option, and loses to it`() async {
    let environment = ["DEMO_STORE": "lmdb:x"]
    let from = await Fixture.run("import", "jpl", "a", environment: environment)
    #expect(from.output.contains("lmdb:x false"))
    let given = await Fixture.run("import", "jpl", "a", "--store", "memory:", environment: environment)
    #expect(given.output.contains("memory: false"))
    let empty = await Fixture.run("import", "jpl", "a", environment: ["DEMO_STORE": ""])
    #expect(empty.code == .usage)
  }

  @Test func `a list keeps order and drops repetitions`() async {
    let run = await Fixture.run("replay", "--stores", "lmdb,memory,lmdb")
    #expect(run.output.contains("stores [\"lmdb\", \"memory\"]"))
    let standard = await Fixture.run("replay")
    #expect(standard.output.contains("stores [\"memory\", \"sqlite\"]"))
    #expect(standard.code == .expectationFailed)
  }

  @Test(arguments: [
    ([], "usage.missing-command", "demo --help"),
    (["repaly"], "usage.unknown-command", "did you mean \"replay\"?"),
    (["xyzzy"], "usage.unknown-command", "lists the commands"),
    (["--store", "x", "replay"], "usage.option-before-command", "give the command first"),
    (["model"], "usage.missing-command", "demo model --help"),
    (["model", "chekc", "f"], "usage.unknown-command", "did you mean \"check\"?"),
    (["model", "check"], "usage.missing-argument", "demo model check needs FILE"),
    (["replay", "--limt", "3"], "usage.unknown-option", "did you mean \"--limit\"?"),
    (["replay", "--limit"], "usage.missing-value", "--limit N"),
    (["replay", "--limit", "--json"], "usage.missing-value", "--limit=VALUE"),
    (["replay", "--limit", "0"], "usage.wrong-value", "at least 1, not \"0\""),
    (["replay", "--limit", "+3"], "usage.wrong-value", "not \"+3\""),
    (["replay", "--limit", "99999999999999999999"], "usage.wrong-value", "whole number"),
    (["replay", "--limit", "9999999999999999999"], "usage.wrong-value", "at most 1000000000000, not"),
    (["replay", "--json=yes"], "usage.unexpected-value", "write --json alone"),
    (["replay", "--json", "--json"], "usage.repeated-option", "given twice"),
    (["replay", "--stores", "memory,sqlit"], "usage.wrong-value", "did you mean \"sqlite\"?"),
    (["replay", "--stores", "memory,"], "usage.wrong-value", "empty entry"),
    (["replay", "-x"], "usage.unknown-option", "lists the options"),
    (["import", "jpl", "a"], "usage.missing-option", "set DEMO_STORE"),
    (["import", "jpl", "--store", "x"], "usage.missing-argument", "needs SOURCE"),
    (["import", "jlp", "a", "--store", "x"], "usage.wrong-value", "did you mean \"jpl\"?"),
    (["model", "check", "a", "b"], "usage.unexpected-argument", "\"b\""),
    (["help", "repaly"], "usage.unknown-command", "did you mean \"replay\"?"),
  ])
  func `a wrong command line is refused with its reason`(words: [String], code: String, text: String) async {
    let console = Console.captured()
    let exit = await Fixture.program.run(words, on: console)
    #expect(exit == .usage)
    #expect(console.output.captured == "")
    #expect(console.errors.captured.hasPrefix("error \(code): "))
    #expect(console.errors.captured.contains(text))
  }

  @Test func `errors of a command become diagnostics and exit codes`() async {
    let known = await Fixture.run("refuse")
    #expect(known.code == .storeFailed)
    #expect(known.errors == "error store.foreign: no store\n  to fix: take another\n")
    let unexpected = await Fixture.run("fail")
    #expect(unexpected.code == .bug)
    #expect(unexpected.errors.hasPrefix("error program.unexpected-error: demo met an error"))
  }

  @Test func `exit codes are the documented ones`() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 64, 70, 130])
  }
}

@Suite struct SuggestionTests {
  @Test(arguments: [
    ("", "", 0), ("a", "", 1), ("kitten", "sitting", 3), ("replay", "repaly", 1), ("ab", "ba", 1),
    ("abc", "abc", 0), ("ca", "abc", 3),
  ])
  func `distance counts slips`(left: String, right: String, distance: Int) {
    #expect(Suggestion.distance(left, right) == distance)
    #expect(Suggestion.distance(right, left) == distance)
  }

  @Test func `only a near name is suggested`() {
    let names = ["replay", "conform", "fetch", "inspect"]
    #expect(Suggestion.nearest(to: "Replay", among: names) == "replay")
    #expect(Suggestion.nearest(to: "confrom", among: names) == "conform")
    #expect(Suggestion.nearest(to: "insp", among: names) == "inspect")
    #expect(Suggestion.nearest(to: "zzz", among: names) == nil)
    #expect(Suggestion.nearest(to: "x", among: []) == nil)
  }
}
