import BolideStorage

/// Relationships: both sides of every edit agree at once, in memory as in the store (rule R-1).
extension ManagedObject {
  /// The object that a to-one relationship names.
  ///
  /// - Throws: `schema.unknown-property`, `object.kind`, and what reading throws.
  public func object(_ key: String) throws(BolideError) -> ManagedObject? {
    let property = try relationship(key, toMany: false)
    guard let id = try memberIDs(property).min() else { return nil }
    return try requireContext().object(with: id)
  }

  /// Names another object, or none, in a to-one relationship.
  ///
  /// - Throws: `schema.unknown-property`, `object.kind`, `context.foreign-object`, `object.deleted`.
  public func setObject(_ object: ManagedObject?, for key: String) throws(BolideError) {
    try replace(relationship(key, toMany: false), by: object.map { [$0] } ?? [])
  }

  /// The members of a to-many relationship, by id.
  ///
  /// - Throws: `schema.unknown-property`, `object.kind`, and what reading throws.
  public func objects(_ key: String) throws(BolideError) -> [ManagedObject] {
    let property = try relationship(key, toMany: true)
    let ids = try memberIDs(property).sorted()
    if ids.isEmpty { return [] }
    let context = try requireContext()
    return ids.map { context.object(with: $0) }
  }

  /// Adds members to a to-many relationship; those that are there already change nothing.
  ///
  /// - Returns: how many were added.
  @discardableResult
  public func addObjects(_ objects: some Sequence<ManagedObject>, for key: String) throws(BolideError) -> Int
  {
    try add(objects.map { $0 }, to: relationship(key, toMany: true))
  }

  /// Removes members from a to-many relationship.
  ///
  /// - Returns: how many were removed.
  @discardableResult
  public func removeObjects(_ objects: some Sequence<ManagedObject>, for key: String) throws(BolideError)
    -> Int
  {
    try remove(objects.map { $0 }, from: relationship(key, toMany: true))
  }

  /// Makes a to-many relationship hold exactly these members.
  ///
  /// - Returns: how many were added and removed.
  @discardableResult
  public func replaceObjects(
    _ objects: some Sequence<ManagedObject>, for key: String
  ) throws(BolideError) -> (added: Int, removed: Int) {
    try replace(relationship(key, toMany: true), by: objects.map { $0 })
  }

  /// The context, without which members cannot be read or handed out.
  private func requireContext() throws(BolideError) -> ManagedObjectContext {
    guard let context else {
      throw BolideError(.objectMissing, "\(objectID) belongs to no context any more")
    }
    return context
  }

  // MARK: By property

  func relationship(_ key: String, toMany: Bool) throws(BolideError) -> PropertyMap {
    let property = try entity.property(key)
    guard let description = property.relationship, description.isToMany == toMany else {
      throw BolideError(
        .objectKind,
        "\(entity.name).\(key) is \(property.relationship.map { $0.isToMany ? "a to-many relationship" : "a to-one relationship" } ?? "an attribute")"
      )
    }
    return property
  }

  /// The members of either kind of relationship, with this context's edits and without what it deletes.
  func memberIDs(_ property: PropertyMap) throws(BolideError) -> Set<ManagedObjectID> {
    let ids = try editedMembers(property)
    guard let context, context.hasDeletes else { return ids }
    return ids.filter { context.registeredObject(for: $0)?.isDeleted != true }
  }

  /// The members of a to-many relationship as they are now, sorted out when they are asked for.
  func look(at property: PropertyMap) throws(BolideError) -> RelationshipLook {
    // What is deleted later stays in a look; what is deleted already is left out at once.
    if context?.hasDeletes == true { return RelationshipLook(try memberIDs(property)) }
    let stored = try storedMembers(property)
    return sides[property.id]?.look(at: stored) ?? RelationshipLook(stored)
  }

  /// Whether an object that is not deleted is a member; looks through no other.
  private func isMember(_ id: ManagedObjectID, _ property: PropertyMap) throws(BolideError) -> Bool {
    if case .toOne = property.kind { return try memberIDs(property).contains(id) }
    let stored = try storedMembers(property)
    return sides[property.id]?.contains(id, stored: stored) ?? stored.contains(id)
  }

