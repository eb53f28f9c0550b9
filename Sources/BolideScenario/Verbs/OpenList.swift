import Bolide
import BolideStorage
import Foundation

/// A list that follows its data under a name, with the reports that no step has shown yet.
///
/// Every report is applied to a copy of the list, which then has to be the list.
final class OpenList: FetchedResultsControllerDelegate {
  let controller: FetchedResultsController<ManagedObject>
  let context: StoreSession.OpenContext
  /// The clock that the sections depend on: they are asked for again, as a timer would, when the list is looked at
  /// after the clock has moved.
  private let clock: TestClock?
  private var seen: Date?
  private var copy: ReportReplay
  private var sections: [ResultsSectionChange] = []
  private var changes: [ResultsChange<ManagedObject>] = []
  private var count = 0
  private var lines: [String] = []

  init(
    _ request: FetchRequest<ManagedObject>, sections: ResultsSections<ManagedObject>?, batchSize: Int,
    clock: TestClock?, in context: StoreSession.OpenContext
  ) throws {
    self.context = context
    self.clock = clock
    seen = clock?.now
    controller = FetchedResultsController(
      request, in: context.context, sections: sections, batchSize: batchSize)
    try controller.performFetch()
    copy = ReportReplay(controller)
    controller.delegate = self
  }

  /// The list as text.
  func text() throws -> [String] {
    try followClock()
    var text: [String] = []
    for section in ReportReplay.list(controller) {
      if controller.hasSections { text.append("section \(CanonicalText.quoted(section.name))") }
      text += section.ids.map { "  \($0)" }
    }
    return text + ["\(controller.count) rows"]
  }

  /// The reports since the last call, as text.
  func drain() throws -> [String] {
    try followClock()
    defer { lines = [] }
    return lines.isEmpty ? ["no events"] : lines
  }

  private func followClock() throws {
    guard let clock, seen != clock.now else { return }
    seen = clock.now
    try controller.reevaluateSections()
  }

  // MARK: Reports

  func controller(
    _ controller: FetchedResultsController<ManagedObject>, didChangeSection change: ResultsSectionChange
  ) {
    sections.append(change)
  }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>,
    didChangeObject change: ResultsChange<ManagedObject>
  ) {
    changes.append(change)
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController<ManagedObject>) {
    count += 1
    lines.append("report \(count)")
    for change in sections {
      switch change {
      case .delete(let index, _): lines.append("  delete section \(index)")
      case .insert(let index, let name):
        lines.append("  insert section \(index) \(CanonicalText.quoted(name))")
      }
    }
    lines += changes.map { "  \(Self.text($0))" }
    let problems =
      copy.apply(ResultsReport(sections: sections, changes: changes))
      + copy.differences(fromListOf: controller)
    lines += problems.map { "  wrong: \($0)" }
    sections = []
    changes = []
  }

  private static func text(_ change: ResultsChange<ManagedObject>) -> String {
    switch change {
    case .insert(let object, let path): "insert \(object.objectID) \(path)"
    case .delete(let id, let path): "delete \(id) \(path)"
    case .move(let object, let old, let new): "move \(object.objectID) \(old) -> \(new)"
    case .update(let object, let old, let new):
      "update \(object.objectID) \(old)" + (old == new ? "" : " -> \(new)")
    }
  }
}
