import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Failing calls: whatever the store throws, what is stored is a whole state.
  static var faultCases: [CaseDefinition] {
    [
      CaseDefinition(
        "faults/each-call-that-fails",
        "When a call of the store fails, a write is whole or absent, and can be repeated.",
        rules: ["S-1", "S-2", "E-1"]
      ) { stage in
        let breaker = CallBreaker()
        let backend = ForwardingBackend(StageBackend(stage), StoreWrapping(observer: breaker))
        let location = StoreLocation(backend, Location(path: try stage.makeLocation().path))
        let container = stage.watch(
          try PersistentContainer(RuleModel.watch, at: location, options: .suite()))
        try container.importRecords([1, 2, 3].map { sighting($0) })
        for (step, write) in faultSteps.enumerated() {
          var broken = 0
          while try fails(write, on: container, afterCalls: broken, breaker, "step \(step), call \(broken)") {
            broken += 1
            try check(broken < 2_000, "step \(step) never ends")
          }
          try check(broken > 3, "step \(step) made \(broken) calls only")
        }
        try checkEqual(try container.numbers("Group"), [1], "groups, whose numbers a failure gives back")
      }
    ]
  }

  /// Runs a write of which one call fails; returns whether it did, after checking that nothing is left of it.
  private static func fails(
    _ write: (PersistentContainer) throws -> Void, on container: PersistentContainer, afterCalls count: Int,
    _ breaker: CallBreaker, _ label: String
  ) throws -> Bool {
    let before = try container.dumpLines()
    breaker.arm(after: count)
    do {
      try write(container)
      // What fails after the commit is no failure of the write.
      let call = breaker.disarm()
      try check(
        try container.dumpLines() != before, "\(label): a failed \(call?.rawValue ?? "call") lost a write")
      try checkEqual(try container.check(), [], "\(label): problems after the write")
      return false
    } catch let error as BolideError {
      let call = try checkPresent(breaker.disarm(), "\(label): the call behind the error \(error)")
      try checkEqual(error.code, .storeIO, "\(label): the error of \(call)")
      try checkEqual(try container.dumpLines(), before, "\(label): what a failed \(call) left")
      try checkEqual(try container.check(), [], "\(label): problems after a failed \(call)")
      return true
    }
  }

  /// Writes of every kind; each can be repeated after a failure.
  private static var faultSteps: [@Sendable (PersistentContainer) throws -> Void] {
    [
      { try $0.importRecords([3, 4].map { sighting($0, energy: 1) }) },
      { try $0.makeGroup("A", of: [1, 2, 3]) },
      { container in
        let context = container.newContext(author: "user")
        try context.group("A").replaceObjects(try context.sightings([2, 4]), for: "fireballs")
        context.delete(try context.sightings([1])[0])
        try context.save()
      },
      { container in
        _ = try container.newContext(author: "user").execute(
          BatchUpdateRequest(entity: "Fireball", values: ["note": .string("n")]))
      },
      { container in
        let context = container.newContext(author: "user")
        _ = try context.execute(BatchDeleteRequest(ids: try context.sightings([2]).map(\.objectID)))
      },
      { try $0.purgeHistory(before: .token(try $0.currentToken())) },
    ]
  }
}
