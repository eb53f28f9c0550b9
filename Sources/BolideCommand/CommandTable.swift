import CommandKit

/// The commands of `bolide`, in the order in which a newcomer needs them.
enum CommandTable {
  static let program = Program(
    Command(
      "bolide",
      "Keep objects in memory, SQLite or LMDB stores that behave the same, and prove that they do.",
      subcommands: [
        ReplayCommand.command, ConformCommand.command, ImportCommand.command, FetchCommand.command,
        HistoryCommand.command, InspectCommand.command, CheckCommand.command, DumpCommand.command,
        ScenarioCommands.command, ModelCommands.command, FuzzCommand.command, OracleCommand.command,
        TortureCommand.command,
      ]),
    version: Entry.version,
    sections: [
      Program.HelpSection(
        "stores",
        [
          ("memory:", "in memory; empty at the start and gone at the end"),
          ("sqlite:PATH", "an SQLite file"),
          ("lmdb:PATH", "an LMDB folder"),
        ]),
      Program.HelpSection(
        "environment",
        [
          ("BOLIDE_STORE", "the store of commands that take --store LOCATION"),
          ("BOLIDE_FEEDS", "the folder of feed captures that scenarios may require"),
          ("BOLIDE_SCENARIOS", "what replay runs when no PATH is given; else the folder Scenarios"),
          ("NO_COLOR", "no color, whatever the terminal can show"),
        ]),
      Program.exitCodes,
    ],
    describe: ErrorDescription.failure)
}
