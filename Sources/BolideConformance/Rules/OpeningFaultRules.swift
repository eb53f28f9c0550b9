import Bolide
import BolideStorage

extension Conformance {
  /// Failing calls while a store is made, opened and closed.
  static var openingFaultCases: [CaseDefinition] {
    [
      CaseDefinition(
        "faults/open-and-close",
        "When a call fails while a store is made, opened or closed, it can be opened, and nothing is lost.",
        rules: ["S-1", "S-2", "E-1"]
      ) { stage in
        let breaker = CallBreaker()
        let wrapped = ForwardingBackend(StageBackend(stage), StoreWrapping(observer: breaker))
        let place = Location(path: try stage.makeLocation().path)
        let broken = StoreLocation(wrapped, place)
        let right = StoreLocation(StageBackend(stage), place)

        func points(
          _ label: String, _ body: () throws -> Void, _ inspect: () throws -> Void
        ) throws -> Int {
          for count in 0..<1_000 {
            breaker.arm(after: count)
            var failed = false
            do {
              try body()
            } catch let error as BolideError {
              failed = true
              try checkEqual(error.code, .storeIO, "\(label), call \(count): the error")
            }
            let call = breaker.disarm()
            try inspect()
            // A failed call need not be told where nothing depends on it.
            if !failed, call == nil { return count }
          }
          throw ConformanceFailure("\(label) never ends")
        }

        func open(_ location: StoreLocation) throws -> PersistentContainer {
          try PersistentContainer(RuleModel.watch, at: location, options: .suite())
        }

        let made = try points("making", { try open(broken).close() }) {
          let container = try open(right)
          try checkEqual(try container.currentToken().number, 0, "transactions of a new store")
          try container.close()
        }
        let container = try open(right)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2])
        let dump = try container.dumpLines()
        try container.close()
        let opened = try points(
          "opening and closing",
          {
            let container = try open(broken)
            _ = try container.numbers()
            try container.close()
          }
        ) {
          let container = try open(right)
          try checkEqual(try container.dumpLines(), dump, "the store")
          try checkEqual(try container.check(), [], "problems")
          try container.close()
        }
        try check(made > 3 && opened > 3, "\(made) and \(opened) calls were made only")
      }
    ]
  }
}
