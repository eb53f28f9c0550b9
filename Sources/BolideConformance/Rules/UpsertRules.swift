import Bolide
import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Rules U-3 to U-6 and U-8.
  static var upsertCases: [CaseDefinition] {
    [
      CaseDefinition(
        "upsert/object-trump-keeps-identity",
        "The stored object keeps its id, links and what the input lacks.",
        rules: ["U-3", "D9", "D10"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1, energy: 1, place: "sea"), sighting(2)])
        try container.makeGroup("A", of: [1])
        try container.makeGroup("B", of: [1, 2])
        let context = container.newContext(author: "user")
        let stored = try context.sightings([1])[0]
        try stored.setValue(.bool(true), for: "isFavorite")
        try stored.setValue(.string("seen"), for: "note")
        try context.save()
        let before = try container.currentToken()
        let forms: [() throws -> BatchInsertResult] = [
          { try container.importRecords([sighting(1, energy: 5)]) },
          {
            var isDone = false
            return try container.newContext(author: "import").execute(
              BatchInsertRequest(entity: "Fireball") { row in
                if isDone { return true }
                isDone = true
                try row.set("time", date(1))
                try row.set("energy", .double(6))
                return false
              })
          },
        ]
        for (form, energy) in zip(forms, [5.0, 6]) {
          let result = try form()
          try checkEqual(
            [result.inserted.count, result.updated.count, result.unchanged.count], [0, 1, 0], "counts")
          let fresh = container.newContext()
          let object = try fresh.sightings([1])[0]
          try checkEqual(object.objectID, stored.objectID, "id")
          try checkEqual(
            try ["energy", "place", "isFavorite", "note"].map { try object.value($0) },
            [.double(energy), .string("sea"), .bool(true), .string("seen")], "values")
          try checkEqual(try object.objects("groups").map(\.objectID.number), [1, 2], "groups")
        }
        try checkEqual(
          try container.story(after: .token(before)),
          ["5 import: update Fireball#1 energy", "6 import: update Fireball#1 energy"], "history")
        try checkEqual(try container.values("Group", "size"), [[.int(1)], [.int(2)]], "counts")
      },
      CaseDefinition(
        "upsert/explicit-nil-clears", "An explicit nil clears; what is absent stays or goes to its default.",
        rules: ["U-3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        func stored() throws -> [Value] {
          try container.values("Fireball", "energy", "place", "isFavorite").at(0)
        }
        try container.importRecords([
          sighting(1, energy: 1, place: "sea").merging(["isFavorite": .bool(true)]) { $1 }
        ])
        try container.importRecords([sighting(1).merging(["energy": .null]) { $1 }])
        try checkEqual(try stored(), [.null, .string("sea"), .bool(true)], "after an explicit nil")
        try container.importRecords([sighting(1, energy: 2)], absent: .default)
        try checkEqual(try stored(), [.double(2), .null, .bool(false)], "absent as default")
      },
      CaseDefinition(
        "upsert/policies", "Store trump, overwrite, rollback and error do what they say.", rules: ["U-3"]
      ) {
        stage in
        let container = try stage.container(RuleModel.watch)
        let original = sighting(1, energy: 1, place: "sea")
        try container.importRecords([original])
        func stored() throws -> [[Value]] { try container.values("Fireball", "energy", "place") }
        for policy in [MergePolicy.storeTrump, .rollback] {
          let result = try container.importRecords([sighting(1, energy: 9), sighting(1)], policy: policy)
          try checkEqual([result.inserted.count, result.updated.count], [0, 0], "counts of \(policy)")
          try checkEqual(try stored(), [[.double(1), .string("sea")]], "after \(policy)")
          try check(result.transaction == nil, "\(policy) wrote a transaction")
        }
        let error = try checkThrows(.conflictUnique, label: "policy error") {
          try container.importRecords([sighting(2), sighting(1, energy: 9)], policy: .error)
        }
        try check(!error.details.isEmpty, "the error lists the conflict")
        try checkEqual(try stored(), [[.double(1), .string("sea")]], "after error")
        let overwritten = try container.importRecords([sighting(1, energy: 7)], policy: .overwrite)
        try checkEqual(overwritten.updated.map(\.number), [1], "updated by overwrite")
        try checkEqual(try stored(), [[.double(7), .null]], "after overwrite")
      },
      CaseDefinition(
        "upsert/several-holders", "An input that meets two objects through two constraints is refused.",
        rules: ["U-3"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords(
          "Station",
          [["code": .string("a"), "serial": .int(1)], ["code": .string("b"), "serial": .int(2)]])
        let crossing: [String: Value] = ["code": .string("a"), "serial": .int(2), "height": .double(1)]
        for policy in [MergePolicy.objectTrump, .overwrite, .error] {
          try checkThrows(.conflictSeveral, label: "policy \(policy)") {
            try container.importRecords("Station", [["code": .string("c")], crossing], policy: policy)
          }
        }
        for policy in [MergePolicy.storeTrump, .rollback] {
          let result = try container.importRecords("Station", [crossing], policy: policy)
          try check(result.transaction == nil, "\(policy) wrote a transaction")
        }
        try checkEqual(
          try container.values("Station", "code", "serial", "height"),
          [[.string("a"), .int(1), .null], [.string("b"), .int(2), .null]], "stations")
        let one = try container.importRecords("Station", [["code": .string("b"), "serial": .int(3)]])
        try checkEqual(
          one.updated.map(\.number), [2], "a record that meets one object takes another key along")
      },
      CaseDefinition(
        "upsert/last-of-a-batch-wins", "Records of one batch apply in order; one object has one change.",
        rules: ["U-4", "D2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let result = try container.importRecords([1.0, 2, 3].map { sighting(1, energy: $0) })
        try checkEqual([result.inserted.count, result.updated.count], [1, 0], "counts")
        try checkEqual(try container.values("Fireball", "energy"), [[.double(3)]], "energies")
        try checkEqual(try container.story(), ["1 import: insert Fireball#1"], "history")
        let back = try container.importRecords([sighting(1, energy: 8), sighting(1, energy: 3)])
        try checkEqual([back.updated.count, back.unchanged.count], [0, 1], "changed and changed back")
        try check(back.transaction == nil, "changed and changed back wrote a transaction")
      },
      CaseDefinition(
        "upsert/chunks-do-not-show", "A long batch with repeated keys ends as if one by one.", rules: ["U-4"]
      ) {
        stage in
        let records = (0..<3_000).map { (index: Int) -> [String: Value] in
          sighting(
            Double(index * 7 % 1_100), energy: Double(index), place: index % 3 == 0 ? "p\(index)" : nil)
        }
        let batch = try stage.container(RuleModel.watch)
        let result = try batch.importRecords(records)
        try checkEqual(result.inserted.count, 1_100, "inserted")
        let single = try stage.container(RuleModel.watch)
        for start in stride(from: 0, to: records.count, by: 500) {
          try single.importRecords(Array(records[start..<(start + 500)]))
        }
        try checkEqual(
          try batch.values("Fireball", "time", "energy", "place"),
          try single.values("Fireball", "time", "energy", "place"), "objects")
        try checkEqual(try batch.story().count, 1, "transactions of one batch")
      },
      CaseDefinition(
        "upsert/same-again-is-nothing",
        "What changes nothing leaves nothing: no transaction, token or signal.",
        rules: ["U-5", "D1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let records = (0..<50).map { sighting(Double($0), energy: 42) }
        try container.importRecords(records)
        let token = try container.currentToken()
        let rings = Counter()
        let registration = container.onRemoteChange { rings.increment() }
        for again in [records, records.reversed(), records + records] {
          let result = try container.importRecords(again)
          try checkEqual(
            [result.inserted.count, result.updated.count, result.unchanged.count], [0, 0, 50], "counts")
          try check(result.transaction == nil && result.token == nil, "a transaction for no change")
        }
        try checkEqual(try container.currentToken(), token, "token")
        try checkEqual(try container.story(after: .token(token)), [], "history")
        try checkEqual(rings.count, 0, "signals")
        try checkEqual(try container.numbers(), Array(1...50), "numbers")
        withExtendedLifetime(registration) {}
      },
      CaseDefinition(
        "upsert/save-conflicts", "A save with a taken key follows the context's policy; error by default.",
        rules: ["U-3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1, energy: 1, place: "sea")])
        let context = container.newContext(author: "user")
        let object = try context.insert("Fireball", "time", date(1))
        try object.setValue(.string("mine"), for: "note")
        try checkThrows(.conflictUnique, label: "saving a known key") { try context.save() }
        try check(context.hasChanges, "the edits are still there after a refused save")
        try checkEqual(try container.numbers(), [1], "objects after a refused save")
        let result = try context.save(policy: .objectTrump)
        try checkEqual([result.inserted, result.updated], [0, 1], "counts")
        try checkEqual(object.objectID.number, 1, "the id of the stored object")
        try checkEqual(
          try container.values("Fireball", "energy", "place", "note"),
          [[.double(1), .string("sea"), .string("mine")]], "values")
      },
      CaseDefinition(
        "upsert/keys-change-hands", "Deleting and re-inserting a key, and swapping two keys, are legal.",
        rules: ["U-6", "D14"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2])
        let context = container.newContext(author: "user")
        let objects = try context.sightings([1, 2, 3])
        context.delete(objects[0])
        try context.insert("Fireball", "time", date(1))
        try objects[1].setValue(date(3), for: "time")
        try objects[2].setValue(date(2), for: "time")
        let result = try context.save()
        try checkEqual(
          [result.inserted, result.updated, result.deleted], [1, 3, 1], "counts, the group included")
        try checkEqual(
          try container.values("Fireball", "time"), [[date(3)], [date(2)], [date(1)]], "times of 2, 3 and 4")
        try checkEqual(try container.numbers(), [2, 3, 4], "numbers")
        let fresh = container.newContext()
        try checkEqual(
          try fresh.group("A").objects("fireballs").map(\.objectID.number), [2], "members of the group")
        try checkEqual(
          try container.story(after: .number(2)),
          [
            "3 user: delete Fireball#1 time=\(TimeText.of(1)), update Fireball#2 time, "
              + "update Fireball#3 time, insert Fireball#4, update Group#1 fireballs size"
          ], "history")
      },
      CaseDefinition(
        "upsert/closure-ends-a-batch",
        "A closure that returns true ends the batch; that call's record is dropped.",
        rules: ["U-8"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        var index = 0
        let result = try container.newContext().execute(
          BatchInsertRequest(entity: "Fireball") { row in
            index += 1
            try row.set("time", date(Double(index)))
            return index == 4
          })
        try checkEqual(result.inserted.count, 3, "inserted")
        try checkEqual(try container.values("Fireball", "time").count, 3, "objects")
        let nothing = try container.newContext().execute(BatchInsertRequest(entity: "Fireball") { _ in true })
        try check(nothing.transaction == nil, "no input wrote a transaction")
        try check(try container.importRecords([]).transaction == nil, "no records wrote a transaction")
      },
      CaseDefinition(
        "upsert/batches-take-no-links", "Setting a relationship or a derived value in a batch is refused.",
        rules: ["U-8", "R-3", "R-4"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try checkThrows(.batchRelationship, label: "inserting with a relationship") {
          try container.importRecords([sighting(1), sighting(2).merging(["groups": .int(1)]) { $1 }])
        }
        try checkThrows(.batchDerived, label: "inserting with a derived value") {
          try container.importRecords("Group", [["size": .int(1)]])
        }
        try checkThrows(.schemaUnknownProperty, label: "inserting an unknown property") {
          try container.importRecords([["timer": .int(1)]])
        }
        try checkThrows(.validationRequired, label: "inserting without a required value") {
          try container.importRecords([sighting(1), ["energy": .double(1)]])
        }
        try checkEqual(try container.numbers(), [], "objects")
        try checkEqual(try container.currentToken().number, 0, "transactions")
      },
      CaseDefinition(
        "upsert/closures-that-throw", "What a batch's closure throws undoes the batch.", rules: ["U-4"]
      ) { stage in
        struct Stop: Error {}
        let container = try stage.container(RuleModel.watch)
        var index = 0
        do {
          _ = try container.newContext().execute(
            BatchInsertRequest(entity: "Fireball") { row in
              index += 1
              if index == 3_000 { throw Stop() }
              try row.set("time", date(Double(index)))
              return false
            })
          throw ConformanceFailure("the closure's error did not come through")
        } catch is Stop {}
        try checkEqual(try container.numbers(), [], "objects")
        try checkEqual(
          try container.importRecords([sighting(1)]).inserted.map(\.number), [1], "the first number")
      },
    ]
  }
}

/// Counts calls that may come from any thread.
final class Counter: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }

  func increment() { value.withLock { $0 += 1 } }
}

/// A date in the canonical text form.
enum TimeText {
  static func of(_ seconds: Double) -> String {
    CanonicalText.text(.date(Date(timeIntervalSinceReferenceDate: seconds)))
  }
}
