import Testing

@Suite(.serialized) struct UsageTests {
  static let commands = [
    "replay", "conform", "import", "fetch", "history", "inspect", "check", "dump", "scenario", "model",
    "fuzz", "oracle", "torture",
  ]

  @Test func `help lists every command and goes to standard output`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("--help")
      #expect(run.status == 0)
      #expect(run.errors == "")
      for command in Self.commands { #expect(run.output.contains("\n  \(command) "), "\(command)") }
      #expect(run.output.contains("130  interrupted"))
    }
  }

  @Test(arguments: commands) func `each command has its own help`(command: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide(command, "--help")
      #expect(run.status == 0)
      #expect(run.output.contains("usage: bolide \(command) "))
      #expect(run.errors == "")
    }
  }

  @Test func `version is one line`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("--version")
      #expect(run.status == 0)
      #expect(run.lines.count == 1)
      #expect(run.output.hasPrefix("bolide "))
    }
  }

  @Test(arguments: [
    ([], "usage.missing-command"),
    (["repaly"], "did you mean \"replay\"?"),
    (["fetch", "Fireball"], "or set BOLIDE_STORE"),
    (["fetch", "--store", "memory:"], "needs ENTITY"),
    (["fetch", "Fireball", "--store", "sqlit:a"], "did you mean \"sqlite:a\"?"),
    (["fetch", "Fireball", "--store", "a.sqlite"], "usage.wrong-location"),
    (["fetch", "Fireball", "--store", "sqlite:"], "write sqlite:PATH"),
    (["fetch", "Fireball", "--store", "memory:x"], "write memory: alone"),
    (["fetch", "Fireball", "--store", "sqlite:a", "--limit", "many"], "whole number"),
    (["fetch", "Fireball", "--store", "sqlite:a", "--wehre", "x"], "did you mean \"--where\"?"),
    (["import", "jlp", "a.json", "--store", "memory:"], "did you mean \"jpl\"?"),
    (["import", "jpl", "--store", "memory:"], "needs SOURCE"),
    (["conform"], "needs --store"),
    (["conform", "--store", "oracle"], "one of memory, sqlite, lmdb"),
    (["replay", "--stores", "memory,disk"], "memory, sqlite, lmdb"),
    (["dump", "--store", "sqlite:a", "extra"], "does not take the argument \"extra\""),
    (["scenario", "chek", "a"], "did you mean \"check\"?"),
    (["model", "check"], "needs FILE"),
    (["torture", "--store", "memory"], "one of sqlite, lmdb"),
    (["oracle", "--operations", "0"], "at least 1"),
  ])
  func `a wrong command line ends with 64 and says what is wrong`(
    arguments: [String], text: String
  ) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide(all: arguments)
      #expect(run.status == 64)
      #expect(run.output == "")
      #expect(run.errors.hasPrefix("error usage."))
      #expect(run.errors.contains(text), "\(run.errors)")
      #expect(!bolide.exists("a"))
    }
  }
}
