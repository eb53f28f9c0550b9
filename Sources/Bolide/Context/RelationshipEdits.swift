import BolideStorage

/// What a context did to one to-many side since it read it: a delta, so that two contexts that edit one set never
/// conflict (rule U-10).
struct RelationshipEdits {
  private(set) var added: Set<ManagedObjectID> = []
  private(set) var removed: Set<ManagedObjectID> = []
  /// The same edits in the order they were made, for looks at the members that are not taken apart yet.
  private var log: RelationshipLog?

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  mutating func add(_ id: ManagedObjectID) {
    if removed.remove(id) == nil { added.insert(id) }
    log?.entries.append((id, true))
  }

  mutating func remove(_ id: ManagedObjectID) {
    if added.remove(id) == nil { removed.insert(id) }
    log?.entries.append((id, false))
  }

  /// Drops what was done with one member.
  mutating func forget(_ id: ManagedObjectID) {
    added.remove(id)
    removed.remove(id)
    log = nil
  }

  /// The members were read anew: what is there already is not to be added, and what is not there not to be removed.
  mutating func rebase(on stored: Set<ManagedObjectID>) {
    let count = added.count + removed.count
    added.subtract(stored)
    removed.formIntersection(stored)
    if added.count + removed.count != count { log = nil }
  }

  /// A temporary id became permanent.
  mutating func rename(_ old: ManagedObjectID, to new: ManagedObjectID) {
    if added.remove(old) != nil { added.insert(new) }
    if removed.remove(old) != nil { removed.insert(new) }
    log = nil
  }

  /// The log, begun with what was done so far where there is none; looks that were taken keep the one they have.
  fileprivate mutating func openLog() -> RelationshipLog {
    if let log { return log }
    let opened = RelationshipLog()
    opened.entries = added.map { ($0, true) } + removed.map { ($0, false) }
    log = opened
    return opened
  }

  /// The members as they are now, sorted out when they are asked for.
  mutating func look(at stored: Set<ManagedObjectID>) -> RelationshipLook {
    RelationshipLook(stored, openLog())
  }

  /// Whether an object is a member.
  func contains(_ id: ManagedObjectID, stored: Set<ManagedObjectID>) -> Bool {
    !removed.contains(id) && (added.contains(id) || stored.contains(id))
  }

  func applied(to stored: Set<ManagedObjectID>) -> Set<ManagedObjectID> {
    stored.union(added).subtracting(removed)
  }
}

/// The edits of one to-many side, in order. It only grows, so that a look needs no copy: how long the log was is enough.
final class RelationshipLog {
  fileprivate(set) var entries: [(id: ManagedObjectID, isAdded: Bool)] = []
}

/// The members of a to-many side as they were at one moment, sorted out when they are first asked for: adding members one
/// by one through the property takes a look each time, and uses none.
final class RelationshipLook {
  private let stored: Set<ManagedObjectID>
  private let log: RelationshipLog?
  private let length: Int

  /// The members by id, in order.
  private(set) lazy var ids: [ManagedObjectID] = {
    var edits = RelationshipEdits()
    for entry in log?.entries.prefix(length) ?? [] {
      if entry.isAdded { edits.add(entry.id) } else { edits.remove(entry.id) }
    }
    return edits.applied(to: stored).sorted()
  }()

  init(_ stored: Set<ManagedObjectID>, _ log: RelationshipLog? = nil) {
    self.stored = stored
    self.log = log
    length = log?.entries.count ?? 0
  }
}
