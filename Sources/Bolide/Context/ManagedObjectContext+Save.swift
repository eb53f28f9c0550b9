import BolideStorage

extension ManagedObjectContext {
  /// Writes every edit in one transaction and gives new objects their permanent ids.
  ///
  /// A context that merges automatically merges first what waits to be merged; then ``ManagedObject/willSave()`` is called.
  /// - Parameter policy: the policy for this save; ``mergePolicy`` where `nil`, and *error* where that is, too.
  /// - Throws: `conflict.…`, `validation.…`, `store.…`, `context.endless-hooks`: nothing was written then, and the context
  ///   is as it was, with the edits that hooks made.
  @discardableResult
  public func save(policy: MergePolicy? = nil) throws -> SaveResult {
    try refuseWhileTelling("save")
    try throwMistake()
    try mergeWaitingSaves()
    try callWillSave()
    try throwMistake()
    observers.closeEdits()
    guard hasChanges else {
      clearPending()
      return SaveResult(inserted: 0, updated: 0, deleted: 0, transaction: nil, token: nil)
    }
    let usual = mergePolicy
    mergePolicy = policy ?? usual
    defer { mergePolicy = usual }
    let previous = generation?.token
    let written = try coordinator.write(
      author: transactionAuthor, contextName: name, pinning: true, isReplayable: true
    ) { session in
      let save = Save(self, session: session)
      try save.run()
      return save
    }
    let outcome = written.outcome
    defer {
      tellObservers()
      post(outcome)
    }
    for entity in map.entities { noteChanges { $0.note(outcome.log, of: entity.id) } }
    let settled = settle(written.result)
    defer { for pair in written.result.replaced { pair.new.show(pair.stored) } }
    if let record = outcome.record { applied.insert(Number(record.mark.transaction)) }
    if let snapshot = outcome.snapshot {
      do throws(BolideError) {
        try adopt(outcome.log, of: settled, snapshot: snapshot, since: previous)
      } catch {
        // The save is stored, so it must not look like a failure: what could not be read here stays a fault, and
        // whoever looks at it next gets the error.
        if generation?.snapshot !== snapshot { snapshot.close() }
      }
    }
    callDidSave(written.result)
    let log = outcome.log
    return SaveResult(
      inserted: map.entities.reduce(0) { $0 + log.insertedNumbers(of: $1.id).count },
      updated: map.entities.reduce(0) { $0 + log.updatedNumbers(of: $1.id).count },
      deleted: map.entities.reduce(0) { $0 + log.deletedNumbers(of: $1.id).count },
      transaction: outcome.record?.mark.transaction, token: outcome.record.map(coordinator.token))
  }

  private func throwMistake() throws(BolideError) {
    guard let mistake else { return }
    self.mistake = nil
    throw mistake
  }

  /// Tells the other contexts of the container, and who follows saves.
  private func post(_ outcome: CommitOutcome) {
    guard outcome.didWrite, coordinator.saves.isFollowed else { return }
    let changes = ObjectIDChanges(outcome.log, in: coordinator)
    coordinator.saves.post(
      ContextSave(
        storeID: coordinator.storeID, changes: changes, author: transactionAuthor, contextName: name,
        token: outcome.record.map(coordinator.token)), from: inbox)
  }

  /// After the commit: permanent ids, no edits, no deleted objects.
  ///
  /// - Returns: the objects that stay; they are faults now.
  private func settle(_ save: Save) -> [ManagedObject] {
    let objects = pending
    var settled: [ManagedObject] = []
    clearPending()
    for object in objects {
      let old = object.objectID
      object.edits.removeAll()
      object.sides.removeAll()
      switch object.state {
      case .inserted:
        guard let number = save.numbers[old], !save.absorbed.contains(object) else {
          leave(object)
          continue
        }
        let id = ManagedObjectID(storeID: old.storeID, entityName: old.entityName, number: number)
        if let stored = registeredObject(for: id), stored !== object {
          leave(object)
          save.replaced.append((object, stored))
          continue
        }
        object.state = .live
        rename(object, to: id)
      case .deleted:
        guard save.dropped.contains(object) else {
          leave(object)
          continue
        }
        object.state = .live
      case .live:
        if save.vanished.contains(object) {
          leave(object)
          continue
        }
      case .gone:
        leave(object)
        continue
      }
      forgetRow(of: object)
      settled.append(object)
    }
    observers.noteSaved(objects.map(\.objectID))
    return settled
  }

  /// Brings the objects of this context to the state that the save made; a pinned context moves to it (rule G-1).
  private func adopt(
    _ log: ChangeLog, of settled: [ManagedObject], snapshot: any Snapshot,
    since previous: PersistentHistoryToken?
  ) throws(BolideError) {
    var forgotten = settled
    let objects = Dictionary(grouping: liveObjects, by: \.entity.id)
    for entity in map.entities {
      let gone = log.deletedNumbers(of: entity.id)
      let changed = log.updatedNumbers(of: entity.id)
      if gone.isEmpty, changed.isEmpty { continue }
      for object in objects[entity.id] ?? [] {
        if gone.contains(object.objectID.number) {
          leave(object)
        } else if changed.contains(object.objectID.number) {
          if object.base != nil { forgotten.append(object) }
          forgetRow(of: object)
        }
      }
    }
    // Values are read now, so that they are what this save stored; what was a fault before stays one.
    try fire(forgotten.filter(\.isFault), from: snapshot)
    guard let previous else { return snapshot.close() }
    let next = try QueryGeneration(snapshot, of: coordinator)
    try move(to: next, since: previous.number)
  }
}

extension ManagedObject {
  /// Takes the id and the values of the stored object that goes on for this one, which was deleted.
  fileprivate func show(_ stored: ManagedObject) {
    objectID = stored.objectID
    stored.loadForGetter()
    base = stored.base
  }
}