  private func editedMembers(_ property: PropertyMap) throws(BolideError) -> Set<ManagedObjectID> {
    if case .toOne(let column, _, _, let destination) = property.kind {
      if case .object(let id)? = edits[column] { return id.map { [$0] } ?? [] }
      try load()
      guard case .reference(let number) = stored(column) else { return [] }
      return [try context?.id(number, of: destination)].reduce(into: []) { if let id = $1 { $0.insert(id) } }
    }
    let edits = sides[property.id] ?? RelationshipEdits()
    return edits.applied(to: try storedMembers(property))
  }

  /// The members that the store names, read once and kept until the object is refreshed.
  func storedMembers(_ property: PropertyMap) throws(BolideError) -> Set<ManagedObjectID> {
    if state == .inserted || isProbe { return [] }
    if let known = members[property.id] { return known }
    // A deleted object has no members; one whose context is gone has some that cannot be read.
    guard state == .live || context != nil else { return [] }
    let read = try requireContext().members(of: self, property)
    members[property.id] = read
    sides[property.id]?.rebase(on: read)
    return read
  }

  func add(_ objects: [ManagedObject], to property: PropertyMap) throws(BolideError) -> Int {
    try check(objects)
    var count = 0
    for object in objects {
      if try isMember(object.objectID, property) { continue }
      try link(object, property)
      count += 1
    }
    return count
  }

  func remove(_ objects: [ManagedObject], from property: PropertyMap) throws(BolideError) -> Int {
    try check(objects, mayBeDeleted: true)
    var count = 0
    for object in objects where !object.isDeleted {
      guard try isMember(object.objectID, property) else { continue }
      try unlink(object, property)
      count += 1
    }
    return count
  }

  @discardableResult
  func replace(_ property: PropertyMap, by objects: [ManagedObject]) throws(BolideError) -> (
    added: Int, removed: Int
  ) {
    try check(objects)
    let wanted = Set(objects.map(\.objectID))
    let present = try memberIDs(property)
    var removed = 0
    for id in present.subtracting(wanted).sorted() {
      guard let object = context?.object(with: id) else { continue }
      try unlink(object, property)
      removed += 1
    }
    return (try add(objects, to: property), removed)
  }

  private func check(_ objects: [ManagedObject], mayBeDeleted: Bool = false) throws(BolideError) {
    guard !isDeleted else { throw BolideError(.objectDeleted, "\(objectID) was deleted") }
    for object in objects {
      guard object.context === context, context != nil else {
        throw BolideError(.contextForeign, "\(object.objectID) belongs to another context than \(objectID)")
      }
      guard mayBeDeleted || !object.isDeleted else {
        throw BolideError(.objectDeleted, "\(object.objectID) was deleted")
      }
    }
  }

  // MARK: Both sides

  private func link(_ object: ManagedObject, _ property: PropertyMap) throws(BolideError) {
    guard let destination = property.destination else { return }
    guard context?.map.entities[destination].includes(object.entity.id) == true else {
      throw BolideError(.objectKind, "\(entity.name).\(property.name) takes no \(object.entity.name)")
    }
    let inverse = context?.map.inverse(of: property, destination: destination)
    // A to-one side lets go of what it held first.
    if property.relationship?.isToMany == false {
      for id in try memberIDs(property) {
        if let old = context?.object(with: id) { try unlink(old, property) }
      }
    }
    if let inverse, inverse.relationship?.isToMany == false {
      for id in try object.memberIDs(inverse) {
        if let old = context?.object(with: id) { try object.unlink(old, inverse) }
      }
    }
    try note(object.objectID, in: property, added: true)
    if let inverse, !(inverse.name == property.name && object === self) {
      try object.note(objectID, in: inverse, added: true)
    }
  }

  private func unlink(_ object: ManagedObject, _ property: PropertyMap) throws(BolideError) {
    try note(object.objectID, in: property, added: false)
    guard let destination = property.destination,
      let inverse = context?.map.inverse(of: property, destination: destination),
      !(inverse.name == property.name && object === self)
    else { return }
    try object.note(objectID, in: inverse, added: false)
  }

  func note(_ id: ManagedObjectID, in property: PropertyMap, added: Bool) throws(BolideError) {
    if readsSidesAnew {
      // An edit is one of the members that there are now.
      readsSidesAnew = false
      for side in entity.relationships where side.column == nil && sides[side.id] != nil {
        _ = try storedMembers(side)
      }
    }
    if case .toOne(let column, _, _, _) = property.kind {
      edits[column] = .object(added ? id : nil)
    } else if added {
      sides[property.id, default: RelationshipEdits()].add(id)
    } else {
      sides[property.id, default: RelationshipEdits()].remove(id)
    }
    context?.note(self)
  }
}
