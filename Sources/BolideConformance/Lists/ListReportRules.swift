import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Reports as a sequence (rule F-1): a slow reader gets them together, none is lost.
  static var listReportCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/reports", "A sequence gives the reports of each save while another task writes.",
        rules: ["F-1"],
        body: readsWhileWriting),
      CaseDefinition(
        "results/slow-reader", "A slow reader gets several saves as one report.", rules: ["F-1"],
        body: readsAfterwards),
      CaseDefinition(
        "results/cancelled-reader", "The sequence of a cancelled task ends.", rules: ["F-1"],
        body: endsWhenCancelled),
      CaseDefinition(
        "results/background-import", "A view's list follows what a background task imports.",
        rules: ["F-1", "M-2"], body: followsImports),
    ]
  }

  @MainActor private static func readsWhileWriting(_ stage: CaseStage) async throws {
    let context = try stage.container(ListModel.schema).viewContext
    let controller = FetchedResultsController(.ranked(), in: context)
    try controller.performFetch()
    let before = ReportReplay(controller)
    let reports = controller.reports
    let reader = Task { @MainActor in
      var replay = before
      var problems: [String] = []
      var changes = 0
      for await report in reports {
        problems += replay.apply(report)
        changes += report.changes.count
        if changes >= 5 { break }
      }
      return (replay: replay, problems: problems, changes: changes)
    }
    for rank in 1...5 {
      _ = try context.messages([Int64(rank % 3)])
      await Task.yield()
    }
    // A store that lost a row would keep the reader waiting.
    if controller.count < 5 { reader.cancel() }
    let read = await reader.value
    try checkEqual(read.problems, [], "the reports")
    try checkEqual(read.changes, 5, "changes")
    try checkEqual(try read.replay.differences(from: controller), [], "what differs from a fresh fetch")
  }

  @MainActor private static func readsAfterwards(_ stage: CaseStage) async throws {
    let context = try stage.container(ListModel.schema).viewContext
    let rows = try context.messages([(1, "A"), (2, "A"), (3, "B")])
    let controller = FetchedResultsController(.ranked(), in: context, sections: .attribute(\.room))
    try controller.performFetch()
    try checkEqual(controller.count, 3, "rows")
    var replay = ReportReplay(controller)
    let reports = controller.reports
    rows[0].rank = 5
    try context.save()
    rows[0].rank = 1
    try context.save()
    context.delete(rows[2])
    try context.save()
    let passing = try context.messages([(9, "C")])
    context.delete(passing[0])
    try context.save()
    var iterator = reports.makeAsyncIterator()
    let report = try checkPresent(await iterator.next(), "the report")
    try checkEqual(replay.apply(report), [], "the report")
    try checkEqual(report.sections, [.delete(1, name: "B")], "sections")
    try checkEqual(report.changes.map(\.objectID.number), [3, 1], "objects")
    try checkEqual(try replay.differences(from: controller), [], "what differs from a fresh fetch")
    try check(reports.nextIfAvailable() == nil, "there is no second report")
  }

  @MainActor private static func endsWhenCancelled(_ stage: CaseStage) async throws {
    let context = try stage.container(ListModel.schema).viewContext
    _ = try context.messages([1])
    let controller = FetchedResultsController(.ranked(), in: context)
    try controller.performFetch()
    try checkEqual(controller.count, 1, "rows")
    let reports = controller.reports
    let reader = Task { @MainActor in
      var count = 0
      for await _ in reports { count += 1 }
      return count
    }
    await Task.yield()
    reader.cancel()
    try checkEqual(await reader.value, 0, "reports")
  }

  @MainActor private static func followsImports(_ stage: CaseStage) async throws {
    let container = try stage.container(ListModel.schema)
    let list = try WatchedList(.ranked(), in: container.viewContext, sections: .attribute(\.room))
    var merged: UInt64 = 0
    for round in 0..<5 {
      try await container.performBackgroundTask(author: "importer") { context in
        context.mergePolicy = .objectTrump
        _ = try context.execute(
          BatchInsertRequest(
            entity: "Message",
            records: (0..<20).map { index in
              [
                "code": .string("code \(index + round)"), "rank": .int(Int64(index * 7 % 20)),
                "room": .string("room \(index % 3)"),
              ]
            }))
      }
      merged = try container.viewContext.mergeAll(of: container, after: merged)
      try check(try !list.events().isEmpty, "round \(round) is reported")
    }
    try checkEqual(list.controller.count, 24, "rows")
  }
}
