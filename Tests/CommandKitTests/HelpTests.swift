import CommandKit
import Testing

@Suite struct HelpTests {
  @Test func `the program's help lists commands and exit codes`() async {
    let run = await Fixture.run("--help")
    #expect(run.code == .success)
    #expect(run.errors == "")
    #expect(
      run.output == """
        Shows how a table becomes a program.

        usage: demo COMMAND [ARGUMENT...]

        commands:
          import  Reads feeds into a store.
          replay  Runs scenarios.
          fail    Meets an error.
          refuse  Meets an error it knows.
          model   Reads models.
          help    Show the help text of a command, as --help does.

        options:
          -h, --help  Show this text.
          --version   Show the version.

        exit codes:
          0    everything went as expected
          1    an expectation failed, or nothing ran
          2    a scenario, predicate, model or feed does not parse
          3    a file is missing, or a store reported an error
          64   the command line is wrong
          70   a fault of the program itself
          130  interrupted (Ctrl-C)

        """)
  }

  @Test func `a command's help shows its row of the table`() async {
    let run = await Fixture.run("import", "--help")
    #expect(
      run.output == """
        Reads feeds into a store.

        usage: demo import FEED SOURCE... --store LOCATION [--json]

        arguments:
          FEED       The kind of feed. One of: jpl, usgs, usgs-csv.
          SOURCE...  A file.

        options:
          --store LOCATION  Where the store is. (from DEMO_STORE when not given)
          --json            Print JSON Lines.
          -h, --help        Show this text.

        examples:
          demo import jpl day.json --store memory:

        """)
  }

  @Test func `help is reached in several ways and needs nothing else to be right`() async {
    let text = await Fixture.run("import", "--help").output
    #expect(await Fixture.run("import", "-h").output == text)
    #expect(await Fixture.run("help", "import").output == text)
    #expect(await Fixture.run("import", "--nonsense", "--help").output == text)
    #expect(await Fixture.run("model", "--help").output.contains("usage: demo model COMMAND"))
    #expect(await Fixture.run("help", "model", "check").output.contains("usage: demo model check FILE"))
    #expect(await Fixture.run("help").output == Fixture.run("-h").output)
  }

  @Test func `version is one line`() async {
    #expect(await Fixture.run("--version").output == "demo 1.2.3\n")
  }

  @Test func `no line is longer than the terminal is wide`() async {
    let narrow = TerminalTraits(isTerminal: false, usesColor: false, width: 50)
    for words in [["--help"], ["import", "--help"], ["replay", "--help"]] {
      let console = Console(
        output: OutputChannel(capturing: narrow), errors: OutputChannel(capturing: narrow), environment: [:])
      _ = await Fixture.program.run(words, on: console)
      for line in console.output.captured.split(separator: "\n") where !line.hasPrefix("  demo") {
        #expect(line.count <= 50, "\(line)")
      }
    }
  }
}
