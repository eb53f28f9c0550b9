import BolideStorage

/// What one save or merge, or several together, did to a list (rule F-1).
///
/// Old places are in the list before, new ones in the list after. To bring a copy of the list up to date, take away the
/// rows of deletes and the old places of moves, and the deleted sections with all their rows; then add the inserted
/// sections; then put the rows of inserts and moves at their new places, in ascending order.
public struct ResultsReport<Object: ManagedObject> {
  /// The sections that went and came: deletes by old index, then inserts by new index.
  public let sections: [ResultsSectionChange]
  /// One change an object: deletes by old place, inserts by new place, moves by new place, updates by old place.
  public let changes: [ResultsChange<Object>]

  /// Puts changes together.
  package init(sections: [ResultsSectionChange], changes: [ResultsChange<Object>]) {
    self.sections = sections
    self.changes = changes
  }
}

/// A section that came or went.
public enum ResultsSectionChange: Hashable, Sendable {
  /// The section at an index of the list before is gone, and the rows it had are no longer in it.
  case delete(Int, name: String)
  /// A section is at an index of the list after.
  case insert(Int, name: String)
}

/// What happened to one object of a list.
public enum ResultsChange<Object: ManagedObject> {
  /// The object is in the list now; or the section it was in is gone, and it is in another.
  case insert(Object, RowPath)
  /// The object that was at a place is not in the list any more.
  case delete(ManagedObjectID, RowPath)
  /// The object went to another section, or past objects that stayed; it may have changed as well.
  case move(Object, RowPath, RowPath)
  /// The object changed and stands where it stood among the others; its old place and its new one.
  case update(Object, RowPath, RowPath)

  /// The object's id.
  public var objectID: ManagedObjectID {
    switch self {
    case .insert(let object, _), .move(let object, _, _), .update(let object, _, _): object.objectID
    case .delete(let id, _): id
    }
  }

  /// The place in the list before; `nil` for an insert.
  public var oldPath: RowPath? {
    switch self {
    case .insert: nil
    case .delete(_, let path), .move(_, let path, _), .update(_, let path, _): path
    }
  }

  /// The place in the list after; `nil` for a delete.
  public var newPath: RowPath? {
    switch self {
    case .delete: nil
    case .insert(_, let path), .move(_, _, let path), .update(_, _, let path): path
    }
  }
}

/// A section of a list.
public struct ResultsSection: Sendable {
  /// What all rows of the section have in common: the text of an attribute, a day, or what a function gave.
  public let name: String
  /// How many rows the section has.
  public let numberOfRows: Int
  /// What the section's function gave, or its attribute's `Value`; `nil` in a list without sections.
  public let value: (any Sendable)?
  /// The first letter of the name, upper case: for an index at the side of a list.
  public var indexTitle: String { name.first.map { $0.uppercased() } ?? "" }
}
