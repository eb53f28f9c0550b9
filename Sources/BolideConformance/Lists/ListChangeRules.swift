import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rule F-1: section changes, and one change an object, that lead from the old list to the new one.
  static var listChangeCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/one-change-an-object", "One save's changes are told once an object, each as what it is.",
        rules: ["F-1", "R2"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([10, 20, 30, 40, 50])
        let list = try WatchedList(.ranked(), in: context)
        rows[0].text = "changed"
        rows[1].rank = 21
        rows[2].rank = 99
        context.delete(rows[3])
        ListMessage(context: context).rank = 5
        try context.save()
        try list.expectEvents(
          "delete 4 0/3", "insert 6 0/0", "move 3 0/2 -> 0/4", "update 1 0/0 -> 0/1", "update 2 0/1 -> 0/2")
      },
      CaseDefinition(
        "results/only-row-of-a-section", "A section goes with its last row, which arrives elsewhere as new.",
        rules: ["F-1", "R1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "2019"), (2, "2020"), (3, "2020")])
        let list = try WatchedList(.ranked(), in: context, sections: .attribute(\.room))
        rows[0].room = "2020"
        try context.save()
        try list.expectEvents("delete section 0 2019", "insert 1 0/0")
        rows[0].room = "2019"
        try context.save()
        try list.expectEvents("insert section 0 2019", "move 1 0/0 -> 0/0")
        rows[0].room = "2021"
        try context.save()
        try list.expectEvents("delete section 0 2019", "insert section 1 2021", "insert 1 1/0")
      },
      CaseDefinition(
        "results/shifts-are-no-moves", "Rows whose section gets another index have no change of their own.",
        rules: ["F-1", "R8"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "A"), (2, "B"), (3, "B"), (4, "C"), (5, "C")])
        let list = try WatchedList(.ranked(), in: context, sections: .attribute(\.room))
        context.delete(rows[1])
        context.delete(rows[2])
        rows[4].text = "edited"
        try context.save()
        try list.expectEvents("delete section 1 B", "delete 2 1/0", "delete 3 1/1", "update 5 2/1 -> 1/1")
      },
      CaseDefinition(
        "results/ties",
        "Rows with equal keys stay in the order of their numbers, in fetches and after reopening.",
        rules: ["F-1", "V-4", "R5"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let rows = try context.messages(Array(repeating: 7, count: 20))
        let list = try WatchedList(.ranked(ascending: false), in: context)
        let expected = Array((1...20).reversed()) as [Number]
        try checkEqual(list.numbers, expected, "the list")
        for _ in 0..<3 {
          try checkEqual(
            try context.fetchIDs(FetchRequest.ranked(ascending: false)).map(\.number), expected, "a fetch")
        }
        rows[9].text = "edited"
        try context.save()
        try list.expectEvents("update 10 0/10")
        let again = try WatchedList(.ranked(ascending: false), in: stage.reopen(container).newContext())
        try checkEqual(again.numbers, expected, "the list after reopening")
      },
      CaseDefinition(
        "results/nil-keys",
        "Rows without a sort key come first, or last when descending, in lists as in fetches.",
        rules: ["F-1", "V-4", "R6"]
      ) { stage in
        for ascending in [true, false] {
          let context = try stage.container(ListModel.schema).newContext(author: "view")
          let rows = try context.messages([30, nil, 10, nil])
          let list = try WatchedList(.ranked(ascending: ascending), in: context)
          try checkEqual(list.numbers, ascending ? [2, 4, 3, 1] : [1, 3, 4, 2], "ascending: \(ascending)")
          rows[1].rank = 20
          try context.save()
          try list.expectEvents(ascending ? "move 2 0/0 -> 0/2" : "move 2 0/3 -> 0/1")
          rows[2].rank = nil
          try context.save()
          try list.expectEvents(ascending ? "move 3 0/1 -> 0/0" : "move 3 0/2 -> 0/3")
        }
      },
      CaseDefinition(
        "results/fewest-moves", "Of rows that pass each other the fewest are told as moves.", rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([10, 20, 30, 40, 50, 60])
        let list = try WatchedList(.ranked(), in: context)
        // Between the unchanged 1 and 6: 2 3 4 5 become 3 4 5 2.
        rows[1].rank = 55
        rows[2].rank = 31
        rows[3].rank = 41
        rows[4].rank = 51
        try context.save()
        try list.expectEvents(
          "move 2 0/1 -> 0/4", "update 3 0/2 -> 0/1", "update 4 0/3 -> 0/2", "update 5 0/4 -> 0/3")
      },
    ]
  }

  /// Rule F-1 where a row comes and goes by a condition, or looks at other objects.
  static var listFilterCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/filters", "A condition lets objects in and out, and may be replaced.", rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([1, 2, 3])
        rows[1].isHidden = true
        try context.save()
        let request = FetchRequest<ListMessage>(
          where: #Predicate { !$0.isHidden }, sort: [SortDescriptor(\.rank)])
        let list = try WatchedList(request, in: context)
        rows[1].isHidden = false
        rows[2].isHidden = true
        try context.save()
        try list.expectEvents("delete 3 0/1", "insert 2 0/1")
        try list.controller.changeRequest(to: .ranked(ascending: false))
        try list.expectEvents("insert 3 0/0", "move 1 0/0 -> 0/2", "update 2 0/1")
        try checkEqual(list.numbers, [3, 2, 1], "the list of the new request")
      },
      CaseDefinition(
        "results/counts-reach-owners",
        "A derived count that changes reaches the list of its owners, and no other row.",
        rules: ["F-1", "R-3", "R12"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        let context = container.newContext(author: "view")
        let authors = try context.authors(["Ada", "Bob"])
        let byName = try WatchedList(FetchRequest<ListAuthor>(sort: [SortDescriptor(\.name)]), in: context)
        let byCount = try WatchedList(
          FetchRequest<ListAuthor>(sort: [SortDescriptor(\.messageCount)]), in: context)
        let bySize = try WatchedList(
          FetchRequest<ListAuthor>(sort: [SortDescriptor(\.name)]), in: context,
          sections: .by(\.messageCount) { $0 == 0 ? "quiet" : "talking" })
        // The link is made from the message's side; the owner's row changes with it.
        let message = ListMessage(context: context)
        message.author = authors[0]
        try context.save()
        try byName.expectEvents("update 1 0/0")
        try byCount.expectEvents("move 1 0/0 -> 0/1")
        try bySize.expectEvents("insert section 1 talking", "move 1 0/0 -> 1/0")
        let importer = container.newContext(author: "importer")
        let result = try importer.execute(BatchDeleteRequest(ids: [message.objectID]))
        try checkEqual(result.deleted.count, 1, "deleted")
        try byName.expectEvents()
        try context.mergeAll(of: container, after: 2)
        try byName.expectEvents("update 1 0/0")
        try byCount.expectEvents("move 1 0/1 -> 0/0")
        try bySize.expectEvents("delete section 1 talking", "insert 1 0/0")
      },
      CaseDefinition(
        "results/related-objects", "What a row's order and section read from other objects is followed.",
        rules: ["F-1", "F-3"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let authors = try context.authors(["Ada", "Bob"])
        let rows = try context.messages([1, 2, 3])
        for (index, row) in rows.enumerated() { row.author = authors[index % 2] }
        try context.save()
        let list = try WatchedList(
          FetchRequest<ListMessage>(entity: "Message", sort: [SortTerm("author.name"), SortTerm("rank")]),
          in: context, sections: .attribute("author.name"))
        try checkEqual(list.sectionNames, ["Ada", "Bob"], "sections")
        authors[0].name = "Cy"
        try context.save()
        try list.expectEvents("delete section 0 Ada", "insert section 1 Cy", "insert 1 1/0", "insert 3 1/1")
        authors[1].messages.remove(rows[1])
        try context.save()
        try list.expectEvents("delete section 0 Bob", "insert section 0 ", "insert 2 0/0")
      },
      CaseDefinition(
        "results/related-filters", "Conditions over relationships, to one and to many, are followed.",
        rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let authors = try context.authors(["Ada", "Bob"])
        let rows = try context.messages([1, 2, 3])
        rows[0].author = authors[0]
        rows[1].author = authors[1]
        rows[2].author = authors[1]
        try context.save()
        let ofAda = try WatchedList(
          FetchRequest<ListMessage>(
            entity: "Message", where: try Condition(parsing: #"author.name == "Ada""#),
            sort: [SortTerm("rank")]), in: context)
        let high = try WatchedList(
          FetchRequest<ListAuthor>(
            entity: "Author", where: try Condition(parsing: "ANY messages.rank >= 3"),
            sort: [SortTerm("name")]),
          in: context)
        let busy = try WatchedList(
          FetchRequest<ListAuthor>(
            entity: "Author", where: try Condition(parsing: "messages.@count > 1"), sort: [SortTerm("name")]),
          in: context)
        try checkEqual([ofAda.numbers, high.numbers, busy.numbers], [[1], [2], [2]], "the lists")
        authors[1].name = "Ada"
        try context.save()
        try ofAda.expectEvents("insert 2 0/1", "insert 3 0/2")
        try high.expectEvents("update 2 0/0")
        try busy.expectEvents("update 2 0/0")
        rows[0].rank = 7
        try context.save()
        try ofAda.expectEvents("move 1 0/0 -> 0/2")
        try high.expectEvents("insert 1 0/0")
        rows[2].author = authors[0]
        try context.save()
        try high.expectEvents("delete 2 0/1", "update 1 0/0")
        try busy.expectEvents("delete 2 0/0", "insert 1 0/0")
      },
    ]
  }
}
