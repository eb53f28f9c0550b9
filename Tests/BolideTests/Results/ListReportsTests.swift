import Bolide
import BolideStorage
import Foundation
import Testing

/// Reports as a sequence: a slow reader gets them together, none is lost.
@Suite struct ListReportsTests {
  private let ranked = FetchRequest<Message>(sort: [SortDescriptor(\.rank)])

  @Test @MainActor func `a reader gets a report for each save`() async throws {
    let container = try Chat.container()
    let context = container.viewContext
    let controller = FetchedResultsController(ranked, in: context)
    try controller.performFetch()
    var replay = ReportReplay(controller)
    let reports = controller.reports
    let writer = Task { @MainActor in
      for rank in 1...5 {
        _ = try Chat.messages([(Int64(rank % 3), nil)], in: context)
        await Task.yield()
      }
    }
    var rows = 0
    for await report in reports {
      #expect(replay.apply(report) == [])
      rows += report.changes.count
      if rows == 5 { break }
    }
    try await writer.value
    #expect(try replay.differences(from: controller) == [])
  }

  @Test @MainActor func `a slow reader gets one report for several saves`() async throws {
    let container = try Chat.container()
    let context = container.viewContext
    let rows = try Chat.messages([(1, "A"), (2, "A"), (3, "B")], in: context)
    let controller = FetchedResultsController(ranked, in: context, sections: .attribute(\.room))
    try controller.performFetch()
    var replay = ReportReplay(controller)
    let reports = controller.reports
    rows[0].rank = 5
    try context.save()
    rows[0].rank = 1
    try context.save()
    context.delete(rows[2])
    try context.save()
    let passing = try Chat.messages([(9, "C")], in: context)
    context.delete(passing[0])
    try context.save()
    var iterator = reports.makeAsyncIterator()
    let report = try #require(await iterator.next())
    #expect(replay.apply(report) == [])
    #expect(report.sections == [.delete(1, name: "B")])
    #expect(report.changes.map(\.objectID.number) == [3, 1])
    #expect(try replay.differences(from: controller) == [])
    #expect(reports.nextIfAvailable() == nil)
  }

  @Test @MainActor func `a cancelled task's reader ends`() async throws {
    let container = try Chat.container()
    let controller = FetchedResultsController(ranked, in: container.viewContext)
    try controller.performFetch()
    let reports = controller.reports
    let reader = Task { @MainActor in
      var count = 0
      for await _ in reports { count += 1 }
      return count
    }
    await Task.yield()
    reader.cancel()
    #expect(await reader.value == 0)
  }
}
