import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Failing calls: whatever the store throws, what is stored is a whole state.
  static var faultCases: [CaseDefinition] {
    [
      CaseDefinition(
        "faults/each-call-that-fails",
        "When a call of the store fails, in whatever way, a write is whole or absent, and can be repeated.",
        rules: ["S-1", "S-2", "E-1", "S7"]
      ) { stage in
        try sweep([.importing, .save, .batchUpdate, .batchDelete, .purge], on: stage)
      },
      CaseDefinition(
        "faults/open-and-close",
        "When a call fails while a store is made, opened or closed, it can be opened, and nothing is lost.",
        rules: ["S-1", "S-2", "E-1"]
      ) { stage in
        try sweep([.making, .opening, .closing], on: stage)
      },
    ]
  }

  private static func sweep(_ operations: [FaultSweep.Operation], on stage: CaseStage) throws {
    let sweep = FaultSweep(StageBackend(stage), reopens: false) {
      Location(path: try stage.makeLocation().path)
    }
    for operation in operations {
      var points = 0
      for fault in Fault.allCases { points += try sweep.run(operation, with: fault) }
      // Closing is one call; everything else makes several.
      let least = operation == .closing ? 1 : 4
      try check(points >= least, "\(operation.rawValue) made \(points) calls only")
    }
  }
}
