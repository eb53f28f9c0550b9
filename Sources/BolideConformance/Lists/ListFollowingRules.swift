import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// When a list follows what (rules F-1, G-1, M-1, M-4).
  static var listFollowingCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/unsaved-edits", "Unsaved edits join a list when they are saved.", rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([1, 2])
        let list = try WatchedList(.ranked(), in: context)
        rows[0].rank = 9
        _ = ListMessage(context: context)
        try list.expectEvents()
        context.rollback()
        try list.expectEvents("update 1 0/0")
        rows[0].rank = 9
        try context.save()
        try list.expectEvents("move 1 0/0 -> 0/1")
        try context.save()
        try list.expectEvents()
      },
      CaseDefinition(
        "results/failed-save",
        "A save that fails leaves list and store as they were, and its error reaches the caller.",
        rules: ["F-1", "U-3"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let rows = try context.messages([1, 2])
        rows[0].code = "a"
        try context.save()
        let list = try WatchedList(.ranked(), in: context)
        let before = try container.dumpLines()
        rows[1].code = "a"
        rows[1].rank = 0
        try checkThrows(.conflictUnique, label: "a save that breaks a constraint") { try context.save() }
        try list.expectEvents()
        try checkEqual(try container.dumpLines(), before, "the store")
        try check(context.hasChanges, "the edits are still there")
        rows[1].code = "b"
        try context.save()
        try list.expectEvents("move 2 0/1 -> 0/0")
      },
      CaseDefinition(
        "results/merged-once", "Merging one's own transaction, or one twice, reports nothing.",
        rules: ["F-1", "M-1"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let list = try WatchedList(.ranked(), in: context)
        _ = try context.messages([1])
        try list.expectEvents("insert 1 0/0")
        _ = try container.newContext(author: "other").messages([0])
        for _ in 0..<2 { try context.mergeAll(of: container, after: 0) }
        try list.expectEvents("insert 2 0/0")
      },
      CaseDefinition(
        "results/same-import-again", "An import of what is stored already reports nothing.",
        rules: ["F-1", "U-5", "D1"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        func records(_ energy: Int64) -> [[String: Value]] {
          (1...50).map { ["code": .string("code \($0)"), "rank": .int($0 == 7 ? energy : $0)] }
        }
        try container.importRecords("Message", records(7))
        let view = container.newContext(author: "view")
        let list = try WatchedList(.ranked(), in: view)
        try container.importRecords("Message", records(7).reversed())
        let last = try view.mergeAll(of: container, after: 1)
        try checkEqual(last, 1, "transactions")
        try list.expectEvents()
        try container.importRecords("Message", records(70))
        try view.mergeAll(of: container, after: last)
        try list.expectEvents("move 7 0/6 -> 0/49")
      },
      CaseDefinition(
        "results/inserted-and-deleted", "What came and went before a merge is not told.",
        rules: ["F-1", "H-2", "M3"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let view = container.newContext(author: "view")
        let list = try WatchedList(.ranked(), in: view)
        let other = container.newContext(author: "other")
        let passing = ListMessage(context: other)
        other.delete(passing)
        ListMessage(context: other).rank = 1
        try other.save()
        try container.importRecords("Message", [["code": .string("x")]])
        try other.execute(BatchDeleteRequest(entity: "Message", where: .equals("code", .string("x"))))
        try view.mergeAll(of: container, after: 0)
        try list.expectEvents("insert 1 0/0")
      },
      CaseDefinition(
        "results/pinned", "The list of a pinned context stays until it merges, and then moves as a whole.",
        rules: ["F-1", "G-1", "G-2", "M11"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let rows = try context.messages([1, 2])
        try context.setQueryGeneration(from: .current)
        let list = try WatchedList(.ranked(), in: context, batchSize: 1)
        let other = container.newContext(author: "other")
        _ = try other.messages([0, 5])
        other.delete(try other.existingObject(with: rows[1].objectID))
        try other.save()
        try list.expectEvents()
        // Rows are loaded when they are looked at, and still from the pinned state.
        try checkEqual(list.controller.fetchedObjects.map(\.rank), [1, 2], "ranks of the pinned list")
        try check(
          list.controller.fetchedObjects.allSatisfy { !$0.isInaccessible }, "deleted rows are readable")
        let shared = container.newContext(author: "shared")
        try shared.setQueryGeneration(
          from: .generation(try checkPresent(context.queryGeneration, "the generation")))
        let second = try WatchedList(.ranked(), in: shared)
        try checkEqual(second.numbers, [1, 2], "a list of the shared generation")
        try context.mergeAll(of: container, after: 1)
        try list.expectEvents("delete 2 0/1", "insert 3 0/0", "insert 4 0/2")
        try second.expectEvents()
        try shared.setQueryGeneration(from: .unpinned)
        try second.expectEvents("delete 2 0/1", "insert 3 0/0", "insert 4 0/2")
      },
      CaseDefinition(
        "results/pinned-save", "A save of a pinned context brings what others saved meanwhile.",
        rules: ["F-1", "G-1"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let rows = try context.messages([1, 2])
        try context.setQueryGeneration(from: .current)
        let list = try WatchedList(.ranked(), in: context)
        _ = try container.newContext(author: "other").messages([0])
        rows[0].rank = 3
        try context.save()
        try list.expectEvents("insert 3 0/0", "move 1 0/0 -> 0/2")
      },
      CaseDefinition(
        "results/unpinned-and-reset", "Unpinning and a reset report what differs.", rules: ["F-1", "G-1"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let rows = try context.messages([1, 2])
        try context.setQueryGeneration(from: .current)
        let list = try WatchedList(.ranked(), in: context)
        let other = container.newContext(author: "other")
        other.delete(try other.existingObject(with: rows[0].objectID))
        try other.save()
        try context.setQueryGeneration(from: .unpinned)
        try list.expectEvents("delete 1 0/0", "update 2 0/1 -> 0/0")
        try context.reset()
        try list.expectEvents("update 2 0/0")
        // Only what is held can differ: an object that nobody has is not told.
        withExtendedLifetime(rows) {}
      },
      CaseDefinition(
        "results/batch-update", "A refresh by the ids of a batch update brings its rows into the list.",
        rules: ["F-1", "R-4"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "open"), (2, "open")])
        let list = try WatchedList(.ranked(), in: context, sections: .attribute(\.room))
        let result = try context.execute(BatchUpdateRequest(ListMessage.self).set(\.room, to: "done"))
        for id in result.updated {
          context.refresh(try context.existingObject(with: id), mergeChanges: false)
        }
        try checkEqual(rows.map(\.room), ["done", "done"], "rooms")
        try list.expectEvents(
          "insert section 0 done", "move 1 0/0 -> 0/0", "delete section 1 open", "insert 2 0/1")
      },
    ]
  }
}
