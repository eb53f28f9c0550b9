import BolideStorage

/// Reading again, and dropping edits.
extension ManagedObjectContext {
  /// Turns an object into a fault (`mergeChanges: false`: its edits are dropped, and its links also on the other side), or
  /// reads its row again and keeps the edits on top of it.
  ///
  /// An object of another context is left as it is, and the next save of this one throws `context.foreign-object`.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    guard !object.isDeleted, isOwn(object, in: "refresh") else { return }
    refresh([object], mergeChanges: mergeChanges)
  }

  /// Refreshes every object, edits kept.
  public func refreshAllObjects() { refresh(registeredObjects, mergeChanges: true) }

  private func refresh(_ objects: [ManagedObject], mergeChanges: Bool) {
    let objects = objects.filter { $0.state == .live }
    if mergeChanges {
      let edited = objects.filter(\.hasEdits).map { (object: $0, old: $0.base) }
      for object in objects { forgetRow(of: object) }
      load(edited)
    } else {
      var others: Set<ManagedObject> = []
      for object in objects {
        if object.hasEdits { others.formUnion(dropEdits(of: object)) }
        forgetRow(of: object)
      }
      dropUnchanged()
      noteShownAnew(others.subtracting(objects).sorted { $0.objectID < $1.objectID })
    }
    noteShownAnew(objects)
    tellObservers()
  }

  /// Reads rows for a call that cannot throw; what is wrong goes to the fault handler (rule M-4).
  private func load(_ edited: [(object: ManagedObject, old: HeldRow?)]) {
    if edited.isEmpty { return }
    let objects = edited.map(\.object)
    do throws(BolideError) {
      let reader = try reader()
      defer { release(reader) }
      try fire(objects, from: reader)
      for (object, old) in edited { try rebaseReferences(of: object, since: old) }
      for object in objects where object.isInaccessible {
        faultHandler?(
          BolideError(.objectMissing, "\(object.objectID) is not in the store"), object.objectID)
      }
    } catch {
      for object in objects where object.base == nil {
        object.isInaccessible = true
        faultHandler?(error, object.objectID)
      }
    }
  }

  /// Has every object read when it is next looked at, for a state that history does not lead to.
  ///
  /// - Returns: those with edits, and the rows that they had: ``readAnew(_:from:)`` puts the edits on what there is now.
  @discardableResult
  func forgetRows() -> [(object: ManagedObject, old: HeldRow?)] {
    let objects = registeredObjects.filter { $0.state == .live || $0.state == .deleted }
    // What is to be deleted is read anew, too: a rollback shows it again.
    let edited = objects.filter { $0.hasEdits || ($0.state == .deleted && $0.base != nil) }
      .map { (object: $0, old: $0.base) }
    for object in objects { forgetRow(of: object) }
    noteChanges { $0.noteEverything() }
    noteShownAnew(objects)
    return edited
  }

  /// Reads objects with edits: what a later save compares with is of the state that the edits are now on.
  func readAnew(
    _ edited: [(object: ManagedObject, old: HeldRow?)], from reader: any Reader
  ) throws(BolideError) {
    try fire(edited.map(\.object), from: reader)
    for (object, old) in edited where object.state == .live { try rebaseReferences(of: object, since: old) }
  }

  func forgetRow(of object: ManagedObject) {
    object.base = nil
    object.members.removeAll()
    if !object.sides.isEmpty { object.readsSidesAnew = true }
    object.isInaccessible = false
  }

  /// Drops every unsaved edit, insert and delete.
  public func rollback() {
    noteShownAnew(pending)
    defer { tellObservers() }
    mistake = nil
    for object in pending {
      switch object.state {
      case .inserted:
        observers.noteEdit(of: object)
        leave(object)
      case .deleted:
        object.state = .live
      case .live, .gone:
        break
      }
      object.edits.removeAll()
      object.sides.removeAll()
    }
    clearPending()
  }
}
