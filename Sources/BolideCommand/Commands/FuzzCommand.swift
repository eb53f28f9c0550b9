import Bolide
import BolideConformance
import BolideStorage
import CommandKit
import Foundation

/// `bolide fuzz`: random work on all stores, compared with a plain evaluation.
enum FuzzCommand {
  private static let requests = CommandOption(
    "requests", .number(atLeast: 1), "N", help: "How many requests to ask; else 2000.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0, atMost: .max), "N",
    help: "Where the random choices begin; else a new seed, which is shown."
  )

  static let command = Command(
    "fuzz", "Have all stores do random work and compare what they give.",
    subcommands: [
      Command(
        "queries", "Random fetches: all stores against the reference evaluator.",
        examples: ["bolide fuzz queries --requests 200000 --seed 1"], options: [requests, seed, .json],
        action: run),
      graph,
    ])

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let seed = arguments.number(seed) ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let count = arguments.count(requests) ?? 2000
    return try await TemporaryFolder.with(prefix: "bolide-fuzz", console.interruption) { folder in
      let fuzzer = QueryFuzzer(seed: seed) { schema, body in
        try withStores(schema, of: StoreKind.allCases, in: folder.url, body)
      }
      do {
        let summary = try fuzzer.run(requests: count) { summary in
          console.progress.show("\(summary.requests)/\(count) requests")
        }
        report(summary, seed: seed, arguments, console)
        return .success
      } catch let difference as QueryFuzzer.Difference {
        if arguments.has(.json) {
          console.print(json: [
            "seed": .string("\(seed)"), "requests": .integer(difference.requestIndex), "differences": 1,
            "store": .string(difference.store), "request": .string(difference.request),
            "expected": .array(difference.expected.map { .string($0) }),
            "seen": .array(difference.seen.map { .string($0) }), "scenario": .string(difference.scenario),
          ])
        } else {
          console.print(difference.description)
          console.print(difference.scenario)
          console.print("1 difference after \(difference.requestIndex) requests, seed \(seed)")
        }
        return .expectationFailed
      }
    }
  }

  /// Opens a store of each kind in a folder of their own, for as long as a closure works with them.
  static func withStores(
    _ schema: Schema, of kinds: [StoreKind], in folder: URL, _ body: (QueryFuzzer.Stores) throws -> Void
  ) throws {
    let folder = folder.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    var stores: QueryFuzzer.Stores = []
    defer { for store in stores { try? store.container.close() } }
    for kind in kinds {
      let path = folder.appending(path: kind.rawValue, directoryHint: .notDirectory).path
      let location = StoreLocation(kind.backend, Location(path: path))
      stores.append((kind.rawValue, try PersistentContainer(schema, at: location)))
    }
    try body(stores)
  }

  private static func report(
    _ summary: QueryFuzzer.Summary, seed: UInt64, _ arguments: Arguments, _ console: Console
  ) {
    if arguments.has(.json) {
      console.print(json: [
        "seed": .string("\(seed)"), "requests": .integer(summary.requests), "lines": .integer(summary.lines),
        "overflows": .integer(summary.overflows), "batches": .integer(summary.batches),
        "overEdits": .integer(summary.overEdits),
        "differences": 0,
      ])
    } else {
      console.print(
        "\(summary.requests) requests  \(summary.lines) lines  \(summary.batches) batches  "
          + "\(summary.overEdits) over edits  "
          + "\(summary.overflows) overflows  0 differences  seed \(seed)")
    }
  }
}
