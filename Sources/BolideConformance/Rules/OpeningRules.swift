import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Opening stores with schemas: S-2, S-4 and the stored schema.
  static var openingRuleCases: [CaseDefinition] {
    [
      CaseDefinition(
        "opening/same-after-reopening", "A store reopened prints as before.", rules: ["S-1", "V-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        var generator = SplitMix64(seed: stage.seed)
        for _ in 0..<25 { try randomWrite(container, &generator) }
        let before = try container.dumpLines()
        let again = try stage.reopen(container)
        try checkEqual(try again.dumpLines(), before, "dump")
        try checkEqual(again.storeID, container.storeID, "store id")
        try again.importRecords([sighting(100)])
      },
      CaseDefinition(
        "opening/another-schema", "A schema that does not fit is refused, named, and changes nothing.",
        rules: ["S-2", "S11"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0, energy: 3) })
        let before = try container.dumpLines()
        try container.close()
        var typed = RuleModel.watch
        typed.entities[0].attributes[1].type = .string
        for (schema, word) in [(typed, "energy"), (RuleModel.items, "Item")] {
          let error = try checkThrows(.schemaMismatch, label: "opening with another schema") {
            _ = try PersistentContainer(schema, at: container.location, options: .suite())
          }
          let text = error.revealingDescription
          try check(text.contains(word), "the error names \(word): \(text)")
        }
        var reordered = RuleModel.watch
        reordered.entities.reverse()
        let again = stage.watch(
          try PersistentContainer(reordered, at: container.location, options: .suite()))
        try checkEqual(try again.dumpLines(), before, "dump")
      },
      CaseDefinition(
        "opening/kept-schema", "A store keeps its schema and opens without one.", needs: [.backend]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0, energy: 3) })
        try container.makeGroup("A", of: [2])
        let before = try container.dumpLines()
        try container.close()
        let again = stage.watch(try PersistentContainer(at: container.location, options: .suite()))
        try checkEqual(again.schema, RuleModel.watch, "schema")
        try checkEqual(try again.dumpLines(), before, "dump")
        try again.importRecords([sighting(3)])
        try checkThrows(.storeMissing, label: "opening where nothing is") {
          _ = try PersistentContainer(at: stage.storeLocation(stage.makeLocation()), options: .suite())
        }
      },
      CaseDefinition(
        "opening/invalid-schema", "A schema that contradicts itself is refused, and creates nothing."
      ) { stage in
        let schema = Schema(
          name: "Broken",
          entities: [
            EntityDescription(
              name: "A", attributes: [], relationships: [],
              uniquenessConstraints: [["nothing"]])
          ])
        let location = try stage.makeLocation()
        try checkThrows(.schemaInvalid, label: "opening with a broken schema") {
          _ = try stage.container(schema, at: location)
        }
        _ = try stage.container(RuleModel.items, at: location)
      },
      CaseDefinition(
        "opening/two-containers", "Two containers of one store see each other's transactions.",
        rules: ["S-3", "M-2"]
      ) { stage in
        let first = try stage.container(RuleModel.watch)
        try first.importRecords([sighting(1)])
        let second: PersistentContainer
        do {
          second = stage.watch(
            try PersistentContainer(RuleModel.watch, at: first.location, options: .suite(seed: 9)))
        } catch ErrorCode.storeBusy where !stage.provider.capabilities.sharesBetweenProcesses {
          return
        }
        try checkEqual(second.storeID, first.storeID, "store id")
        try second.importRecords([sighting(1, energy: 2), sighting(2)])
        try checkEqual(try first.numbers(), [1, 2], "objects seen by the first")
        try first.importRecords([sighting(3)])
        try checkEqual(
          try second.story(),
          [
            "1 import: insert Fireball#1", "2 import: update Fireball#1 energy, insert Fireball#2",
            "3 import: insert Fireball#3",
          ], "history seen by the second")
      },
      CaseDefinition(
        "opening/copied-while-in-use", "A copy of a store in use has its history, id and consumers.",
        rules: ["S-3", "H-5", "S3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try fillForCopies(container)
        let token = try container.currentToken()
        let context = container.newContext(author: "user")
        try context.sightings([1])[0].setValue(.string("not saved"), for: "note")
        try context.setQueryGeneration(from: .current)
        let target = stage.storeLocation(try stage.makeLocation())
        try container.copy(to: target)
        let copy = stage.watch(try PersistentContainer(RuleModel.watch, at: target, options: .suite(seed: 2)))
        try checkEqual(try copy.dumpLines(), try container.dumpLines(), "the copy")
        try checkEqual(try copy.consumer("view")?.position.number, 1, "the consumer's position in the copy")
        try copy.importRecords([sighting(9)])
        try checkEqual(try copy.story(after: .token(token)).count, 1, "what follows the token in the copy")
        _ = try context.save()
        try checkEqual(try container.story(after: .token(token)).count, 1, "what follows it in the original")
      },
      CaseDefinition(
        "opening/moved-while-in-use",
        "A moved store goes on in its new place with history, id and consumers.",
        rules: ["S-3", "H-5", "S3"], needs: [.capability("moves")]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try fillForCopies(container)
        let token = try container.currentToken()
        let lines = try container.dumpLines()
        let context = container.newContext(author: "user")
        try context.sightings([1])[0].setValue(.string("not saved"), for: "note")
        let target = stage.storeLocation(try stage.makeLocation())
        let moved = stage.watch(try container.move(to: target))
        try checkEqual(moved.storeID, container.storeID, "the store's id")
        try checkEqual(try moved.dumpLines(), lines, "the store in its new place")
        try checkEqual(try moved.consumer("view")?.position.number, 1, "the consumer's position")
        try checkThrows(.storeClosed, label: "saving in the old place") { _ = try context.save() }
        try moved.importRecords([sighting(9)])
        try checkEqual(try moved.story(after: .token(token)).count, 1, "what follows the token")
        try moved.close()
        let again = stage.watch(try PersistentContainer(RuleModel.watch, at: target, options: .suite()))
        try checkEqual(try again.numbers(), [1, 2, 3, 4], "objects after opening it again")
      },
      CaseDefinition(
        "opening/check-finds-nothing", "Whatever is done, the store's own check finds nothing wrong.",
        rules: ["R-1", "R-2", "R-3", "H-2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        var generator = SplitMix64(seed: stage.seed)
        for round in 0..<40 {
          try randomWrite(container, &generator)
          try checkEqual(try container.check(), [], "problems in round \(round), seed \(stage.seed)")
        }
      },
    ]
  }

  /// Objects, links, history and a consumer that has seen a part of it.
  private static func fillForCopies(_ container: PersistentContainer) throws {
    try container.importRecords([1, 2, 3].map { sighting($0) })
    try container.registerConsumer("view")
    try container.advanceConsumer("view", to: try container.currentToken())
    try container.makeGroup("A", of: [1, 2])
  }
}
