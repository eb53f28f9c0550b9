import BolideStorage

/// A list as it was at one moment: sections and ids. It costs nothing to take, and stays as it is.
public struct ResultsSnapshot: Sendable {
  private let tree: ListTree
  private let hasSections: Bool
  private let coordinator: StoreCoordinator

  init(_ tree: ListTree, hasSections: Bool, of coordinator: StoreCoordinator) {
    self.tree = tree
    self.hasSections = hasSections
    self.coordinator = coordinator
  }

  /// How many objects there are.
  public var count: Int { tree.count }

  /// How many sections there are; a list without sections always has one.
  public var numberOfSections: Int { hasSections ? tree.sectionCount : 1 }

  /// The sections' names, each with the ids of its objects, in order.
  public var sections: [(name: String, ids: [ManagedObjectID])] {
    var result: [(name: String, ids: [ManagedObjectID])] = hasSections ? [] : [("", [])]
    var work = ListWork()
    var last: SectionKey?
    tree.forEach { entry in
      if hasSections, result.isEmpty || !work.areEqual(last, entry.section) {
        result.append((entry.section?.value.name ?? "", []))
        last = entry.section
      }
      result[result.count - 1].ids.append(id(entry))
    }
    return result
  }

  /// The ids of all objects, in order.
  public var objectIDs: [ManagedObjectID] {
    var result: [ManagedObjectID] = []
    result.reserveCapacity(count)
    tree.forEach { result.append(id($0)) }
    return result
  }

  /// What leads from an older snapshot of the same list to this one, by id. Objects that changed in their place are not
  /// in it: a snapshot holds places alone. The cost follows the sizes of both.
  public func difference(from older: ResultsSnapshot) -> ResultsDifference {
    var work = ListWork()
    var known: [Number: ListEntry] = [:]
    older.tree.forEach { known[$0.number] = $0 }
    var touched: [TouchedRow] = []
    tree.forEach { entry in
      let old = known.removeValue(forKey: entry.number)
      if let old, work.areSame(old, entry) { return }
      touched.append(TouchedRow(number: entry.number, old: old, new: entry, isUpdated: false))
    }
    for (number, entry) in known {
      touched.append(TouchedRow(number: number, old: entry, new: nil, isUpdated: false))
    }
    let difference = ListDifference(from: older.tree, to: tree, rows: touched, work: &work)
    return ResultsDifference(
      sections: difference.deletedSections.map { .delete($0.index, name: $0.key.value.name) }
        + difference.insertedSections.map { .insert($0.index, name: $0.key.value.name) },
      changes: difference.changes.map { change in
        switch change {
        case .delete(let entry, let path): .delete(id(entry), path)
        case .insert(let entry, let path): .insert(id(entry), path)
        case .move(let entry, let old, let new): .move(id(entry), old, new)
        case .update(let entry, let old, let new): .update(id(entry), old, new)
        }
      })
  }

  private func id(_ entry: ListEntry) -> ManagedObjectID {
    ManagedObjectID(
      storeID: coordinator.storeID, entityName: coordinator.map.entities[entry.entity].name,
      number: entry.number)
  }
}

/// What leads from one snapshot of a list to another; places as in a ``ResultsReport``.
public struct ResultsDifference: Sendable, Hashable {
  /// The sections that went and came.
  public let sections: [ResultsSectionChange]
  /// One change an object.
  public let changes: [Change]

  /// What happened to one object.
  public enum Change: Sendable, Hashable {
    /// The object is in the list now.
    case insert(ManagedObjectID, RowPath)
    /// The object is not in the list any more.
    case delete(ManagedObjectID, RowPath)
    /// The object went to another section, or past objects that stayed.
    case move(ManagedObjectID, RowPath, RowPath)
    /// The object's sort key differs and it stands where it stood among the others.
    case update(ManagedObjectID, RowPath, RowPath)
  }
}

extension FetchedResultsController {
  /// The list as it is now.
  public var snapshot: ResultsSnapshot {
    ResultsSnapshot(tree, hasSections: rule != nil, of: context.coordinator)
  }
}
