import Bolide
import BolideConformance
import BolideScenario
import BolideStorage
import CommandKit
import Foundation

/// `bolide torture`: what other processes, the end of one, and failing calls do to a store.
enum TortureCommand {
  private static let kind = CommandOption(
    "store", .choice(["sqlite", "lmdb"]), "sqlite|lmdb", isRequired: true, help: "The kind of store.")
  private static let kills = CommandOption(
    "kills", .number(atLeast: 1), "N", standard: "100", help: "How often a writer is killed.")
  private static let crowd = CommandOption(
    "crowd", .number(atLeast: 1), "N",
    help: "Kill nobody: four processes write N transactions each, two follow, and nothing may be missed.")
  private static let purges = CommandOption(
    "purges", .number(atLeast: 500), "N",
    help:
      "Kill nobody: write N transactions while consumers lag and history is purged; space must stay bounded.")
  private static let migrations = CommandOption(
    "migrations", .number(atLeast: 1), "N",
    help: "Kill N processes while they migrate a store, which must be the old or the new one then, whole.")
  private static let faults = CommandOption(
    "faults", .flag,
    help: "Kill nobody: make each call of each operation fail, one at a time and in each way.")
  private static let large = CommandOption(
    "large", .number(atLeast: 1), "N",
    help:
      "Kill nobody: insert, update and delete N objects with links by one request each, in bounded memory.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0, atMost: .max), "N",
    help: "The seed of what is random; another one each time unless given.")

  static let command = Command(
    "torture",
    "Kill processes that write a store at random instants, and check that nothing acknowledged is lost.",
    discussion: [
      "A process of its own writes transactions and says each when it is committed. It is killed (SIGKILL) while it"
        + " opens, writes, purges or closes, now and then with a disk that is full. Then the store is opened and"
        + " compared with a model: no transaction that was acknowledged may be missing, none may be there in part,"
        + " and history must match the data.",
      "Disks are full for real where the system lets the program mount a small file system (as root), and by a limit"
        + " of the size of files; the last line says how often each.",
    ],
    examples: [
      "bolide torture --store sqlite --kills 1000", "bolide torture --store lmdb --crowd 5000",
      "bolide torture --store sqlite --purges 100000", "bolide torture --store lmdb --migrations 200",
      "bolide torture --store lmdb --faults", "bolide torture --store lmdb --large 300000",
    ],
    options: [kind, kills, crowd, purges, migrations, large, faults, seed, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    guard let kind = arguments.text(kind).flatMap(StoreKind.init) else { return .usage }
    if let part = console.environment[WorkerProcess.variable].flatMap(TorturePart.init) {
      try await part.play(kind)
      return .success
    }
    guard let executable = Bundle.main.executableURL else {
      throw Failure(.bug, code: "torture.executable", "the program does not know where it is")
    }
    return try await TemporaryFolder.with(prefix: "bolide-torture", console.interruption) { folder in
      let run = TortureRun(
        kind: kind, executable: executable, folder: folder.url, arguments: arguments, console: console)
      if let transactions = arguments.count(crowd) { return try run.crowd(transactions) }
      if let transactions = arguments.count(purges) { return try run.purges(transactions) }
      if let rows = arguments.count(large) { return try run.large(rows) }
      if arguments.has(faults) { return try run.faults() }
      let seed = arguments.number(seed) ?? UInt64.random(in: 0 ... .max)
      if let kills = arguments.count(migrations) { return try run.migrations(kills, seed: seed) }
      return try run.kills(arguments.count(kills) ?? 0, seed: seed)
    }
  }
}
