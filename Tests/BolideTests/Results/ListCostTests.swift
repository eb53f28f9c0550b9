import Bolide
import BolideStorage
import Foundation
import Testing

/// Rule F-2: the cost follows the change, not the list.
@Suite struct ListCostTests {
  @Test func `ten changes in a hundred thousand rows cost a few comparisons each`() throws {
    let container = try Chat.container()
    let importer = container.newContext(author: "importer")
    var next: Int64 = 0
    _ = try importer.execute(
      BatchInsertRequest(Message.self, from: Array(0..<100_000)) { (message: Message, index: Int) in
        message.rank = Int64(index)
        message.room = "room \(index % 50)"
      })
    let view = container.newContext(author: "view")
    let controller = FetchedResultsController(
      FetchRequest<Message>(sort: [SortDescriptor(\.rank)]), in: view, sections: .attribute(\.room))
    try controller.performFetch()
    #expect(controller.count == 100_000 && controller.numberOfSections == 50)
    let reports = controller.reports
    for number in stride(from: Number(5), to: 100_000, by: 10_000) {
      let id = ManagedObjectID(storeID: container.storeID, entityName: "Message", number: number)
      next += 1
      let message = try importer.existingObject(with: id)
      try message.setValue(.int(next * 7_777), for: "rank")
    }
    try importer.save()
    _ = try Chat.merge(into: view, of: container, after: 1)
    let work = controller.lastWork
    #expect(work.rowsRead == 10)
    // Each change is placed in both versions, removed and inserted: some twenty comparisons, a dozen times.
    #expect(work.comparisons < 10 * 600)
    #expect(controller.rowsLoaded == 0)
    #expect(reports.nextIfAvailable()?.changes.count == 10)
  }
}
