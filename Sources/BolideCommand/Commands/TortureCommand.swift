import Bolide
import BolideScenario
import BolideStorage
import CommandKit
import Foundation

/// `bolide torture`: what other processes, and the end of one, do to a store.
enum TortureCommand {
  private static let kind = CommandOption(
    "store", .choice(["sqlite", "lmdb"]), "sqlite|lmdb", isRequired: true, help: "The kind of store.")
  private static let kills = CommandOption(
    "kills", .number(atLeast: 1), "N", standard: "100", help: "How often a writer is killed.")
  private static let crowd = CommandOption(
    "crowd", .number(atLeast: 1), "N",
    help: "Kill nobody: four processes write N transactions each, two follow, and nothing may be missed.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0), "N", help: "The seed of what is random; another one each time unless given.")

  static let command = Command(
    "torture",
    "Kill processes that write a store at random instants, and check that nothing acknowledged is lost.",
    discussion: [
      "A process of its own writes transactions and says each when it is committed. It is killed (SIGKILL) while it"
        + " opens, writes, purges or closes, now and then with a disk that is full. Then the store is opened and compared with a model: no transaction that"
        + " was acknowledged may be missing, none may be there in part, and history must match the data."
    ],
    examples: ["bolide torture --store sqlite --kills 1000", "bolide torture --store lmdb --crowd 5000"],
    options: [kind, kills, crowd, seed, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    guard let kind = arguments.text(kind).flatMap(StoreKind.init) else { return .usage }
    if let part = console.environment[WorkerProcess.variable].flatMap(Part.init) {
      try await part.play(kind)
      return .success
    }
    guard let executable = Bundle.main.executableURL else {
      throw Failure(.bug, code: "torture.executable", "the program does not know where it is")
    }
    let seed = arguments.number(seed) ?? UInt64.random(in: 0 ... .max)
    return try await TemporaryFolder.with(prefix: "bolide-torture", console.interruption) { folder in
      let path = folder.url.appending(path: "store").path
      let words = ["torture", "--store", kind.rawValue]
      if let transactions = arguments.number(crowd) {
        let start = { part in
          try WorkerProcess(executable, words, part: Part(role: .init(part), path: path).text)
        }
        return try crowd(kind, Int(transactions), path, arguments, console, start: start)
      }
      let count = Int(arguments.number(kills) ?? 0)
      let location = StoreLocation(kind.backend, Location(path: path))
      var torture = Torture(at: location, seed: seed) { fillsDisk in
        let part = Part(role: .kill(seed: seed, fillsDisk: fillsDisk), path: path)
        return try WorkerProcess(executable, words, part: part.text)
      }
      let begin = ContinuousClock.now
      let figures = try torture.run(kills: count) { console.progress.show("\($0)/\(count) kills") }
      return end(
        figures.differences, arguments, console,
        "\(figures.text); seed \(seed), \(seconds(since: begin)) s",
        [
          "store": .string(kind.rawValue), "kills": .integer(figures.kills),
          "fullDisks": .integer(figures.refusals),
          "acknowledged": .integer(Int(figures.acknowledged)), "unspoken": .integer(Int(figures.unspoken)),
          "checks": .integer(figures.checks), "differences": .integer(figures.differences.count),
          "seed": .string(String(seed)),
        ])
    }
  }

  private static func crowd(
    _ kind: StoreKind, _ transactions: Int, _ path: String, _ arguments: Arguments, _ console: Console,
    start: (Crowd.Part) throws -> WorkerProcess
  ) throws -> ExitCode {
    let begin = ContinuousClock.now
    let figures = try Crowd.run(
      writers: 4, followers: 2, transactions: transactions,
      at: StoreLocation(kind.backend, Location(path: path)), start: start)
    let longest = String(format: "%.1f", figures.longestRead)
    return end(
      figures.differences, arguments, console,
      "4 writers, 2 followers, \(figures.transactions) transactions, \(figures.reads) reads, "
        + "longest \(longest) ms, \(figures.differences.count) differences; \(seconds(since: begin)) s",
      [
        "store": .string(kind.rawValue), "transactions": .integer(figures.transactions),
        "reads": .integer(figures.reads), "longestReadMilliseconds": .double(figures.longestRead),
        "differences": .integer(figures.differences.count),
      ])
  }

  private static func end(
    _ differences: [String], _ arguments: Arguments, _ console: Console, _ text: String,
    _ json: JSONValue
  ) -> ExitCode {
    for difference in differences { console.note(PrintableText(difference).description + "\n") }
    if arguments.has(.json) { console.print(json: json) } else { console.print(text) }
    return differences.isEmpty ? .success : .expectationFailed
  }

  private static func seconds(since begin: ContinuousClock.Instant) -> String {
    String(format: "%.1f", begin.duration(to: .now) / .seconds(1))
  }
}

/// What a process that the command starts of itself has to do, as text in its environment.
private struct Part {
  enum Role {
    case kill(seed: UInt64, fillsDisk: Bool)
    case write(Int, transactions: Int)
    case follow(Int, transactions: Int)

    init(_ part: Crowd.Part) {
      self =
        switch part {
        case .writer(let writer, let transactions): .write(writer, transactions: transactions)
        case .follower(let follower, let transactions): .follow(follower, transactions: transactions)
        }
    }
  }

  var role: Role
  var path: String

  init(role: Role, path: String) {
    self.role = role
    self.path = path
  }

  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count == 4, let first = UInt64(words[1]), let second = Int(words[2]) else { return nil }
    path = words[3]
    switch words[0] {
    case "kill": role = .kill(seed: first, fillsDisk: second != 0)
    case "write": role = .write(Int(clamping: first), transactions: second)
    case "follow": role = .follow(Int(clamping: first), transactions: second)
    default: return nil
    }
  }

  var text: String {
    switch role {
    case .kill(let seed, let fillsDisk): "kill \(seed) \(fillsDisk ? 1 : 0) \(path)"
    case .write(let writer, let transactions): "write \(writer) \(transactions) \(path)"
    case .follow(let follower, let transactions): "follow \(follower) \(transactions) \(path)"
    }
  }

  func play(_ kind: StoreKind) async throws {
    let location = StoreLocation(kind.backend, Location(path: path))
    switch role {
    case .kill(let seed, let fillsDisk): try Torture.write(to: location, seed: seed, fillsDisk: fillsDisk)
    case .write(let writer, let transactions):
      try await Crowd.play(.writer(writer, transactions: transactions), at: location)
    case .follow(let follower, let transactions):
      try await Crowd.play(.follower(follower, transactions: transactions), at: location)
    }
  }
}
