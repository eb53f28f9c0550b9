import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules, as far as links, nullify and counts go.
  static var relationshipCases: [CaseDefinition] {
    [
      CaseDefinition(
        "relationships/both-sides-agree", "Both sides of a relationship agree, before and after a save.",
        rules: ["R-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        let context = container.newContext(author: "user")
        let objects = try context.sightings([1, 2, 3])
        let group = try context.insert("Group")
        try checkEqual(try objects[0].addObjects([group], for: "groups"), 1, "added from the other side")
        try checkEqual(try group.addObjects([objects[1]], for: "fireballs"), 1, "added from this side")
        try checkEqual(
          try group.objects("fireballs").map(\.objectID.number), [1, 2], "members before the save")
        try context.save()
        let fresh = container.newContext()
        let stored = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Group")).at(0)
        try checkEqual(try stored.objects("fireballs").map(\.objectID.number), [1, 2], "members")
        for (object, expected) in zip(try fresh.sightings([1, 2, 3]), [[1], [1], []] as [[Number]]) {
          try checkEqual(try object.objects("groups").map(\.objectID.number), expected, "groups of \(object)")
        }
      },
      CaseDefinition(
        "relationships/members-are-a-set", "A member added twice, here or by two contexts, is there once.",
        rules: ["R-1", "U-10", "C4"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1])
        let left = container.newContext(author: "left")
        let right = container.newContext(author: "right")
        for context in [left, right] {
          let group = try context.group("A")
          try checkEqual(try group.addObjects(try context.sightings([1]), for: "fireballs"), 0, "added again")
          try checkEqual(try group.addObjects(try context.sightings([2, 2]), for: "fireballs"), 1, "added")
        }
        try left.save()
        let second = try right.save()
        try check(second.transaction == nil, "the same addition by a second context wrote a transaction")
        try checkEqual(try container.values("Group", "size"), [[.int(2)]], "size")
        try checkEqual(
          try container.members(of: "A"), [1, 2], "members")
      },
      CaseDefinition(
        "relationships/deltas-merge", "Edits of to-many sides by two contexts are united.", rules: ["U-10"]
      ) {
        stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        try container.makeGroup("A", of: [1])
        let left = container.newContext(author: "left")
        let right = container.newContext(author: "right")
        let mine = try left.group("A")
        let yours = try right.group("A")
        try mine.addObjects(try left.sightings([2]), for: "fireballs")
        try yours.addObjects(try right.sightings([3]), for: "fireballs")
        try yours.removeObjects(try right.sightings([1]), for: "fireballs")
        try left.save()
        try right.save()
        try checkEqual(
          try container.members(of: "A"), [2, 3], "members")
        try checkEqual(try container.values("Group", "size"), [[.int(2)]], "size")
      },
      CaseDefinition(
        "relationships/replace-and-clear", "Replacing and clearing members leaves the right ones and counts.",
        rules: ["R-1", "R-3", "C2", "C6"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3, 4].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2, 3])
        let context = container.newContext(author: "user")
        let group = try context.group("A")
        for (times, expected) in [([3, 4], [3, 4]), ([], []), ([1, 1, 2], [1, 2])] as [([Double], [Number])] {
          try group.replaceObjects(try context.sightings(times), for: "fireballs")
          try context.save()
          try checkEqual(
            try container.members(of: "A"), expected,
            "members after \(times)")
          try checkEqual(try group.value("size"), .int(Int64(expected.count)), "size after \(times)")
        }
        try group.removeObjects(try context.sightings([2]), for: "fireballs")
        try context.save()
        try checkEqual(try container.numbers(), [1, 2, 3, 4], "a member that was taken out lives")
        try checkEqual(try container.values("Group", "size"), [[.int(1)]], "size after taking one out")
        try check(try container.groups(of: 2).isEmpty, "its groups")
      },
      CaseDefinition(
        "relationships/to-one", "A to-one moves its object from one owner's members to another's.",
        rules: ["R-1"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        let context = container.newContext(author: "user")
        let owners = try [0, 1].map { _ in try context.insert("Person") }
        let items = try (0..<3).map { _ in try context.insert("Item") }
        try owners[0].addObjects(items, for: "items")
        try context.save()
        try items[1].setObject(owners[1], for: "owner")
        try owners[1].addObjects([items[2]], for: "items")
        try context.save()
        let fresh = container.newContext()
        let persons = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Person"))
        try checkEqual(
          try persons.map { try $0.objects("items").map(\.objectID.number) }, [[1], [2, 3]], "items by owner")
        let loaded = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Item"))
        try checkEqual(try loaded.map { try $0.object("owner")?.objectID.number }, [1, 2, 2], "owners")
        try checkEqual(
          try container.story().last,
          "2 user: update Item#2 owner, update Item#3 owner, update Person#1 items, update Person#2 items",
          "history")
      },
      CaseDefinition(
        "relationships/nullify",
        "Deleting nullifies: no link names an object that is gone, owners are changes.",
        rules: ["R-2", "H-2", "C7"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        let context = container.newContext(author: "user")
        let owner = try context.insert("Person")
        let items = try (0..<2).map { _ in try context.insert("Item") }
        try owner.addObjects(items, for: "items")
        try context.save()
        context.delete(owner)
        let result = try context.save()
        try checkEqual([result.updated, result.deleted], [2, 1], "counts")
        let fresh = try container.newContext().fetch(FetchRequest<ManagedObject>(entity: "Item"))
        try check(try fresh.allSatisfy { try $0.object("owner") == nil }, "an owner that is gone")
        try checkEqual(
          try container.story().last, "2 user: update Item#1 owner, update Item#2 owner, delete Person#1",
          "history")
      },
      CaseDefinition(
        "relationships/batch-delete-cleans-links", "A batch delete takes links along; counts stay true.",
        rules: ["R-2", "R-3", "C1", "C7"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3, 4].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2, 3, 4])
        try container.makeGroup("B", of: [1])
        let condition = Condition.compare(.path(["time"]), .less, .literal(date(4)))
        let result = try container.newContext(author: "user").execute(
          BatchDeleteRequest(entity: "Fireball", where: condition))
        try checkEqual(result.deleted.map(\.number), [1, 2, 3], "deleted")
        let reopened = try stage.reopen(container)
        try checkEqual(try reopened.values("Group", "size"), [[.int(1)], [.int(0)]], "sizes")
        try checkEqual(
          try reopened.members(of: "A"), [4], "members")
        try checkEqual(
          try reopened.story(after: .number(3)),
          [
            "4 user: "
              + (1...3).map { "delete Fireball#\($0) time=\(TimeText.of(Double($0)))" }.joined(
                separator: ", ")
              + ", update Group#1 fireballs size, update Group#2 fireballs size"
          ], "history")
        let context = reopened.newContext(author: "user")
        let group = try context.group("A")
        _ = try context.execute(BatchDeleteRequest(ids: [group.objectID]))
        try check(try reopened.groups(of: 4).count == 0, "its groups")
      },
      CaseDefinition(
        "relationships/refreshed-returns-in-no-group", "A deleted object that a feed brings again is new.",
        rules: ["U-1", "R-2", "M5"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let feed = [1, 2].map { sighting($0, energy: $0) }
        try container.importRecords(feed)
        try container.makeGroup("A", of: [1, 2])
        try container.makeGroup("B", of: [1])
        let context = container.newContext(author: "user")
        context.delete(try context.sightings([1])[0])
        try context.save()
        let result = try container.importRecords(feed)
        try checkEqual(result.inserted.map(\.number), [3], "the returned object")
        try check(try container.groups(of: 1).isEmpty, "its groups")
        try checkEqual(try container.values("Group", "size"), [[.int(1)], [.int(0)]], "sizes")
        try checkEqual(
          try container.story(after: .number(3), where: .authorIsNot("user")),
          ["5 import: insert Fireball#3"],
          "history without the user's")
      },
      CaseDefinition(
        "relationships/without-a-context",
        "An object whose context is gone says so, instead of showing no members.",
        rules: ["R-1", "E-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1, 2])
        // The context is released with the closure that made it.
        let group = try { try container.newContext().group("A") }()
        try check(group.context == nil, "the context is still there")
        try checkThrows(.objectMissing, label: "the members of an object without a context") {
          _ = try group.objects("fireballs")
        }
        let one = try { () throws -> ManagedObject in
          let context = container.newContext()
          let group = try context.group("A")
          try checkEqual(try group.objects("fireballs").count, 2, "members while the context is there")
          return group
        }()
        try checkThrows(.objectMissing, label: "members that were read before") {
          _ = try one.objects("fireballs")
        }
      },
      CaseDefinition(
        "relationships/count-is-derived", "A count is true at every commit and cannot be set.",
        rules: ["R-3", "C8"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2, 3].map { sighting($0) })
        try container.makeGroup("A", of: [])
        let context = container.newContext(author: "user")
        let group = try context.group("A")
        try checkThrows(.batchDerived, label: "setting a count") { try group.setValue(.int(5), for: "size") }
        try group.addObjects(try context.sightings([1, 2]), for: "fireballs")
        try context.save()
        try checkEqual(try group.value("size"), .int(2), "size in the saving context")
        try group.addObjects(try context.sightings([3]), for: "fireballs")
        context.rollback()
        try checkEqual(try group.value("size"), .int(2), "size after a rollback")
        try checkEqual(try group.objects("fireballs").count, 2, "members after a rollback")
        let small = Condition.compare(.path(["size"]), .equal, .literal(.int(2)))
        try checkEqual(
          try container.newContext().count(for: FetchRequest<ManagedObject>(entity: "Group", where: small)),
          1,
          "groups found by their size")
      },
    ]
  }

  /// Rule R-4, and batch deletes by condition and by ids.
  static var batchCases: [CaseDefinition] {
    [
      CaseDefinition(
        "batch/update-constants", "A batch update sets constants and reports who changed.",
        rules: ["R-4", "U-5"]
      ) {
        stage in
        let container = try stage.container(RuleModel.items)
        try container.importRecords(
          "Item", (0..<10).map { ["title": .string("t\($0)"), "done": .bool($0 % 2 == 0)] })
        let context = container.newContext(author: "user")
        let result = try context.execute(BatchUpdateRequest(entity: "Item", values: ["done": .bool(true)]))
        try checkEqual(result.updated.map(\.number), [2, 4, 6, 8, 10], "updated")
        try checkEqual(result.unchanged.map(\.number), [1, 3, 5, 7, 9], "unchanged")
        try checkEqual(try container.values("Item", "done"), (0..<10).map { _ in [.bool(true)] }, "done")
        let again = try context.execute(BatchUpdateRequest(entity: "Item", values: ["done": .bool(true)]))
        try check(
          again.transaction == nil && again.unchanged.count == 10, "a second update changed something")
        let one = BatchUpdateRequest(
          entity: "Item", values: ["title": .string("x")], where: .equals("title", .string("t3")))
        try checkEqual(try context.execute(one).updated.map(\.number), [4], "updated by condition")
        try checkEqual(
          try container.story(after: .number(1)),
          [
            "2 user: " + [2, 4, 6, 8, 10].map { "update Item#\($0) done" }.joined(separator: ", "),
            "3 user: update Item#4 title",
          ], "history")
      },
      CaseDefinition(
        "batch/update-is-checked",
        "A batch update checks type, required, NaN and uniqueness, and writes all or nothing.",
        rules: ["R-4"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0, energy: 1) })
        let context = container.newContext(author: "user")
        for (values, code) in [
          (["time": .null], .validationRequired), (["energy": .double(.nan)], .validationNaN),
          (["energy": .string("1")], .validationType), (["time": date(9)], .conflictUnique),
          (["groups": .int(1)], .batchRelationship), (["nothing": .int(1)], .schemaUnknownProperty),
        ] as [([String: Value], ErrorCode)] {
          try checkThrows(code, label: "updating \(values.keys.joined())") {
            _ = try context.execute(BatchUpdateRequest(entity: "Fireball", values: values))
          }
        }
        try checkEqual(
          try container.values("Fireball", "time", "energy"),
          [[date(1), .double(1)], [date(2), .double(1)]],
          "values")
        try checkEqual(try container.currentToken().number, 1, "transactions")
      },
      CaseDefinition(
        "batch/delete", "A batch delete reports who is gone; ids that are gone are skipped.",
        rules: ["R-2", "U-5"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords((1...6).map { sighting(Double($0)) })
        let context = container.newContext(author: "user")
        let ids = try context.fetchIDs(FetchRequest<ManagedObject>(entity: "Fireball"))
        let result = try context.execute(BatchDeleteRequest(ids: [ids.at(4), ids.at(0), ids.at(4)]))
        try checkEqual(result.deleted.map(\.number), [1, 5], "deleted")
        let again = try context.execute(BatchDeleteRequest(ids: [ids.at(0)]))
        try check(again.transaction == nil && again.deleted.isEmpty, "deleting what is gone")
        let all = try context.execute(BatchDeleteRequest(entity: "Fireball"))
        try checkEqual(all.deleted.map(\.number), [2, 3, 4, 6], "all others")
        try checkEqual(try container.numbers(), [], "objects")
      },
    ]
  }
}
