import Bolide
import BolideMemory
import BolideStorage

extension Conformance {
  /// Whatever three contexts do to one graph.
  static var graphCases: [CaseDefinition] {
    [
      CaseDefinition(
        "graph/random-rounds",
        "Random edits, saves, batches, merges and pins from three contexts end as a fresh context sees them.",
        rules: ["M-1", "M-2", "M-3", "G-1", "G-2", "R-1", "R-2", "R-3", "U-10", "F-1", "R3"]
      ) { stage in
        let rounds = GraphRounds(seed: stage.seed, shrinks: false) { schema, body in
          let memory = try PersistentContainer(
            schema, at: StoreLocation(MemoryBackend(), Location(path: "graph")), options: .suite())
          try body([("memory", memory), (stage.provider.name, try stage.container(schema))])
        }
        _ = try rounds.run(rounds: 50)
      }
    ]
  }
}
