import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules G-1, G-2, M-1, M-2 and U-10.
  static var mergeCases: [CaseDefinition] {
    [
      CaseDefinition(
        "generations/pinned", "A pinned context reads one state, until it merges.",
        rules: ["G-1", "G-2", "M11"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords((1...10).map { sighting(Double($0), energy: 1) })
        try container.makeGroup("A", of: [1, 2])
        let view = container.newContext(author: "view")
        try view.setQueryGeneration(from: .current)
        let pinned = try checkPresent(view.queryGeneration, "the generation")
        let before = try container.newContext().watchPicture()
        try container.importRecords((1...3).map { sighting(Double($0), energy: 2) })
        _ = try container.newContext().execute(
          BatchDeleteRequest(entity: "Fireball", where: .compare(.path(["time"]), .less, .literal(date(3)))))
        try container.importRecords((11...14).map { sighting(Double($0)) })
        try checkEqual(try view.count(for: FetchRequest<ManagedObject>(entity: "Fireball")), 10, "count")
        try checkEqual(try view.watchPicture(), before, "the pinned picture")
        let other = container.newContext()
        try other.setQueryGeneration(from: .generation(pinned))
        try checkEqual(try other.watchPicture(), before, "the shared picture")
        let news = try container.history(PersistentHistoryRequest(after: .token(pinned.token))).transactions
        try checkEqual(news.count, 3, "transactions since the pin")
        // One merge takes the newest state whole, never a mixture.
        try view.mergeChanges(from: news[0])
        let after = try container.newContext().watchPicture()
        try checkEqual(try view.watchPicture(), after, "the picture after a merge")
        for transaction in news.dropFirst() { try view.mergeChanges(from: transaction) }
        try checkEqual(try view.watchPicture(), after, "the picture after all merges")
        try checkEqual(try other.watchPicture(), before, "the picture of who did not merge")
        try other.setQueryGeneration(from: .unpinned)
        try checkEqual(try other.watchPicture(), after, "the picture after unpinning")
      },
      CaseDefinition(
        "generations/export", "A pinned state is exported whole while writers go on.", rules: ["G-1", "G-2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords((1...300).map { sighting(Double($0), energy: 1) })
        try container.makeGroup("A", of: [1, 2])
        let before = try container.dumpLines()
        try check(before.contains { $0.hasPrefix("Fireball#300 ") }, "all rows are there")
        let view = container.newContext(author: "view")
        try view.setQueryGeneration(from: .current)
        let pinned = try checkPresent(view.queryGeneration, "the generation")
        let writer = container.newContext(author: "writer")
        var lines: [String] = []
        var writes = 0.0
        // Rows that were printed, rows that were not yet, and links change between any two lines.
        try withoutActuallyEscaping({ (line: String) throws in
          lines.append(line)
          guard lines.count % 40 == 0 else { return }
          writes += 1
          try container.importRecords([sighting(writes, energy: 9), sighting(1000 + writes)])
          try writer.execute(
            BatchDeleteRequest(entity: "Fireball", where: .equals("time", date(301 - writes))))
        }) { try container.dump(at: pinned, to: $0) }
        try checkEqual(lines, before, "the export")
        try check(writes > 5, "\(writes) writes were made meanwhile")
        try check(try container.dumpLines() != before, "the newest state is another")
      },
      CaseDefinition(
        "generations/saving-moves-the-pin", "A pinned context that saves moves to the state it made.",
        rules: ["G-1", "G-2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        let view = container.newContext(author: "view")
        try view.setQueryGeneration(from: .current)
        let objects = try view.fetch(FetchRequest<ManagedObject>(entity: "Fireball"))
        try container.importRecords([sighting(1, energy: 4), sighting(3)])
        try objects.at(1).setValue(.string("mine"), for: "note")
        try view.save()
        try checkEqual(try view.watchPicture(), try container.newContext().watchPicture(), "the picture")
        try container.importRecords([sighting(4)])
        try checkEqual(try view.count(for: FetchRequest<ManagedObject>(entity: "Fireball")), 3, "count")
        try view.reset()
        try checkEqual(
          try view.count(for: FetchRequest<ManagedObject>(entity: "Fireball")), 4, "count after a reset")
      },
      CaseDefinition(
        "merging/batch-deleted", "Objects that a batch deleted are readable before the merge and gone after.",
        rules: ["M-1", "M-2", "M-4", "M1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords((1...10).map { sighting(Double($0), energy: Double($0)) })
        try container.makeGroup("A", of: [1, 2, 3, 4])
        let view = container.newContext(author: "view")
        view.retainsRegisteredObjects = true
        _ = try view.watchPicture()
        let group = try view.group("A")
        let doomed = try view.sightings([1, 2, 3, 4])
        let token = try container.currentToken()
        _ = try container.newContext(author: "tool").execute(BatchDeleteRequest(ids: doomed.map(\.objectID)))
        try checkEqual(
          try doomed.map { try $0.value("energy") }, [1.0, 2, 3, 4].map(Value.double), "energies held")
        try checkEqual(try group.objects("fireballs").count, 4, "members held")
        for transaction in try container.history(PersistentHistoryRequest(after: .token(token))).transactions
        {
          let counts = try view.mergeChanges(from: transaction)
          try checkEqual([counts.inserted, counts.updated, counts.deleted], [0, 1, 4], "merged")
        }
        try check(doomed.allSatisfy(\.isDeleted), "deleted after the merge")
        try checkEqual(try group.objects("fireballs").count, 0, "members after the merge")
        try checkEqual(try group.value("size"), .int(0), "size after the merge")
        try checkEqual(try view.watchPicture(), try container.newContext().watchPicture(), "the picture")
      },
      CaseDefinition(
        "merging/unsaved-edits", "A merge keeps unsaved edits, property by property, as the policy says.",
        rules: ["M-1", "M7"]
      ) { stage in
        for policy in [MergePolicy.objectTrump, .storeTrump] {
          let container = try stage.container(RuleModel.watch)
          try container.importRecords([sighting(1, energy: 1)])
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let object = try view.sightings([1])[0]
          try object.setValue(.string("mine"), for: "note")
          let other = container.newContext(author: "tool")
          let same = try other.sightings([1])[0]
          try same.setValue(.double(2), for: "energy")
          try same.setValue(.string("theirs"), for: "note")
          try other.save()
          for transaction in try container.history(PersistentHistoryRequest(after: .number(1))).transactions {
            try view.mergeChanges(from: transaction)
            try view.mergeChanges(from: transaction)
          }
          let note: Value = policy == .objectTrump ? .string("mine") : .string("theirs")
          try checkEqual(
            [try object.value("energy"), try object.value("note")], [.double(2), note],
            "\(policy) after the merge")
          try view.save()
          try checkEqual(
            try container.values("Fireball", "energy", "note"), [[.double(2), note]],
            "\(policy) after the save")
        }
      },
      CaseDefinition(
        "merging/own-transactions", "Merging one's own transaction, or one twice, changes nothing.",
        rules: ["M-1", "M9"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        let view = container.newContext(author: "view")
        let objects = try view.sightings([1, 2])
        view.delete(objects[0])
        try objects[1].setValue(.string("saved"), for: "note")
        try view.save()
        try objects[1].setValue(.string("later"), for: "note")
        for transaction in try container.history(PersistentHistoryRequest()).transactions {
          try view.mergeChanges(from: transaction)
          try view.mergeChanges(from: transaction)
        }
        try check(objects[0].isDeleted, "a deleted object came back")
        try checkEqual(try objects[1].value("note"), .string("later"), "the unsaved edit")
        try checkEqual(
          try view.fetchIDs(FetchRequest<ManagedObject>(entity: "Fireball")).map(\.number), [2], "objects")
      },
      CaseDefinition(
        "merging/ends-as-a-fresh-fetch", "After all merges a context shows what a fresh one fetches.",
        rules: ["M-2", "M3", "M13", "C6"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let view = container.newContext(author: "view")
        view.retainsRegisteredObjects = true
        var generator = SplitMix64(seed: stage.seed)
        var position = try container.currentToken()
        for round in 0..<25 {
          for _ in 0..<Int.random(in: 1...3, using: &generator) {
            try randomWrite(container, &generator)
          }
          let news = try container.history(PersistentHistoryRequest(after: .token(position)))
          for transaction in news.transactions { try view.mergeChanges(from: transaction) }
          position = news.scannedThrough
          try checkEqual(
            try view.watchPicture(), try container.newContext().watchPicture(),
            "the picture in round \(round), seed \(stage.seed)")
        }
      },
      CaseDefinition(
        "merging/redone-after-a-crash", "History applied, but not remembered, is applied again without harm.",
        rules: ["M-1", "M-2", "H6"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        let remembered = try container.currentToken()
        try container.importRecords([sighting(2, energy: 3), sighting(3)])
        try container.makeGroup("A", of: [1, 3])
        _ = try container.newContext(author: "tool").execute(
          BatchDeleteRequest(entity: "Fireball", where: .equals("time", date(1))))
        var current = container
        for _ in 0..<2 {
          // The token was not saved: after each restart the same transactions come again.
          let view = current.newContext(author: "view")
          _ = try view.watchPicture()
          for transaction in try current.history(PersistentHistoryRequest(after: .token(remembered)))
            .transactions
          {
            try view.mergeChanges(from: transaction)
          }
          try checkEqual(try view.watchPicture(), try current.newContext().watchPicture(), "the picture")
          try checkEqual(try current.numbers(), [2, 3], "objects")
          current = try stage.reopen(current)
        }
      },
      CaseDefinition(
        "merging/vanished-rows", "A row that vanished is told by the object, never by a trap.",
        rules: ["M-4", "M2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2])
        let view = container.newContext(author: "view")
        let ids = try view.fetchIDs(FetchRequest<ManagedObject>(entity: "Fireball"))
        let vanishing = try ids.at(0)
        let fault = view.object(with: vanishing)
        let group = try view.group("A")
        _ = try group.objects("fireballs")
        _ = try container.newContext(author: "tool").execute(BatchDeleteRequest(ids: [vanishing]))
        try checkThrows(.objectMissing, label: "loading a row that is gone") { try fault.load() }
        try checkThrows(.objectMissing, label: "the object of an id that is gone") {
          _ = try container.newContext().existingObject(with: vanishing)
        }
        try checkEqual(
          try view.fetch(FetchRequest<ManagedObject>(entity: "Fireball", sort: [SortTerm("time")])).count, 1,
          "objects fetched")
        for transaction in try container.history(PersistentHistoryRequest(after: .number(2))).transactions {
          try view.mergeChanges(from: transaction)
        }
        try checkEqual(try group.objects("fireballs").map(\.objectID.number), [2], "members after the merge")
      },
      CaseDefinition(
        "merging/conflicting-saves",
        "A save conflicts when what it read has changed; policies decide by property.",
        rules: ["U-10", "U-3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.makeGroup("Pacific", of: [])
        let left = container.newContext(author: "left")
        let right = container.newContext(author: "right")
        let mine = try left.group("Pacific")
        let yours = try right.group("Pacific")
        try mine.setValue(.string("Left"), for: "name")
        try left.save()
        try yours.setValue(.string("Right"), for: "name")
        let error = try checkThrows(.conflictVersion, label: "saving over another's change") {
          try right.save()
        }
        try check(!error.details.isEmpty, "the error lists the conflict")
        try checkEqual(try container.values("Group", "name"), [[.string("Left")]], "after the refusal")
        try right.save(policy: .objectTrump)
        try checkEqual(try container.values("Group", "name"), [[.string("Right")]], "after object trump")
        try mine.setValue(.string("Again"), for: "name")
        try left.save(policy: .storeTrump)
        try checkEqual(try container.values("Group", "name"), [[.string("Right")]], "after store trump")
      },
    ]
  }

  /// One random transaction on the watch model.
  static func randomWrite(_ container: PersistentContainer, _ generator: inout SplitMix64) throws {
    let context = container.newContext(author: "tool")
    let all = try context.fetch(FetchRequest<ManagedObject>(entity: "Fireball"))
    let groups = try context.fetch(FetchRequest<ManagedObject>(entity: "Group"))
    switch Int.random(in: 0..<7, using: &generator) {
    case 0, 1:
      let records = (0..<5).map { _ in
        sighting(
          Double(Int.random(in: 0..<30, using: &generator)),
          energy: Double(Int.random(in: 0..<3, using: &generator)))
      }
      try container.importRecords(records)
    case 2:
      let group = try context.insert("Group")
      try group.addObjects(all.filter { _ in Bool.random(using: &generator) }, for: "fireballs")
      try context.save()
    case 3:
      guard let group = groups.randomElement(using: &generator) else { return }
      try group.replaceObjects(all.filter { _ in Bool.random(using: &generator) }, for: "fireballs")
      try group.setValue(.string("g\(Int.random(in: 0..<3, using: &generator))"), for: "name")
      try context.save()
    case 4:
      guard let group = groups.randomElement(using: &generator), groups.count > 2 else { return }
      context.delete(group)
      try context.save()
    case 5:
      let doomed = all.filter { _ in Int.random(in: 0..<5, using: &generator) == 0 }
      _ = try context.execute(BatchDeleteRequest(ids: doomed.map(\.objectID)))
    default:
      let time = Double(Int.random(in: 0..<30, using: &generator))
      _ = try context.execute(
        BatchUpdateRequest(
          entity: "Fireball", values: ["note": .string("n\(Int.random(in: 0..<4, using: &generator))")],
          where: .compare(.path(["time"]), .less, .literal(date(time)))))
    }
  }
}
