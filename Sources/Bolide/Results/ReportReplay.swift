import BolideStorage

/// A plain copy of a list that is kept by its reports alone: what proves that they lead from each list to the next (rule
/// F-1).
package struct ReportReplay: Sendable {
  /// The sections with the ids of their rows.
  package private(set) var sections: [Section]

  /// A section of the copy.
  package struct Section: Sendable, Hashable {
    package var name: String
    package var ids: [ManagedObjectID]
  }

  /// Copies a controller's list as it is.
  package init<Object: ManagedObject>(_ controller: FetchedResultsController<Object>) {
    sections = Self.list(controller)
  }

  /// A controller's list, read row by row.
  package static func list<Object: ManagedObject>(_ controller: FetchedResultsController<Object>) -> [Section]
  {
    controller.sections.enumerated().map { section, description in
      Section(
        name: description.name,
        ids: (0..<controller.numberOfRows(inSection: section)).compactMap {
          controller.objectID(at: RowPath(section: section, row: $0))
        })
    }
  }

  /// Applies a report; what is wrong with it, in words.
  package mutating func apply<Object: ManagedObject>(_ report: ResultsReport<Object>) -> [String] {
    var problems: [String] = []
    var seen: Set<ManagedObjectID> = []
    var marked = sections.map { $0.ids.map(Optional.some) }
    var updates: [(id: ManagedObjectID, path: RowPath)] = []
    var arrivals: [(id: ManagedObjectID, path: RowPath)] = []
    var deletedSections: Set<Int> = []
    for case .delete(let index, let name) in report.sections {
      if !sections.indices.contains(index) || sections[index].name != name {
        problems.append("section \(index) \(name) is deleted and was not there")
      }
      if !deletedSections.insert(index).inserted { problems.append("section \(index) is deleted twice") }
    }
    for change in report.changes {
      let id = change.objectID
      if !seen.insert(id).inserted { problems.append("\(id) has two changes") }
      if let old = change.oldPath {
        if !sections.indices.contains(old.section) || !sections[old.section].ids.indices.contains(old.row)
          || sections[old.section].ids[old.row] != id
        {
          problems.append("\(id) was not at \(old)")
          continue
        }
      }
      switch change {
      case .insert(_, let new): arrivals.append((id, new))
      case .delete(_, let old): marked[old.section][old.row] = nil
      case .move(_, let old, let new):
        if deletedSections.contains(old.section) { problems.append("\(id) moves out of a deleted section") }
        marked[old.section][old.row] = nil
        arrivals.append((id, new))
      case .update(_, _, let new): updates.append((id, new))
      }
    }
    var next: [Section] = []
    for (index, section) in marked.enumerated() where !deletedSections.contains(index) {
      next.append(Section(name: sections[index].name, ids: section.compactMap { $0 }))
    }
    for case .insert(let index, let name) in report.sections {
      if index > next.count {
        problems.append("section \(index) is inserted past the end")
        continue
      }
      next.insert(Section(name: name, ids: []), at: index)
    }
    for (id, path) in arrivals.sorted(by: { $0.path < $1.path }) {
      guard next.indices.contains(path.section), path.row <= next[path.section].ids.count else {
        problems.append("\(id) arrives past the end, at \(path)")
        continue
      }
      next[path.section].ids.insert(id, at: path.row)
    }
    sections = next
    for (id, path) in updates where self[path] != id { problems.append("\(id) is not at \(path)") }
    return problems
  }

  private subscript(path: RowPath) -> ManagedObjectID? {
    guard sections.indices.contains(path.section), sections[path.section].ids.indices.contains(path.row)
    else { return nil }
    return sections[path.section].ids[path.row]
  }

  /// Compares the copy with the controller's list; what differs, in words.
  package func differences<Object: ManagedObject>(
    fromListOf controller: FetchedResultsController<Object>
  ) -> [String] {
    sections == Self.list(controller) ? [] : ["the copy differs from the controller's list"]
  }

  /// Compares the copy with the controller's list and that with a fresh fetch; what differs, in words.
  package func differences<Object: ManagedObject>(
    from controller: FetchedResultsController<Object>
  ) throws -> [String] {
    var problems = differences(fromListOf: controller)
    let fresh = FetchedResultsController(
      controller.request, in: controller.context, sections: controller.rule)
    try fresh.performFetch()
    if Self.list(fresh) != Self.list(controller) { problems.append("the list differs from a fresh one") }
    if controller.rule == nil {
      var request = controller.request
      request.includesPendingChanges = false
      if try controller.context.fetchIDs(request) != controller.objectIDs {
        problems.append("the list differs from a fetch")
      }
    }
    if controller.sections.contains(where: { $0.numberOfRows == 0 }), controller.rule != nil {
      problems.append("a section is empty")
    }
    for section in sections.indices {
      for (row, id) in sections[section].ids.enumerated()
      where controller.rowPath(for: id) != RowPath(section: section, row: row) {
        problems.append("\(id) is not found at its place \(section)/\(row)")
      }
    }
    return problems
  }
}
