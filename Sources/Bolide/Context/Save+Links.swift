import BolideStorage

/// Edits of many-to-many sides; no link may name an object that is gone (rule R-2).
extension Save {
  // MARK: Links

  /// Writes the edits of many-to-many sides: each pair once, from the side where the link table begins, and all pairs of
  /// a side in one call.
  func writeLinks() throws(BolideError) {
    var sides: [SideKey: SideEdits] = [:]
    // What drops an object's edits drops its links, whichever side they are written from.
    let leftOut = Set(dropped.map(\.objectID))
    for object in inserts + updates where !dropped.contains(object) {
      for property in object.entity.relationships {
        guard case .link(let link, .forward, _, let destination) = property.kind,
          let edits = object.sides[property.id], !edits.isEmpty, let owner = number(of: object.objectID)
        else { continue }
        let key = SideKey(table: object.entity.table, property: property.id)
        var side = sides[key] ?? SideEdits(link: link, property: property, destination: destination)
        side.removed += edits.removed.filter { !leftOut.contains($0) }.compactMap {
          number(of: $0).map { Link(from: owner, to: $0) }
        }
        side.added += edits.added.filter { !leftOut.contains($0) && !isDeletedHere($0) }.compactMap {
          number(of: $0).map { Link(from: owner, to: $0) }
        }
        sides[key] = side
      }
    }
    for (key, side) in sides.sorted(by: { ($0.key.table, $0.key.property) < ($1.key.table, $1.key.property) })
    {
      let removed = Self.ordered(side.removed)
      let gone = try goneNumbers(Set(side.added.map(\.to)).sorted(), of: map.entities[side.destination])
      let added = Self.ordered(side.added.filter { !gone.contains($0.to) })
      var flags: [Bool] = []
      try session.transaction.unlink(side.link, removed, removed: &flags)
      note(removed, flags, side, key, added: false)
      flags.removeAll()
      try session.transaction.link(side.link, added, added: &flags)
      note(added, flags, side, key, added: true)
    }
  }

  private struct SideKey: Hashable {
    var table: TableID
    var property: Int
  }

  /// What is to become of one many-to-many side of all its owners.
  private struct SideEdits {
    let link: LinkID
    let property: PropertyMap
    let destination: EntityID
    var removed: [Link] = []
    var added: [Link] = []
  }

  private static func ordered(_ links: [Link]) -> [Link] {
    links.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
  }

  private func note(_ links: [Link], _ flags: [Bool], _ side: SideEdits, _ key: SideKey, added: Bool) {
    for (pair, flag) in zip(links, flags) where flag {
      session.log.note(
        ChangeLog.Side(table: key.table, property: key.property, owner: pair.from, member: pair.to),
        added: added)
      session.noteInverse(
        of: side.property, destination: side.destination, owner: pair.to, member: pair.from, added: added)
    }
  }

  /// Which objects that links are to name are gone (rule R-2); where the store does not win, that is a conflict.
  func goneNumbers(_ numbers: [Number], of entity: EntityMap) throws(BolideError) -> Set<Number> {
    if numbers.isEmpty { return [] }
    let found = try rows(numbers, of: entity.table, columns: ColumnSet())
    let gone = numbers.indices.filter { !found.isPresent($0) }.map { numbers[$0] }
    guard let first = gone.first, policy != .storeTrump, policy != .rollback else { return Set(gone) }
    throw BolideError(
      .conflictDeleted, "\(entity.name)#\(first) was deleted by another writer and is linked here",
      details: gone.prefix(100).map { "\(entity.name)#\($0)" }
        + (gone.count > 100 ? ["and \(gone.count - 100) more"] : []))
  }

  /// The number that an id stands for in the store; `nil` for an object that has none yet or is dropped.
  func number(of id: ManagedObjectID) -> Number? { numbers[id] ?? (isNew(id) ? nil : id.number) }

  /// Whether an id is that of an object which this save inserts.
  func isNew(_ id: ManagedObjectID) -> Bool { id.isTemporary || reserved.contains(id) }
}
