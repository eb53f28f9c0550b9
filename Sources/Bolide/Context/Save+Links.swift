import BolideStorage

/// Edits of many-to-many sides; no link may name an object that is gone (rule R-2).
extension Save {
  // MARK: Links

  /// Writes the edits of many-to-many sides: each pair once, from the side where the link table begins.
  func writeLinks() throws(BolideError) {
    for object in inserts + updates where !dropped.contains(object) {
      for property in object.entity.relationships {
        guard case .link(let link, .forward, _, let destination) = property.kind,
          let edits = object.sides[property.id], !edits.isEmpty, let owner = number(of: object.objectID)
        else { continue }
        let removed = edits.removed.sorted().compactMap { id in
          number(of: id).map { Link(from: owner, to: $0) }
        }
        let added = edits.added.sorted().filter { !isDeletedHere($0) }.compactMap { id in
          number(of: id).map { Link(from: owner, to: $0) }
        }
        try refuseGone(added.map(\.to), of: map.entities[destination])
        var flags: [Bool] = []
        try session.transaction.unlink(link, removed, removed: &flags)
        note(removed, flags, property, destination, of: object, added: false)
        flags.removeAll()
        try session.transaction.link(link, added, added: &flags)
        note(added, flags, property, destination, of: object, added: true)
      }
    }
  }

  func note(
    _ links: [Link], _ flags: [Bool], _ property: PropertyMap, _ destination: EntityID,
    of object: ManagedObject, added: Bool
  ) {
    for (pair, flag) in zip(links, flags) where flag {
      session.log.note(
        ChangeLog.Side(table: object.entity.table, property: property.id, owner: pair.from, member: pair.to),
        added: added)
      session.noteInverse(
        of: property, destination: destination, owner: pair.to, member: pair.from, added: added)
    }
  }

  /// No link may name an object that is gone (rule R-2).
  func refuseGone(_ numbers: [Number], of entity: EntityMap) throws(BolideError) {
    if numbers.isEmpty { return }
    var found = RowBatch(entity.format)
    try session.transaction.rows(numbers, of: entity.table, columns: ColumnSet(), into: &found)
    for (index, number) in numbers.enumerated() where !found.isPresent(index) {
      throw BolideError(
        .conflictDeleted, "\(entity.name)#\(number) was deleted by another writer and is linked here")
    }
  }

  func number(of id: ManagedObjectID) -> Number? { id.isTemporary ? numbers[id] : id.number }
}
