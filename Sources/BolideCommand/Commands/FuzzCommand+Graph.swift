import Bolide
import BolideConformance
import CommandKit
import Foundation

/// `bolide fuzz graph`: random rounds from three contexts on each store, which must all say the same.
extension FuzzCommand {
  private static let rounds = CommandOption(
    "rounds", .number(atLeast: 1), "N", standard: "1000", help: "How many rounds to play.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0), "N", help: "Where the random choices begin; else a new seed, which is shown."
  )

  static let graph = Command(
    "graph", "Random edits, saves, batches, merges and pins from three contexts.",
    discussion: [
      "After each round every context that merged must show what a fresh one does, derived values must be what"
        + " counting gives, both sides of every link must agree, the reports of lists must lead from the list"
        + " before to a fresh one, and all stores must say the same. What fails is shrunk and printed."
    ],
    examples: ["bolide fuzz graph --rounds 1000 --seed 1"], options: [rounds, .stores, seed, .json],
    action: play)

  @Sendable private static func play(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    let seed = arguments.number(seed) ?? UInt64.random(in: 0...UInt64(UInt32.max))
    let count = Int(clamping: arguments.number(rounds) ?? 0)
    let kinds = (arguments.list(.stores) ?? StoreKind.words).compactMap(StoreKind.init)
    return try await TemporaryFolder.with(prefix: "bolide-fuzz", console.interruption) { folder in
      let begin = ContinuousClock.now
      let game = GraphRounds(seed: seed) { schema, body in
        try withStores(schema, of: kinds, in: folder.url, body)
      }
      var summary: GraphRounds.Summary?
      var failure: GraphRounds.Failure?
      do {
        summary = try game.run(rounds: count) { console.progress.show("\($0.rounds)/\(count) rounds") }
      } catch let found as GraphRounds.Failure {
        failure = found
        console.print(found.description)
      }
      let differences = failure == nil ? 0 : 1
      let stores = kinds.map(\.rawValue).joined(separator: ",")
      if arguments.has(.json) {
        console.print(json: [
          "seed": .string("\(seed)"), "rounds": .integer(summary?.rounds ?? 0),
          "steps": .integer(summary?.steps ?? 0),
          "lines": .integer(summary?.lines ?? 0), "stores": .string(stores),
          "differences": .integer(differences),
        ])
      } else {
        let seconds = String(format: "%.1f", begin.duration(to: .now) / .seconds(1))
        console.print(
          "\(summary?.rounds ?? 0) rounds, \(summary?.steps ?? 0) steps, \(summary?.lines ?? 0) lines, on \(stores), "
            + "\(differences) differences; seed \(seed), \(seconds) s")
      }
      return differences == 0 ? .success : .expectationFailed
    }
  }
}
