import BolideStorage

/// What a context did to one to-many side since it read it: a delta, so that two contexts that edit one set never
/// conflict (rule U-10).
struct RelationshipEdits {
  private(set) var added: Set<ManagedObjectID> = []
  private(set) var removed: Set<ManagedObjectID> = []

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  mutating func add(_ id: ManagedObjectID) {
    if removed.remove(id) == nil { added.insert(id) }
  }

  mutating func remove(_ id: ManagedObjectID) {
    if added.remove(id) == nil { removed.insert(id) }
  }

  /// Drops what was done with one member.
  mutating func forget(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
  }

  /// A temporary id became permanent.
  mutating func rename(_ old: ManagedObjectID, to new: ManagedObjectID) {
    if added.remove(old) != nil { added.insert(new) }
    if removed.remove(old) != nil { removed.insert(new) }
  }

  func applied(to stored: Set<ManagedObjectID>) -> Set<ManagedObjectID> {
    stored.union(added).subtracting(removed)
  }
}
