import Bolide
import BolideStorage
import Dispatch
import Synchronization

extension Conformance {
  /// Objects and imports that meet by key while none of them knows of the other (rule U-3).
  static var meetingCases: [CaseDefinition] {
    [
      CaseDefinition(
        "upsert/pending-object-meets-import",
        "An unsaved object whose key was imported meanwhile becomes the stored one, attribute by attribute.",
        rules: ["U-3", "D12"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let view = container.newContext(author: "view")
        let pending = try view.insert("Fireball", "time", date(1))
        try pending.setValue(.string("mine"), for: "note")
        try container.importRecords([sighting(1, energy: 5)])
        view.mergePolicy = .objectTrump
        let result = try view.save()
        try checkEqual([result.inserted, result.updated], [0, 1], "counts")
        try checkEqual(pending.objectID.description, "Fireball#1", "the permanent id")
        try checkEqual(
          try container.values("Fireball", "time", "energy", "note"),
          [[date(1), .double(5), .string("mine")]], "rows")
        try checkEqual(try pending.value("energy"), .double(5), "what the view shows")
      },
      CaseDefinition(
        "upsert/imports-race", "Imports of the same keys at once leave each key once.",
        rules: ["U-3", "S-3", "D17"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        for round in 1...5 {
          let failures = Mutex<[String]>([])
          DispatchQueue.concurrentPerform(iterations: 4) { place in
            do {
              try container.importRecords(
                (1...500).map { sighting(Double($0), energy: Double(round * 10 + place)) },
                author: "import \(place)")
            } catch {
              failures.withLock { $0.append("\(error)") }
            }
          }
          try checkEqual(failures.withLock { $0 }, [], "failures in round \(round)")
          try checkEqual(try container.numbers(), Array(1...500), "objects after round \(round)")
          let energies = Set(try container.values("Fireball", "energy"))
          try checkEqual(energies.count, 1, "the last import is there whole after round \(round)")
        }
      },
    ]
  }
}
