import BolideStorage

/// The hooks of objects' classes, called where they can do no harm: not while rows are read or written (rule O-1).
extension ManagedObjectContext {
  /// How often hooks of one save may give each other new objects to save.
  private static let hookRounds = 1_000

  /// Whether objects of an entity may have hooks: those without a class of their own have none.
  func hasHooks(in entity: EntityMap) -> Bool {
    entity.members.contains { objectClass(of: $0) != ManagedObject.self }
  }

  /// Tells objects that were faults and have their rows now.
  func awaken(_ faults: [ManagedObject]) {
    for object in faults where object.held.isPresent { object.awakeFromFetch() }
  }

  /// Tells an object that it is to be deleted.
  ///
  /// - Returns: whether it still is: the hook may have deleted it, and is not asked from within itself.
  func prepareForDeletion(_ object: ManagedObject) -> Bool {
    if object.isPreparingForDeletion { return false }
    object.isPreparingForDeletion = true
    defer { object.isPreparingForDeletion = false }
    object.prepareForDeletion()
    return !object.isDeleted && object.context === self
  }

  /// Tells each object that has something to save, and those that get something by that.
  ///
  /// - Throws: `context.endless-hooks`.
  func callWillSave() throws(BolideError) {
    guard map.entities.contains(where: { objectClass(of: $0.id) != ManagedObject.self }) else { return }
    var told: [ManagedObject] = []
    defer { for object in told { object.isToldOfSave = false } }
    for _ in 0..<Self.hookRounds {
      let next = pending.filter { !$0.isToldOfSave && $0.state != .gone && $0.hasChanges }
      if next.isEmpty { return }
      for object in next { object.isToldOfSave = true }
      told += next
      whileTelling {
        // A hook may have dropped what comes after it.
        for object in next where object.state != .gone && object.hasChanges { object.willSave() }
      }
    }
    throw BolideError(
      .contextHooks, "after \(Self.hookRounds) rounds hooks still inserted or edited further objects")
  }

  /// Tells the objects that a save wrote or deleted.
  func callDidSave(_ save: Save) {
    guard map.entities.contains(where: { objectClass(of: $0.id) != ManagedObject.self }) else { return }
    whileTelling {
      for object in save.inserts + save.updates
      where object.state == .live && !save.dropped.contains(object) && object.context === self {
        object.didSave()
      }
      for object in save.deletes where !save.dropped.contains(object) { object.didSave() }
    }
  }
}
