import BolideStorage

/// What a merged transaction changed.
public struct MergeCounts: Sendable, Equatable {
  /// Objects it inserted.
  public var inserted = 0
  /// Objects it updated.
  public var updated = 0
  /// Objects it deleted.
  public var deleted = 0

  /// No change.
  public init() {}
}

extension ManagedObjectContext {
  /// Shows in this context what a transaction changed (rule M-1): updated objects are refreshed with their unsaved
  /// edits on top, as the policy says, and deleted ones are dropped.
  ///
  /// A pinned context moves to the newest generation with everything committed since its own (rule G-2). Merging a
  /// transaction of one's own, or one twice, changes nothing.
  /// - Returns: what the transaction did.
  /// - Throws: `context.foreign-object` for a transaction of another store, and what reading throws.
  @discardableResult
  public func mergeChanges(from transaction: PersistentHistoryTransaction) throws -> MergeCounts {
    guard transaction.storeID == coordinator.storeID else {
      throw BolideError(.contextForeign, "transaction \(transaction.number) is of another store")
    }
    try refuseWhileTelling("mergeChanges")
    defer { tellObservers() }
    var counts = MergeCounts()
    for change in transaction.changes {
      switch change.kind {
      case .insert: counts.inserted += 1
      case .update: counts.updated += 1
      case .delete: counts.deleted += 1
      }
    }
    if let generation {
      if transaction.number > generation.token.number {
        let next = try QueryGeneration(try coordinator.store.snapshot(), of: coordinator)
        let previous = generation.token.number
        move(to: next)
        try apply(historyAfter: previous, in: next)
      }
    } else if applied.insert(Number(transaction.number)) {
      let reader = try reader()
      defer { release(reader) }
      try apply(transaction.changes, from: reader)
    }
    return counts
  }

  /// Applies all history between a transaction and a generation, read from that generation itself: never a mixture.
  func apply(historyAfter number: UInt64, in next: QueryGeneration) throws(BolideError) {
    var last = number
    var records: [TransactionRecord] = []
    let history = HistoryReader(coordinator, reader: next.snapshot)
    guard coordinator.keepsHistory, try next.snapshot.historyStart().transaction <= number else {
      // What changed cannot be told: every object is read anew when it is next looked at.
      let objects = registeredObjects.filter { $0.state == .live }
      for object in objects { forgetRow(of: object) }
      noteChanges { $0.noteEverything() }
      noteShownAnew(objects)
      return
    }
    repeat {
      records.removeAll(keepingCapacity: true)
      try next.snapshot.transactions(after: last, limit: 256, into: &records)
      for record in records where applied.insert(Number(record.mark.transaction)) {
        try apply(try history.changes(of: record), from: next.snapshot)
      }
      last = records.last?.mark.transaction ?? last
    } while records.count == 256
  }

  private func apply(_ changes: [PersistentHistoryChange], from reader: any Reader) throws(BolideError) {
    for change in changes {
      if observers.isFollowed {
        let entity = try map.entity(change.objectID.entityName).id
        noteChanges { $0.note(change.kind, change.objectID.number, of: entity) }
      }
      guard let object = registeredObject(for: change.objectID) else { continue }
      switch change.kind {
      case .insert:
        break
      case .delete:
        drop([object])
        object.edits.removeAll()
        object.sides.removeAll()
        object.state = .gone
        forget(object)
      case .update:
        let wasRead = object.base != nil
        forgetRow(of: object)
        if object.state == .live, mergePolicy == .storeTrump || mergePolicy == .rollback {
          dropEdits(of: object, named: change.updatedProperties)
        }
        // Read now: the value a later save compares with is the one that was merged. A row that is gone was deleted
        // by a later transaction, whose merge will say so.
        guard wasRead || object.hasEdits else { continue }
        do {
          try fire(object, from: reader)
        } catch  where error.code == .objectMissing {
          continue
        }
      }
    }
  }

  /// Where the store wins, an edit of a property that it changed is dropped.
  private func dropEdits(of object: ManagedObject, named names: [String]) {
    for name in names {
      guard let property = object.entity.find(name), let column = property.column else { continue }
      object.edits[column] = nil
    }
    if !object.hasChanges { drop([object]) }
  }
}
