import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// A controller whose every report is applied to a copy of its list and compared with a fresh fetch.
final class WatchedList<Object: ManagedObject>: FetchedResultsControllerDelegate {
  let controller: FetchedResultsController<Object>
  private var replay: ReportReplay
  private let reports: ResultsReports<Object>
  private var combined: ReportReplay
  private var isInside = false
  private var sections: [ResultsSectionChange] = []
  private var changes: [ResultsChange<Object>] = []
  /// The lines of all reports since they were last taken.
  private var lines: [String] = []
  /// What a test does in each callback about an object.
  var onChange: ((ResultsChange<Object>) -> Void)?

  init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext,
    sections: ResultsSections<Object>? = nil, batchSize: Int = 0
  ) throws {
    controller = FetchedResultsController(request, in: context, sections: sections, batchSize: batchSize)
    try controller.performFetch()
    replay = ReportReplay(controller)
    combined = replay
    reports = controller.reports
    controller.delegate = self
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
    #expect(!isInside)
    isInside = true
    #expect(ReportReplay.list(controller) == replay.sections, "the list is the old one before the changes")
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: ResultsSectionChange
  ) {
    #expect(isInside && changes.isEmpty)
    sections.append(change)
    switch change {
    case .delete(let index, let name): lines.append("delete section \(index) \(name)")
    case .insert(let index, let name): lines.append("insert section \(index) \(name)")
    }
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: ResultsChange<Object>
  ) {
    #expect(isInside)
    changes.append(change)
    switch change {
    case .insert(let object, let new): lines.append("insert \(object.objectID.number) \(new)")
    case .delete(let id, let old): lines.append("delete \(id.number) \(old)")
    case .move(let object, let old, let new):
      lines.append("move \(object.objectID.number) \(old) -> \(new)")
    case .update(let object, let old, let new):
      lines.append("update \(object.objectID.number) \(old)" + (old == new ? "" : " -> \(new)"))
    }
    if let path = change.newPath {
      #expect(controller.objectID(at: path) == change.objectID, "the list is the new one in a change")
    }
    onChange?(change)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
    #expect(isInside)
    isInside = false
    let problems = replay.apply(ResultsReport(sections: sections, changes: changes))
    #expect(problems == [])
    sections = []
    changes = []
  }

  /// The lines of the reports since the last call, after both copies were compared with a fresh fetch.
  func events() throws -> [String] {
    #expect(!isInside)
    #expect(try replay.differences(from: controller) == [])
    if let report = reports.nextIfAvailable() { #expect(combined.apply(report) == []) }
    #expect(combined.sections == replay.sections)
    defer { lines = [] }
    return lines
  }
}

final class Author: ManagedObject {
  @Attribute var name = ""
  @Relationship(inverse: \Message.author) var messages: ToMany<Message>
  @Derived("messages.@count") var messageCount: Int64
}

final class Message: ManagedObject {
  @Attribute var text = ""
  @Attribute var rank: Int64?
  @Attribute var room: String?
  @Attribute var sent: Date?
  @Attribute var isHidden = false
  @Relationship var author: Author?
}

enum Chat {
  static let schema = Schema(Author.self, Message.self)

  static func container() throws -> PersistentContainer {
    try PersistentContainer(schema, at: StoreLocation(MemoryBackend(), Location(path: "chat")))
  }

  /// Saves messages with ranks in rooms, one after the other, and gives them back.
  static func messages(_ rows: [(rank: Int64?, room: String?)], in context: ManagedObjectContext) throws
    -> [Message]
  {
    let messages = rows.map { row in
      let message = Message(context: context)
      message.rank = row.rank
      message.room = row.room
      return message
    }
    try context.save()
    return messages
  }

  /// Brings everything that others saved to a context.
  static func merge(into context: ManagedObjectContext, of container: PersistentContainer, after: UInt64)
    throws -> UInt64
  {
    let others = try container.history(PersistentHistoryRequest(after: .number(after))).transactions
    for transaction in others { try context.mergeChanges(from: transaction) }
    return others.last?.number ?? after
  }
}
