import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What may be done with a list while it follows, and what it loads (rules F-1, F-2, M-4).
  static var listReadingCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/callback-saves",
        "What changes the state is refused in a callback, and what it would have saved is kept.",
        rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([1, 2])
        let list = try WatchedList(.ranked(), in: context)
        var codes: [ErrorCode?] = []
        list.onChange = { _ in
          rows[1].rank = 7
          for attempt in [
            { _ = try context.save() }, { try context.reset() },
            { try context.setQueryGeneration(from: .current) },
            { try list.controller.reevaluateSections() },
            {
              let changes = ObjectIDChanges(updated: [rows[0].objectID])
              try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context])
            },
          ] as [() throws -> Void] {
            do {
              try attempt()
              codes.append(nil)
            } catch {
              codes.append((error as? BolideError)?.code)
            }
          }
        }
        rows[0].rank = 5
        try context.save()
        list.onChange = nil
        try checkEqual(codes, Array(repeating: .contextCallback, count: 5), "errors")
        try check(context.hasChanges, "the edits of the callback are kept")
        try list.expectEvents("move 1 0/0 -> 0/1")
        try context.save()
        try list.expectEvents("move 2 0/0 -> 0/1")
      },
      CaseDefinition(
        "results/callback-refreshes",
        "A refresh from a callback is reported after what the callback was told.",
        rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([1, 2])
        let list = try WatchedList(.ranked(), in: context)
        var isFirst = true
        list.onChange = { _ in
          if isFirst { context.refresh(rows[1], mergeChanges: true) }
          isFirst = false
        }
        rows[0].text = "a"
        try context.save()
        try list.expectEvents("update 1 0/0", "update 2 0/1")
      },
      CaseDefinition(
        "results/callback-reads",
        "A callback may read the list: the old one in the first, the new one from then on.",
        rules: ["F-1", "R15"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([1, 2, 3])
        let controller = FetchedResultsController(.ranked(), in: context)
        let reader = ListReader()
        controller.delegate = reader
        try controller.performFetch()
        var replay = ReportReplay(controller)
        let reports = controller.reports
        context.delete(rows[2])
        ListMessage(context: context).rank = 0
        rows[0].text = "a"
        try context.save()
        try checkEqual(
          reader.take(),
          ["will: 1, 2, 3", "delete 3: 4, 1, 2", "insert 4: 4, 1, 2", "update 1: 4, 1, 2", "did: 4, 1, 2"],
          "what the callbacks read")
        var request = FetchRequest<ListMessage>.ranked()
        request.condition = .compare(.path(["rank"]), .greater, .literal(.int(1)))
        try controller.changeRequest(to: request)
        try checkEqual(
          reader.take(), ["will: 4, 1, 2", "delete 4: 2", "delete 1: 2", "did: 2"],
          "what they read of another filter")
        let report = try checkPresent(reports.nextIfAvailable(), "the report of both")
        try checkEqual(replay.apply(report), [], "the report")
        try checkEqual(try replay.differences(from: controller), [], "what differs from a fresh fetch")
      },
      CaseDefinition(
        "results/batches", "Only batches that are looked at are loaded, and rows that vanish are no trap.",
        rules: ["F-2", "M-4", "R14"]
      ) { stage in
        let container = try stage.container(ListModel.schema)
        _ = try container.newContext(author: "writer").messages((1...1000).map { $0 })
        let view = container.newContext(author: "view")
        let list = try WatchedList(.ranked(), in: view, batchSize: 20)
        try checkEqual(list.controller.rowsLoaded, 0, "rows loaded by the fetch")
        func object(_ row: Int) throws -> ListMessage {
          try checkPresent(
            list.controller.objectIfPresent(at: RowPath(section: 0, row: row)), "the row at \(row)")
        }
        try checkEqual(try (0..<20).map { try object($0).rank }, (1...20).map { $0 }, "the first batch")
        try checkEqual(list.controller.rowsLoaded, 20, "rows loaded by looking at the first batch")
        let gone = (500...599).map {
          ManagedObjectID(storeID: container.storeID, entityName: "Message", number: Number($0))
        }
        let other = container.newContext(author: "other")
        try checkEqual(try other.execute(BatchDeleteRequest(ids: gone)).deleted.count, 100, "deleted")
        for row in 489..<610 {
          let object = try object(row)
          let isGone = gone.contains(object.objectID)
          try checkEqual(object.rank, isGone ? nil : Int64(row + 1), "the rank at \(row)")
          try checkEqual(object.isInaccessible, isGone, "whether the object at \(row) is gone")
        }
        try check(list.controller.rowsLoaded <= 160, "\(list.controller.rowsLoaded) rows were loaded")
        try view.mergeAll(of: container, after: 1)
        try checkEqual(try list.events().count, 100, "deletes")
        try checkEqual(
          list.controller.fetchedObjects.map(\.rank), (Array(1...499) + Array(600...1000)).map { Int64($0) },
          "all ranks after the merge")
        try check(list.controller.fetchedObjects.allSatisfy { !$0.isInaccessible }, "no object is gone")
      },
      CaseDefinition(
        "results/cache-name", "A cache name never shows sections of before, or of another request.",
        rules: ["F-1", "R10"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "A")])
        func list(_ room: String) throws -> FetchedResultsController<ListMessage> {
          let request = FetchRequest<ListMessage>(entity: "Message", where: .equals("room", .string(room)))
          let list = FetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "room",
            cacheName: "rooms")
          try list.performFetch()
          try checkEqual(
            try ReportReplay(list).differences(from: list), [], "what differs from a fresh fetch")
          return list
        }
        let first = try list("B")
        try checkEqual([first.count, first.numberOfSections], [0, 0], "an empty list")
        try checkEqual(try list("A").sections.map(\.name), ["A"], "another request of the same name")
        rows[0].room = "B"
        try context.save()
        try checkEqual(try list("B").sections.map(\.name), ["B"], "a new list")
        try checkEqual(first.sections.map(\.name), ["B"], "the old list")
        try checkEqual(try list("A").sections.map(\.name), [], "the other request")
      },
      CaseDefinition(
        "results/requests", "What no list can be made of is refused by name.", rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        _ = try context.messages([1])
        func refused<Object: ManagedObject>(_ request: FetchRequest<Object>, _ code: ErrorCode) throws {
          let controller = FetchedResultsController(request, in: context)
          try checkThrows(code, label: "a list of \(request.entityName)") { try controller.performFetch() }
          try check(!controller.isFetched && controller.count == 0, "the list is empty")
        }
        try refused(FetchRequest<ListMessage>(limit: 3), .resultsRequest)
        try refused(FetchRequest<ListAuthor>(entity: "Message"), .resultsRequest)
        try refused(FetchRequest<ManagedObject>(entity: "Mesage"), .schemaUnknownEntity)
        let list = FetchedResultsController(FetchRequest<ManagedObject>(entity: "Message"), in: context)
        try list.performFetch()
        try checkThrows(.resultsRequest, label: "a request of another entity") {
          try list.changeRequest(to: FetchRequest<ManagedObject>(entity: "Author"))
        }
        try checkEqual(list.count, 1, "the list after a refused change")
      },
    ]
  }
}

/// Reads the whole list, by places, in every call.
private final class ListReader: FetchedResultsControllerDelegate {
  private var seen: [String] = []

  func take() -> [String] {
    defer { seen = [] }
    return seen
  }

  private func read(_ controller: FetchedResultsController<ListMessage>, _ call: String) {
    let numbers = controller.objectIDs.indices.map { row in
      let object = controller.objectIfPresent(at: RowPath(section: 0, row: row))
      return object.map { "\($0.objectID.number)" } ?? "nothing"
    }
    seen.append("\(call): \(numbers.joined(separator: ", "))")
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<ListMessage>) {
    read(controller, "will")
  }

  func controller(
    _ controller: FetchedResultsController<ListMessage>, didChangeObject change: ResultsChange<ListMessage>
  ) {
    switch change {
    case .insert(let object, _): read(controller, "insert \(object.objectID.number)")
    case .delete(let id, _): read(controller, "delete \(id.number)")
    case .move(let object, _, _): read(controller, "move \(object.objectID.number)")
    case .update(let object, _, _): read(controller, "update \(object.objectID.number)")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<ListMessage>) {
    read(controller, "did")
  }
}
