import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules U-1 and U-2.
  static var identityCases: [CaseDefinition] {
    [
      CaseDefinition(
        "identity/numbers-in-input-order", "Numbers go in input order, from 1, to objects really inserted.",
        rules: ["U-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let first = try container.importRecords([3, 1, 2].map { sighting($0) })
        try checkEqual(first.inserted.map(\.number), [1, 2, 3], "numbers of a batch")
        let mixed = try container.importRecords([4, 1, 5, 3, 6].map { sighting($0) })
        try checkEqual(mixed.inserted.map(\.number), [4, 5, 6], "numbers where some records were known")
        let context = container.newContext()
        let objects = try [9, 8, 7].map { time in
          let object = try context.insert("Fireball", "time", date(time))
          return object
        }
        let group = try context.insert("Group")
        try check(objects.allSatisfy(\.objectID.isTemporary), "ids before the save are temporary")
        try context.save()
        try checkEqual(objects.map(\.objectID.number), [7, 8, 9], "numbers of saved objects")
        try checkEqual(group.objectID.number, 1, "each entity counts for itself")
        let store = container.storeID.uuidString.lowercased()
        try checkEqual(objects[0].objectID.uri, "bolide://\(store)/Fireball/7", "URI")
        try checkEqual(
          ManagedObjectID(uri: objects[0].objectID.uri), objects[0].objectID, "the id of the URI")
        try checkEqual(
          try container.values("Fireball", "time").map { $0[0] }, [3, 1, 2, 4, 5, 6, 9, 8, 7].map(date),
          "times")
      },
      CaseDefinition(
        "identity/numbers-never-reused",
        "A number is never given out twice: after deletes, reopening, purges.",
        rules: ["U-1", "M5"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        let context = container.newContext()
        let all = try context.fetch(FetchRequest<ManagedObject>(entity: "Fireball"))
        _ = try context.execute(BatchDeleteRequest(ids: all.suffix(2).map(\.objectID)))
        try checkEqual(
          try container.importRecords([2, 3].map { sighting($0) }).inserted.map(\.number), [4, 5],
          "numbers after a delete")
        _ = try container.newContext().execute(BatchDeleteRequest(entity: "Fireball"))
        try container.purgeHistory(before: .number(100))
        let again = try stage.reopen(container)
        try checkEqual(
          try again.importRecords([1].map { sighting($0) }).inserted.map(\.number), [6],
          "number after deleting all, a purge and reopening")
      },
      CaseDefinition(
        "identity/failed-saves-take-no-number", "What is refused takes no number.", rules: ["U-1", "U-3"]
      ) {
        stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1)])
        try checkThrows(.conflictUnique, label: "inserting a known key with the policy error") {
          try container.importRecords([sighting(2), sighting(1)], policy: .error)
        }
        try checkEqual(
          try container.importRecords([sighting(3)]).inserted.map(\.number), [2], "the next number")
        try checkEqual(try container.currentToken().number, 2, "the newest transaction")
      },
      CaseDefinition(
        "identity/nil-never-conflicts", "A nil in any part of a constraint never conflicts.",
        rules: ["U-2", "D5"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let context = container.newContext()
        for _ in 0..<2 { _ = try context.insert("Station") }
        try context.save()
        try container.importRecords("Station", [["code": .null, "height": .double(1)]])
        try checkEqual(try container.numbers("Station").count, 3, "stations without a code")
        let half: [[String: Value]] = [["net": .string("us")], ["net": .string("us"), "code": .null]]
        try checkEqual(try container.importRecords("Quake", half + half).inserted.count, 4, "half keys")
      },
      CaseDefinition(
        "identity/every-part-is-compared", "A constraint of several attributes compares each of them.",
        rules: ["U-2", "D7"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let keys = [("us", "100"), ("ci", "100"), ("us", "101"), ("ci", "100")]
        let records = keys.enumerated().map { index, key in
          ["net": Value.string(key.0), "code": .string(key.1), "magnitude": .double(Double(index))]
        }
        let result = try container.importRecords("Quake", records)
        try checkEqual(result.inserted.count, 3, "inserted")
        try checkEqual(
          try container.values("Quake", "magnitude").map { $0[0] }, [0, 3, 2].map(Value.double), "magnitudes")
      },
    ]
  }
}
