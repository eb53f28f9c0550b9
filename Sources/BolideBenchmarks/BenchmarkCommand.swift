import CommandKit
import Foundation

/// The command line of bolide-bench and what it does.
enum BenchmarkCommand {
  private static let jobs = CommandOption(
    "job", .list(Job.allCases.map(\.rawValue)), "NAMES", help: "Only these jobs.")
  private static let stores = CommandOption(
    "store", .list(StoreKind.allCases.map(\.rawValue)), "KINDS", help: "Only these stores.")
  private static let rows = CommandOption(
    "rows", .number(atLeast: 1), "N", help: "Records in the store; each job has its own default.")
  private static let pairs = CommandOption(
    "pairs", .number(atLeast: 1), "N", standard: "5", help: "How often each side runs, in turn.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0), "N", standard: "1", help: "The series of records.")
  private static let layer = CommandOption(
    "layer", .choice([SideName.bolide, .storage, .comparator].map(\.rawValue)), "NAME",
    standard: SideName.bolide.rawValue,
    help:
      "What is measured: all of Bolide, the storage contract alone, or C beside itself, which shows the noise."
  )
  private static let json = CommandOption("json", .flag, help: "Print one JSON array.")

  static let program = Program(
    Command(
      "bolide-bench", "Measures Bolide beside the same work in C, in turn, on the same records.",
      discussion: [
        "Both sides run in processes of their own and must end with the same content; a run in which they do not is a "
          + "failure. The ratio is our rate to the other's, the median of the pairs."
      ],
      examples: [
        "bolide-bench --job import,page --store sqlite", "bolide-bench --rows 10000 --pairs 3 --json",
      ],
      options: [jobs, stores, rows, pairs, seed, layer, json], action: run),
    version: "1",
    sections: [Program.HelpSection("jobs", Job.allCases.map { ($0.rawValue, $0.summary) })],
    describe: { error in
      Failure(.expectationFailed, code: "bench.failed", "\(error)")
    })

  @Sendable
  private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let jobNames = arguments.list(jobs) ?? Job.allCases.map(\.rawValue)
    let storeNames = arguments.list(stores) ?? StoreKind.allCases.map(\.rawValue)
    let side = arguments.text(layer).flatMap(SideName.init) ?? .bolide
    let asJSON = arguments.has(json)
    let planned = jobNames.compactMap(Job.init).filter { $0.canRun(side) }
    if planned.isEmpty {
      throw Failure(
        .usage, code: "usage.layer", "\(side.rawValue) does not do \(jobNames.joined(separator: ", "))",
        remedy: "choose another --layer")
    }
    var results: [JSONValue] = []
    if !asJSON { console.print(ResultTable.heading) }
    for job in planned {
      for store in storeNames.compactMap(StoreKind.init) {
        let comparison = try await Comparison.run(
          job, on: store, side: side,
          rows: arguments.number(rows).map { Int(clamping: $0) } ?? job.defaultRows,
          pairs: Int(clamping: arguments.number(pairs) ?? 5), seed: arguments.number(seed) ?? 1,
          console: console)
        results.append(comparison.result.json)
        if !asJSON {
          console.print(ResultTable.row(comparison))
          console.output.flush()
        }
      }
    }
    if asJSON { console.print(json: .array(results)) }
    return .success
  }
}
