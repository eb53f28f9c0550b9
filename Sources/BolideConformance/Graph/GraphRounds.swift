import Bolide
import BolideStorage

/// Random rounds of edits, saves, batch requests, merges and pins from three contexts, on stores in lockstep.
///
/// After each round every context that merged shows what a fresh one shows, derived values are what counting gives, both
/// sides of every link agree, the reports of every list lead from the list before to a fresh one, and all stores say the
/// same. What fails is shrunk.
package struct GraphRounds {
  /// Stores under one schema, by their names.
  package typealias Stores = [(name: String, container: PersistentContainer)]

  /// What a run did.
  package struct Summary: Sendable {
    package var rounds = 0
    package var steps = 0
    /// Lines that all stores agreed on.
    package var lines = 0
  }

  /// Something that must not be, with the steps that lead there.
  package struct Failure: Error, CustomStringConvertible {
    package let seed: UInt64
    package let rounds: [GraphRound]
    package let problems: [String]

    package var description: String {
      let names = ["view", "pinned", "follower"]
      let steps = rounds.enumerated().flatMap { index, round in
        ["round \(index + 1)"] + round.steps.map { "  \(names[$0.context]) \($0.action)" }
          + (round.settling.isEmpty
            ? [] : ["  settling: \(round.settling.sorted().map { names[$0] }.joined(separator: ", "))"])
      }
      return (["the graph test fails with seed \(seed):"] + problems.prefix(20).map { "  \($0)" } + steps)
        .joined(separator: "\n")
    }
  }

  /// How many rounds happen to a store: then comes an empty one.
  private static let worldLength = 50

  private let seed: UInt64
  private let shrinks: Bool
  private let withStores: (Schema, (Stores) throws -> Void) throws -> Void

  /// Plays on the stores that a closure opens, empty, hands to the closure it gets, and closes.
  ///
  /// - Parameter shrinks: whether fewer steps are looked for that show a failure, which takes many times as long.
  package init(
    seed: UInt64, shrinks: Bool = true, stores: @escaping (Schema, (Stores) throws -> Void) throws -> Void
  ) {
    self.seed = seed
    self.shrinks = shrinks
    withStores = stores
  }

  /// Plays so many rounds.
  ///
  /// - Parameter progress: called after each world with what was done.
  /// - Throws: ``Failure``, and what opening stores throws.
  package func run(rounds: Int, progress: (Summary) -> Void = { _ in }) throws -> Summary {
    var summary = Summary()
    var random = SplitMix64(seed: seed)
    while summary.rounds < rounds {
      let all = (0..<min(Self.worldLength, rounds - summary.rounds)).map { _ in
        GraphRound.random(using: &random)
      }
      let trial = try attempt(all)
      if let problems = trial.problems {
        let played = Array(all.prefix(trial.played))
        throw shrinks ? try shrunk(played) : Failure(seed: seed, rounds: played, problems: problems)
      }
      summary.rounds += all.count
      summary.steps += all.reduce(0) { $0 + $1.steps.count }
      summary.lines += trial.lines
      progress(summary)
    }
    return summary
  }

  private struct Trial {
    /// Rounds that were played, the failing one included.
    var played = 0
    var lines = 0
    var problems: [String]?
  }

  private func attempt(_ rounds: [GraphRound]) throws -> Trial {
    var trial = Trial()
    try withStores(GraphModel.schema) { stores in
      let worlds = try stores.map { ($0.name, try GraphWorld($0.container)) }
      for round in rounds where trial.problems == nil {
        trial.played += 1
        trial.problems = play(round, worlds, &trial.lines)
      }
    }
    return trial
  }

  private func play(_ round: GraphRound, _ worlds: [(name: String, world: GraphWorld)], _ lines: inout Int)
    -> [String]?
  {
    for (name, world) in worlds {
      do {
        try world.play(round)
      } catch let problem as GraphWorld.Problem {
        return problem.lines.map { "\(name): \($0)" } + world.transcript
      } catch {
        return ["\(name): unexpected error: \(error)"] + world.transcript
      }
    }
    guard let first = worlds.first else { return nil }
    for (name, world) in worlds.dropFirst() where world.transcript != first.world.transcript {
      let pairs = zip(first.world.transcript, world.transcript).filter { $0 != $1 }.prefix(4)
      return ["\(first.name) and \(name) differ"]
        + pairs.flatMap { ["\(first.name): \($0)", "\(name): \($1)"] }
    }
    lines += first.world.transcript.count
    return nil
  }

  // MARK: Shrinking

  /// The fewest rounds and steps found that still fail.
  private func shrunk(_ rounds: [GraphRound]) throws -> Failure {
    var current = try fewer(rounds)
    for place in current.indices.reversed() {
      var step = 0
      while step < current[place].steps.count {
        var candidate = current
        candidate[place].steps.remove(at: step)
        if try attempt(candidate).problems != nil { current = candidate } else { step += 1 }
      }
      for seat in current[place].settling {
        var candidate = current
        candidate[place].settling.remove(seat)
        if try attempt(candidate).problems != nil { current = candidate }
      }
    }
    current.removeAll { $0.steps.isEmpty && $0.settling.isEmpty }
    return Failure(seed: seed, rounds: current, problems: try attempt(current).problems ?? [])
  }

  /// Leaves out ever smaller runs of rounds, as long as what is left fails.
  private func fewer(_ rounds: [GraphRound]) throws -> [GraphRound] {
    var current = rounds
    var size = max(1, current.count / 2)
    while true {
      var place = 0
      while place < current.count {
        var candidate = current
        candidate.removeSubrange(place..<min(place + size, current.count))
        let trial = try attempt(candidate)
        if trial.problems != nil { current = Array(candidate.prefix(trial.played)) } else { place += size }
      }
      if size == 1 { return current }
      size /= 2
    }
  }
}
