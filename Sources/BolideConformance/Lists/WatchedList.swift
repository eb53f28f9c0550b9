import Bolide
import BolideStorage

/// A controller under an event checker: each report, as callbacks and as a sequence, is applied to a copy of the list of
/// before, which must then equal the list and a fresh fetch (rule F-1).
final class WatchedList<Object: ManagedObject>: FetchedResultsControllerDelegate {
  let controller: FetchedResultsController<Object>
  private var replay: ReportReplay
  private let reports: ResultsReports<Object>
  private var combined: ReportReplay
  private var isInside = false
  private var sections: [ResultsSectionChange] = []
  private var changes: [ResultsChange<Object>] = []
  private var problems: [String] = []
  /// The lines of all reports since they were last taken.
  private var lines: [String] = []
  /// What a case does in each callback about an object.
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
    controller.errorHandler = { [unowned self] in problems.append("following failed: \($0)") }
    problems += try replay.differences(from: controller)
  }

  private func expect(_ condition: Bool, _ problem: String) {
    if !condition { problems.append(problem) }
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {
    expect(!isInside, "a report begins inside another")
    isInside = true
    expect(
      replay.differences(fromListOf: controller).isEmpty, "the list is not the old one before the changes")
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: ResultsSectionChange
  ) {
    expect(isInside && changes.isEmpty, "a section is told outside a report, or after an object")
    sections.append(change)
    switch change {
    case .delete(let index, let name): lines.append("delete section \(index) \(name)")
    case .insert(let index, let name): lines.append("insert section \(index) \(name)")
    }
  }

  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: ResultsChange<Object>
  ) {
    expect(isInside, "an object is told outside a report")
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
      expect(controller.objectID(at: path) == change.objectID, "\(change.objectID) is not at \(path)")
    }
    onChange?(change)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {
    expect(isInside, "a report ends that did not begin")
    isInside = false
    problems += replay.apply(ResultsReport(sections: sections, changes: changes))
    problems += replay.differences(fromListOf: controller)
    sections = []
    changes = []
  }

  /// The lines of the reports since the last call, after both copies were compared with a fresh fetch.
  func events(file: String = #fileID, line: Int = #line) throws -> [String] {
    expect(!isInside, "a report did not end")
    problems += try replay.differences(from: controller)
    if let report = reports.nextIfAvailable() { problems += combined.apply(report) }
    expect(combined.sections == replay.sections, "the sequence's reports lead to another list")
    try checkEqual(problems, [], "what the event checker found", file: file, line: line)
    defer { lines = [] }
    return lines
  }

  /// Compares the lines of the reports since the last call with what they should be.
  func expectEvents(_ expected: String..., file: String = #fileID, line: Int = #line) throws {
    try checkEqual(try events(file: file, line: line), expected, "the events", file: file, line: line)
  }

  /// The numbers of the objects, in order.
  var numbers: [Number] { controller.objectIDs.map(\.number) }

  /// The names of the sections, in order.
  var sectionNames: [String] { controller.sections.map(\.name) }
}
