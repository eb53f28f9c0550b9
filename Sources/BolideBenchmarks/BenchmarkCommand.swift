import CommandKit
import Foundation

/// The command line of bolide-bench.
enum BenchmarkCommand {
  static let jobs = CommandOption(
    "job", .list(Job.allCases.map(\.rawValue)), "NAMES", help: "Only these jobs.")
  static let stores = CommandOption(
    "store", .list(StoreKind.allCases.map(\.rawValue)), "KINDS", help: "Only these stores.")
  static let rows = CommandOption(
    "rows", .number(atLeast: 1), "N",
    help: "Records in the store; each job has its own default. The largest size of --growth, else 1000000.")
  static let pairs = CommandOption(
    "pairs", .number(atLeast: 1), "N", standard: "5", help: "How often each side runs, in turn.")
  static let seed = CommandOption(
    "seed", .number(atLeast: 0), "N", standard: "1", help: "The series of records.")
  static let layer = CommandOption(
    "layer", .choice([SideName.bolide, .storage, .comparator].map(\.rawValue)), "NAME",
    standard: SideName.bolide.rawValue,
    help:
      "What is measured: all of Bolide, the storage contract alone, or C beside itself, which shows the noise."
  )
  static let alone = CommandOption("alone", .flag, help: "Leave the other side out.")
  static let json = CommandOption("json", .flag, help: "Print one JSON array.")
  static let instructions = CommandOption(
    "instructions", .flag,
    help: "Count instructions with valgrind instead of time, with N and with 3 N records.")
  static let growth = CommandOption(
    "growth", .flag, help: "Measure at sizes from --from up to --rows and print what one costs at each.")
  static let from = CommandOption(
    "from", .number(atLeast: 1), "N", standard: "10000", help: "The smallest size of --growth.")
  static let plot = CommandOption(
    "plot", .text, "FILE", help: "Write what --growth finds as an SVG picture, too.")

  static let program = Program(
    Command(
      "bolide-bench", "Measures Bolide beside the same work in C, in turn, on the same records.",
      discussion: [
        "Both sides run in processes of their own and must end with the same content; a run in which they do not is a "
          + "failure. The ratio is our rate to the other's, the median of the pairs; cpu is the same by processor "
          + "time."
      ],
      examples: [
        "bolide-bench --job import,page --store sqlite", "bolide-bench --rows 10000 --pairs 3 --json",
        "bolide-bench --job import --instructions --rows 1000",
        "bolide-bench --growth --job import,key --pairs 1 --plot growth.svg",
      ],
      options: [
        jobs, stores, rows, pairs, seed, layer, alone, json, instructions, growth, from, plot,
      ], action: { try await BenchmarkRun($0, $1).run() }),
    version: "1",
    sections: [Program.HelpSection("jobs", Job.allCases.map { ($0.rawValue, $0.summary) })],
    describe: { error in
      Failure(.expectationFailed, code: "bench.failed", "\(error)")
    })
}
