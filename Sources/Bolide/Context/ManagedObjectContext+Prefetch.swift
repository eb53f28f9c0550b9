import BolideStorage

/// Reading what requests want read along with their objects.
extension ManagedObjectContext {
  /// Reads the stored rows of objects again, and keeps unsaved edits on top of them.
  func refresh(_ objects: [ManagedObject], from reader: any Reader) throws(BolideError) {
    let stored = objects.filter { $0.state == .live }
    for object in stored { forgetRow(of: object) }
    try fire(stored, from: reader)
    noteShownAnew(stored)
    tellObservers()
  }

  /// Reads the related objects that a request names, and holds them until another request does.
  func prefetch(
    _ terms: FetchTerms, of objects: [ManagedObject], from reader: any Reader
  ) throws(BolideError) {
    if terms.relationshipKeyPathsForPrefetching.isEmpty { return }
    var found: [ManagedObject] = []
    for path in terms.relationshipKeyPathsForPrefetching {
      try prefetch(path, of: objects, entity: terms.entityName, from: reader, into: &found)
    }
    prefetched = found
  }

  /// Reads the objects that a path of relationships leads to, relationship by relationship: the calls grow with what
  /// there is to read, not with the objects.
  ///
  /// - Throws: `predicate.unknown-path`, `fetch.column` for a path that does not end at a relationship.
  private func prefetch(
    _ path: String, of objects: [ManagedObject], entity name: String, from reader: any Reader,
    into found: inout [ManagedObject]
  ) throws(BolideError) {
    let scope = EntityScope(try map.entity(name), in: map)
    let steps = try scope.resolve(path.split(separator: ".").map(String.init), overMany: true)
    if let last = steps.last, last.relationship == nil {
      throw BolideError(.fetchColumn, "\(path) is no relationship, so nothing is read along it")
    }
    var owners = objects
    for step in steps {
      owners = try prefetch(step, of: owners, from: reader)
      found += owners
    }
  }

  /// Reads the members of one relationship; gives those that the objects name now.
  private func prefetch(
    _ property: PropertyMap, of owners: [ManagedObject], from reader: any Reader
  ) throws(BolideError) -> [ManagedObject] {
    guard let destination = property.destination.map({ map.entities[$0] }) else { return [] }
    try read(owners.filter { $0.isFault }, from: reader)
    let stored = owners.filter { $0.state == .live && !$0.isInaccessible }
    if property.column == nil, let table = stored.first?.entity.table {
      let unread = stored.filter { $0.members[property.id] == nil }
      let members = try RelationshipReader(map: map, reader: reader).members(
        property, of: Set(unread.map(\.objectID.number)).sorted(), table: table)
      let ids = try ids(Set(members.values.joined()).sorted(), of: destination, from: reader)
      for owner in unread {
        owner.members[property.id] = Set((members[owner.objectID.number] ?? []).compactMap { ids[$0] })
      }
    }
    var found: [ManagedObjectID: ManagedObject] = [:]
    for owner in owners where !owner.isInaccessible {
      for id in try owner.memberIDs(property) where found[id] == nil { found[id] = object(with: id) }
    }
    let objects = found.values.sorted { $0.objectID < $1.objectID }
    try read(objects.filter { $0.isFault }, from: reader)
    return objects
  }

  private func read(_ faults: [ManagedObject], from reader: any Reader) throws(BolideError) {
    try fire(faults, from: reader)
    awaken(faults)
  }
}
