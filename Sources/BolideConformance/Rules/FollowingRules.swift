import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Contexts that follow others: by themselves (rule M-3), by ids, and by what a save told.
  static var followingCases: [CaseDefinition] {
    [
      CaseDefinition(
        "merging/automatic",
        "A context that merges by itself shows what others of its container saved, and moves its pin.",
        rules: ["M-3", "G-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = following(container, "view")
        let pinned = following(container, "pinned")
        try pinned.setQueryGeneration(from: .current)
        let still = container.newContext(author: "still")
        still.retainsRegisteredObjects = true
        for context in [view, pinned, still] { _ = try context.watchPicture() }
        let writer = container.newContext(author: "writer")
        let objects = try writer.sightings([1, 2])
        try objects.at(0).setValue(.double(7), for: "energy")
        writer.delete(try objects.at(1))
        try writer.insert("Fireball").setValue(date(4), for: "time")
        try writer.save()
        let saved = try container.newContext().watchPicture()
        try checkEqual(try view.watchPicture(), saved, "who follows")
        try checkEqual(try pinned.watchPicture(), saved, "who follows and is pinned")
        try checkEqual(
          try still.sightings([1]).at(0).value("energy"), .double(1), "what who does not follow holds")
        // A batch request is no save: it is merged by history or by ids, or comes along with a pin that moves.
        _ = try container.newContext(author: "tool").execute(
          BatchUpdateRequest(entity: "Fireball", values: ["place": .string("sea")]))
        try checkEqual(try view.watchPicture(), saved, "after a batch request")
        try checkEqual(try pinned.watchPicture(), saved, "after a batch request, pinned")
        try writer.group("A").setValue(.string("B"), for: "name")
        try writer.save()
        try checkEqual(try view.group("B").value("size"), .int(1), "who follows, after the next save")
        try checkEqual(
          try pinned.watchPicture(), try container.newContext().watchPicture(), "who is pinned, after it")
        view.automaticallyMergesChangesFromParent = false
        try writer.group("B").setValue(.string("C"), for: "name")
        try writer.save()
        try checkEqual(
          try view.registeredObjects.filter { $0.entityName == "Group" }.map { try $0.value("name") },
          [.string("B")], "who does not follow any more")
      },
      CaseDefinition(
        "merging/automatic-after-many",
        "However many saves wait, a context that merges by itself loses none.",
        rules: ["M-3", "M-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = following(container, "view")
        _ = try view.watchPicture()
        let writer = container.newContext(author: "writer")
        let first = try writer.sightings([1]).at(0)
        for round in 1...70 {
          try first.setValue(.double(Double(100 + round)), for: "energy")
          if round.isMultiple(of: 5) {
            let brief = try writer.insert("Fireball", "time", date(Double(1000 + round)))
            try brief.addObjects([try writer.group("A")], for: "groups")
            try writer.save()
            if round.isMultiple(of: 2) { writer.delete(brief) }
          }
          try writer.save()
        }
        try checkEqual(try view.watchPicture(), try container.newContext().watchPicture(), "the picture")
      },
      CaseDefinition(
        "merging/automatic-under-edits",
        "Unsaved edits stay on top of what is merged by itself, or give way to it, as the policy says.",
        rules: ["M-3", "M-1"]
      ) { stage in
        for (policy, note) in [(MergePolicy?.none, "mine"), (.objectTrump, "mine"), (.storeTrump, "theirs")] {
          let container = try watchWithGroup(stage)
          let view = following(container, "view")
          view.mergePolicy = policy
          let object = try view.sightings([1]).at(0)
          try object.setValue(.string("mine"), for: "note")
          let writer = container.newContext(author: "writer")
          let same = try writer.sightings([1]).at(0)
          try same.setValue(.double(5), for: "energy")
          try same.setValue(.string("theirs"), for: "note")
          try writer.save()
          // The save merges first, so it meets no conflict.
          try view.save()
          try checkEqual(
            try container.values("Fireball", "energy", "note").at(0), [.double(5), .string(note)],
            "\(policy.map(\.rawValue) ?? "no policy")")
        }
      },
      CaseDefinition(
        "merging/by-ids",
        "Contexts are told by ids what batch requests did, and then show what a fresh one does.",
        rules: ["M-1", "M-2", "G-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        let pinned = container.newContext(author: "pinned")
        try pinned.setQueryGeneration(from: .current)
        let before = try pinned.watchPicture()
        for context in [view, pinned] { context.retainsRegisteredObjects = true }
        for context in [view, pinned] { _ = try context.watchPicture() }
        let doomed = try view.sightings([2]).at(0)
        let tool = container.newContext(author: "tool")
        let inserted = try tool.execute(
          BatchInsertRequest(entity: "Fireball", records: [sighting(1, energy: 5), sighting(9)]))
        var changes = ObjectIDChanges(inserted)
        changes.formUnion(
          ObjectIDChanges(
            try tool.execute(
              BatchUpdateRequest(
                entity: "Fireball", values: ["note": .string("n")], where: .equals("time", date(3))))))
        changes.formUnion(
          ObjectIDChanges(
            try tool.execute(BatchDeleteRequest(entity: "Fireball", where: .equals("time", date(2))))))
        // Which owners lost a link only history tells.
        changes.updated.insert(try view.group("A").objectID)
        try checkEqual(try pinned.watchPicture(), before, "before the merge, pinned")
        for _ in 0..<2 {
          try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [view, pinned])
          let after = try container.newContext().watchPicture()
          try checkEqual(try view.watchPicture(), after, "after the merge")
          try checkEqual(try pinned.watchPicture(), after, "after the merge, pinned")
        }
        try check(doomed.isDeleted, "what was deleted says so")
        let foreign = ManagedObjectID(storeID: UUID(), entityName: "Fireball", number: 1)
        try checkThrows(.contextForeign, label: "ids of another store") {
          try ManagedObjectContext.mergeChanges(
            fromRemoteContextSave: ObjectIDChanges(updated: [foreign]), into: [view])
        }
      },
      CaseDefinition(
        "merging/by-what-a-save-told",
        "Saves are told to whoever listens, and merging one twice changes nothing.",
        rules: ["M-1", "M-3"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view", name: "window")
        let other = container.newContext(author: "other")
        other.retainsRegisteredObjects = true
        _ = try other.watchPicture()
        let told = container.didSave
        let own = view.didSave
        let objects = try view.sightings([1, 3])
        view.delete(try objects.at(0))
        try objects.at(1).setValue(.double(8), for: "energy")
        try view.insert("Fireball").setValue(date(5), for: "time")
        let result = try view.save()
        try checkEqual(try container.values("Fireball", "time").count, 3, "objects stored")
        _ = try other.execute(
          BatchUpdateRequest(entity: "Fireball", values: ["place": .string("sea")]))
        let writer = container.newContext(author: "writer")
        _ = try writer.insert("Group")
        try writer.save()
        var saves = told.makeAsyncIterator()
        let first = try checkPresent(await saves.next(), "the first save")
        try checkEqual(
          [first.inserted, first.updated, first.deleted].map { $0.sorted().map(\.description) },
          [["Fireball#4"], ["Fireball#3", "Group#1"], ["Fireball#1"]], "what the first save told")
        try checkEqual([first.author, first.contextName], ["view", "window"], "who saved")
        try checkEqual(first.token, result.token, "the token")
        let second = try checkPresent(await saves.next(), "the second save")
        try checkEqual(second.author, "writer", "a batch request is not among the saves")
        var ownSaves = own.makeAsyncIterator()
        try checkEqual(await ownSaves.next()?.token, result.token, "the context's own save")
        let changes = other.didChange
        try other.mergeChanges(fromContextDidSave: first)
        try checkEqual(
          changes.nextIfAvailable()?.deleted.map(\.description), ["Fireball#1"], "what the merge changed")
        try other.mergeChanges(fromContextDidSave: first)
        try check(changes.nextIfAvailable() == nil, "the second merge changed something")
        try view.mergeChanges(fromContextDidSave: first)
        try other.mergeChanges(fromContextDidSave: second)
        // What the batch request did was not among what the saves told.
        for object in other.registeredObjects { other.refresh(object, mergeChanges: true) }
        try checkEqual(try other.watchPicture(), try container.newContext().watchPicture(), "the picture")
      },
    ]
  }

  /// Sightings at 1, 2 and 3, and a group of the first two.
  static func watchWithGroup(_ stage: CaseStage) throws -> PersistentContainer {
    let container = try stage.container(RuleModel.watch)
    try container.importRecords((1...3).map { sighting(Double($0), energy: Double($0)) })
    try container.makeGroup("A", of: [1, 2])
    return container
  }

  private static func following(_ container: PersistentContainer, _ author: String) -> ManagedObjectContext {
    let context = container.newContext(author: author)
    context.automaticallyMergesChangesFromParent = true
    context.retainsRegisteredObjects = true
    return context
  }
}

extension Conformance {
  /// Unsaved edits on top of what others saved meanwhile (rule M-1).
  static var rebaseCases: [CaseDefinition] {
    [
      CaseDefinition(
        "merging/links-edited-by-both",
        "A link that another writer makes or takes meanwhile can be taken or made again after the merge.",
        rules: ["M-1", "R-1"]
      ) { stage in
        for fromGroup in [true, false] {
          for adds in [true, false] {
            let container = try watchWithGroup(stage)
            let view = container.newContext(author: "view")
            view.retainsRegisteredObjects = true
            let group = try view.group("A")
            let object = try view.sightings([adds ? 3 : 1]).at(0)
            func edit(_ adds: Bool) throws -> Int {
              if fromGroup {
                return adds
                  ? try group.addObjects([object], for: "fireballs")
                  : try group.removeObjects([object], for: "fireballs")
              }
              return adds
                ? try object.addObjects([group], for: "groups")
                : try object.removeObjects([group], for: "groups")
            }
            // Both do the same; then, after the merge, the view does the opposite.
            _ = try edit(adds)
            let other = container.newContext(author: "other")
            let theirs = try other.sightings([adds ? 3 : 1])
            if adds {
              try other.group("A").addObjects(theirs, for: "fireballs")
            } else {
              try other.group("A").removeObjects(theirs, for: "fireballs")
            }
            try other.save()
            for transaction in try container.history(PersistentHistoryRequest(after: .number(2))).transactions
            {
              try view.mergeChanges(from: transaction)
            }
            try checkEqual(try edit(!adds), 1, "what the second edit changed")
            let expected: [Number] = [1, 2]
            try checkEqual(
              try group.objects("fireballs").map(\.objectID.number), expected, "members before the save")
            try checkEqual(try object.objects("groups").count, adds ? 0 : 1, "groups before the save")
            try view.save()
            try checkEqual(try container.members(of: "A"), expected, "members stored")
            try checkEqual(
              try view.watchPicture(), try container.newContext().watchPicture(), "what the view shows")
          }
        }
      },
      CaseDefinition(
        "merging/owners-edited-by-both",
        "An object whose owner both changed belongs to one owner, on both sides, as the policy says.",
        rules: ["M-1", "R-1"]
      ) { stage in
        for policy in [MergePolicy.objectTrump, .storeTrump] {
          for keepsEdits in [false, true] {
            let container = try stage.container(RuleModel.items)
            let view = container.newContext(author: "view")
            view.retainsRegisteredObjects = true
            view.mergePolicy = policy
            let persons = try (0..<3).map { _ in try view.insert("Person") }
            let item = try view.insert("Item")
            try item.setObject(persons[0], for: "owner")
            try view.save()
            try item.setObject(persons[1], for: "owner")
            let other = container.newContext(author: "other")
            let same = try other.fetch(FetchRequest<ManagedObject>(entity: "Item")).at(0)
            try same.setObject(try other.existingObject(with: persons[2].objectID), for: "owner")
            try other.save()
            if keepsEdits {
              for person in persons { view.refresh(person, mergeChanges: true) }
              view.refresh(item, mergeChanges: true)
            } else {
              for transaction in try container.history(PersistentHistoryRequest(after: .number(1)))
                .transactions
              {
                try view.mergeChanges(from: transaction)
              }
            }
            let owner = policy == .storeTrump && !keepsEdits ? 2 : 1
            try check(try item.object("owner") === persons[owner], "\(policy): the owner")
            try checkEqual(
              try persons.map { try $0.objects("items").count }, (0..<3).map { $0 == owner ? 1 : 0 },
              "\(policy): items of each")
            try view.save()
            let fresh = container.newContext()
            try checkEqual(
              try fresh.fetch(FetchRequest<ManagedObject>(entity: "Item")).at(0).object("owner")?.objectID,
              persons[owner].objectID, "\(policy): the owner stored")
          }
        }
      },
      CaseDefinition(
        "merging/links-to-what-went",
        "Unsaved links to an object that another writer deleted go with the merge.",
        rules: ["M-1", "R-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        view.retainsRegisteredObjects = true
        let new = try view.insert("Group")
        try new.addObjects(try view.sightings([1, 3]), for: "fireballs")
        _ = try container.newContext(author: "tool").execute(
          BatchDeleteRequest(entity: "Fireball", where: .equals("time", date(3))))
        for transaction in try container.history(PersistentHistoryRequest(after: .number(2))).transactions {
          try view.mergeChanges(from: transaction)
        }
        try checkEqual(try new.objects("fireballs").map(\.objectID.number), [1], "members before the save")
        try view.save()
        try checkEqual(
          try view.watchPicture(), try container.newContext().watchPicture(), "what the view shows")
      },
      CaseDefinition(
        "merging/looked-at-too-early",
        "A fault that was read before its row was there is one again once it is.",
        rules: ["M-2", "M-4"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        let early = view.object(
          with: ManagedObjectID(storeID: container.storeID, entityName: "Fireball", number: 4))
        try checkThrows(.objectMissing, label: "reading it too early") { try early.load() }
        try container.importRecords([sighting(4, energy: 4)])
        for transaction in try container.history(PersistentHistoryRequest(after: .number(2))).transactions {
          try view.mergeChanges(from: transaction)
        }
        try check(!early.isInaccessible, "it is there now")
        try checkEqual(try early.value("energy"), .double(4), "its energy")
      },
    ]
  }
}
