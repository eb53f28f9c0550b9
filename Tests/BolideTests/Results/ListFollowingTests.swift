import Bolide
import BolideStorage
import Foundation
import Testing

/// When a list follows what, and what may be done meanwhile (rules F-1, G-1, M-1, M-4).
@Suite struct ListFollowingTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try Chat.container()
    context = container.newContext(author: "test")
  }

  private let ranked = FetchRequest<Message>(sort: [SortDescriptor(\.rank)])

  @Test func `unsaved edits join the list when they are saved`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    let list = try WatchedList(ranked, in: context)
    rows[0].rank = 9
    _ = Message(context: context)
    #expect(try list.events() == [])
    context.rollback()
    #expect(try list.events() == ["update 1 0/0"])
    rows[0].rank = 9
    try context.save()
    #expect(try list.events() == ["move 1 0/0 -> 0/1"])
    try context.save()
    #expect(try list.events() == [])
  }

  @Test func `merging one's own transaction, or one twice, reports nothing`() throws {
    let list = try WatchedList(ranked, in: context)
    _ = try Chat.messages([(1, nil)], in: context)
    #expect(try list.events() == ["insert 1 0/0"])
    _ = try Chat.messages([(0, nil)], in: container.newContext(author: "other"))
    for _ in 0..<2 { _ = try Chat.merge(into: context, of: container, after: 0) }
    #expect(try list.events() == ["insert 2 0/0"])
  }

  @Test func `a pinned context's list stays until it merges`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    try context.setQueryGeneration(from: .current)
    let list = try WatchedList(ranked, in: context)
    let other = container.newContext(author: "other")
    _ = try Chat.messages([(0, nil), (5, nil)], in: other)
    other.delete(try other.existingObject(with: rows[1].objectID))
    try other.save()
    #expect(try list.events() == [])
    #expect(list.controller.count == 2)
    // A pinned context moves to the newest state as a whole: one report.
    _ = try Chat.merge(into: context, of: container, after: 1)
    #expect(try list.events() == ["delete 2 0/1", "insert 3 0/0", "insert 4 0/2"])
  }

  @Test func `a save of a pinned context brings what others saved meanwhile`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    try context.setQueryGeneration(from: .current)
    let list = try WatchedList(ranked, in: context)
    _ = try Chat.messages([(0, nil)], in: container.newContext(author: "other"))
    rows[0].rank = 3
    try context.save()
    #expect(try list.events() == ["insert 3 0/0", "move 1 0/0 -> 0/2"])
  }

  @Test func `unpinning and a reset report what differs`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    try context.setQueryGeneration(from: .current)
    let list = try WatchedList(ranked, in: context)
    let other = container.newContext(author: "other")
    other.delete(try other.existingObject(with: rows[0].objectID))
    try other.save()
    try context.setQueryGeneration(from: .unpinned)
    #expect(try list.events() == ["delete 1 0/0", "update 2 0/1 -> 0/0"])
    try context.reset()
    #expect(try list.events() == ["update 2 0/0"])
  }

  @Test func `a refresh by id follows a batch update`() throws {
    let rows = try Chat.messages([(1, "open"), (2, "open")], in: context)
    let list = try WatchedList(ranked, in: context, sections: .attribute(\.room))
    let result = try context.execute(
      BatchUpdateRequest(Message.self).set(\.room, to: "done"))
    for id in result.updated {
      context.refresh(try context.existingObject(with: id), mergeChanges: false)
    }
    #expect(rows.map(\.room) == ["done", "done"])
    #expect(
      try list.events() == [
        "insert section 0 done", "move 1 0/0 -> 0/0", "delete section 1 open", "insert 2 0/1",
      ])
  }

  @Test func `a save from a callback is refused`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    let list = try WatchedList(ranked, in: context)
    var codes: [ErrorCode] = []
    list.onChange = { _ in
      rows[1].rank = 7
      do {
        try context.save()
      } catch let error as BolideError {
        codes.append(error.code)
      } catch {
        Issue.record(error)
      }
    }
    rows[0].rank = 5
    try context.save()
    list.onChange = nil
    #expect(codes == [.contextCallback])
    #expect(context.hasChanges)
    #expect(try list.events() == ["move 1 0/0 -> 0/1"])
    try context.save()
    #expect(
      try list.events() == ["update 2 0/0 -> 0/1"] || list.controller.objectIDs.map(\.number) == [1, 2])
  }

  @Test func `a callback may refresh, and its report comes after`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil)], in: context)
    let list = try WatchedList(ranked, in: context)
    var isFirst = true
    list.onChange = { _ in
      if isFirst { context.refresh(rows[1], mergeChanges: true) }
      isFirst = false
    }
    rows[0].text = "a"
    try context.save()
    #expect(try list.events() == ["update 1 0/0", "update 2 0/1"])
  }

  /// R15: the old list before the first change, the new one from then on.
  @Test func `a callback may read the list`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil), (3, nil)], in: context)
    let controller = FetchedResultsController(ranked, in: context)
    let reader = ListReader()
    controller.delegate = reader
    try controller.performFetch()
    context.delete(rows[2])
    Message(context: context).rank = 0
    rows[0].text = "a"
    try context.save()
    #expect(
      reader.seen == [
        "will: 1, 2, 3", "delete 3: 4, 1, 2", "insert 4: 4, 1, 2", "update 1: 4, 1, 2", "did: 4, 1, 2",
      ])
  }

  /// R14.
  @Test func `only batches that are looked at are loaded, and rows that vanish are no trap`() throws {
    _ = try Chat.messages((1...1000).map { (rank: $0, room: nil) }, in: context)
    let view = container.newContext(author: "view")
    let list = try WatchedList(ranked, in: view, batchSize: 20)
    #expect(list.controller.rowsLoaded == 0)
    #expect(
      (0..<20).map { list.controller.object(at: RowPath(section: 0, row: $0)).rank } == (1...20).map { $0 })
    #expect(list.controller.rowsLoaded == 20)
    let other = container.newContext(author: "other")
    let gone = (500...599).map {
      ManagedObjectID(storeID: container.storeID, entityName: "Message", number: Number($0))
    }
    #expect(try other.execute(BatchDeleteRequest(ids: gone)).deleted.count == 100)
    for row in 489..<610 {
      let object = list.controller.object(at: RowPath(section: 0, row: row))
      #expect(object.rank == (gone.contains(object.objectID) ? nil : Int64(row + 1)))
      #expect(object.isInaccessible == gone.contains(object.objectID))
    }
    _ = try Chat.merge(into: view, of: container, after: 1)
    #expect(try list.events().count == 100)
    #expect(
      list.controller.fetchedObjects.map(\.rank) == (Array(1...499) + Array(600...1000)).map { Int64($0) })
    #expect(list.controller.fetchedObjects.allSatisfy { !$0.isInaccessible })
  }

  /// R10.
  @Test func `a cache name cannot show stale sections`() throws {
    let rows = try Chat.messages([(1, "A")], in: context)
    let request = FetchRequest<Message>(
      entity: "Message", where: .compare(.path(["room"]), .equal, .literal(.string("B"))))
    let first = FetchedResultsController(
      request, in: context, sections: .attribute("room"), cacheName: "rooms")
    try first.performFetch()
    #expect(first.count == 0 && first.numberOfSections == 0)
    rows[0].room = "B"
    try context.save()
    let second = FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "room", cacheName: "rooms")
    try second.performFetch()
    #expect(second.sections.map(\.name) == ["B"] && first.sections.map(\.name) == ["B"])
  }

  @Test func `what no list can be made of is refused`() throws {
    func code<Object: ManagedObject>(_ request: FetchRequest<Object>) -> ErrorCode? {
      do {
        try FetchedResultsController(request, in: context).performFetch()
        return nil
      } catch {
        return (error as? BolideError)?.code
      }
    }
    #expect(code(FetchRequest<Message>(limit: 3)) == .resultsRequest)
    #expect(code(FetchRequest<Author>(entity: "Message")) == .resultsRequest)
    #expect(code(FetchRequest<ManagedObject>(entity: "Mesage")) == .schemaUnknownEntity)
    #expect(code(FetchRequest<ManagedObject>(entity: "Message")) == nil)
  }
}

/// Reads the whole list, by places, in every call.
private final class ListReader: FetchedResultsControllerDelegate {
  var seen: [String] = []

  private func read(_ controller: FetchedResultsController<Message>, _ call: String) {
    let numbers = controller.objectIDs.indices.map { row in
      "\(controller.object(at: RowPath(section: 0, row: row)).objectID.number)"
    }
    seen.append("\(call): \(numbers.joined(separator: ", "))")
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Message>) {
    read(controller, "will")
  }

  func controller(
    _ controller: FetchedResultsController<Message>, didChangeObject change: ResultsChange<Message>
  ) {
    switch change {
    case .insert(let object, _): read(controller, "insert \(object.objectID.number)")
    case .delete(let id, _): read(controller, "delete \(id.number)")
    case .move(let object, _, _): read(controller, "move \(object.objectID.number)")
    case .update(let object, _, _): read(controller, "update \(object.objectID.number)")
    }
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Message>) { read(controller, "did") }
}
