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
        try move(to: next, since: generation.token.number)
      }
    } else if !applied.contains(Number(transaction.number)) {
      let reader = try reader()
      defer { release(reader) }
      try apply(transaction.changes.lazy.map(MergedChange.init), from: reader)
      // Only now: what failed is to be merged again.
      applied.insert(Number(transaction.number))
    }
    return counts
  }

  /// Shows in this context what a save of another context did, as ``mergeChanges(from:)`` does for a transaction.
  ///
  /// - Throws: `context.foreign-object` for a save to another store, and what reading throws.
  public func mergeChanges(fromContextDidSave save: ContextSave) throws {
    guard save.storeID == coordinator.storeID else {
      throw BolideError(.contextForeign, "the save is one to another store")
    }
    if let number = save.token?.number {
      if applied.contains(Number(number)) { return }
      if let generation, number <= generation.token.number { return }
    }
    try merge(save.changes, called: "mergeChanges")
    if let number = save.token?.number { applied.insert(Number(number)) }
  }

  /// Shows in contexts what happened to some objects, by their ids: what a batch request reports, or what another
  /// process told.
  ///
  /// Objects of the ids are read anew, with unsaved edits on top as the policy says, and deleted ones are dropped. A pinned
  /// context moves to the newest generation with everything committed since its own (rule G-2).
  /// - Throws: `context.foreign-object` for ids of another store, `schema.unknown-entity`, and what reading throws.
  public static func mergeChanges(
    fromRemoteContextSave changes: ObjectIDChanges, into contexts: [ManagedObjectContext]
  ) throws {
    for context in contexts { try context.merge(changes, called: "mergeChanges") }
  }

  /// Merges what other contexts of the container saved, where the context does so by itself, and tells those who follow
  /// the context of its edits until now.
  ///
  /// A context that merges automatically calls this itself before it fetches, counts and saves, and while one of its
  /// streams is waited for; the view context also as soon as the main actor is free.
  /// - Throws: what reading throws; what was to be merged is kept for the next time.
  public func processPendingChanges() throws {
    try mergeWaitingSaves()
    observers.closeEdits()
  }

  /// Merges what waits (rule M-3); from a report of the last change nothing is merged.
  func mergeWaitingSaves() throws {
    guard automaticallyMergesChangesFromParent, !observers.isTelling else { return }
    let saves = inbox.takeAll()
    for (place, save) in saves.enumerated() {
      do {
        try mergeChanges(fromContextDidSave: save)
      } catch {
        inbox.putBack(Array(saves[place...]))
        throw error
      }
    }
  }

  private func merge(_ changes: ObjectIDChanges, called call: String) throws {
    for id in [changes.inserted, changes.updated, changes.deleted].joined() {
      guard id.storeID == coordinator.storeID else {
        throw BolideError(.contextForeign, "\(id) is of another store")
      }
      _ = try map.entity(id.entityName)
    }
    try refuseWhileTelling(call)
    defer { tellObservers() }
    if let previous = generation?.token.number {
      let next = try QueryGeneration(try coordinator.store.snapshot(), of: coordinator)
      if next.token.number > previous { try move(to: next, since: previous) }
    }
    let reader = try reader()
    defer { release(reader) }
    func merged(_ ids: Set<ManagedObjectID>, _ kind: ChangeKind) -> [MergedChange] {
      ids.sorted().map { MergedChange(kind: kind, id: $0, properties: nil) }
    }
    try apply(
      merged(changes.inserted, .insert) + merged(changes.updated, .update)
        + merged(changes.deleted, .delete), from: reader)
  }

  /// Moves to a newer generation with everything that was committed since a transaction (rule G-2). Where that cannot be
  /// read, every object is read anew when it is next looked at.
  func move(to next: QueryGeneration, since number: UInt64) throws(BolideError) {
    move(to: next)
    do throws(BolideError) {
      try apply(historyAfter: number, in: next)
    } catch {
      forgetRows()
      throw error
    }
  }

  /// Applies all history between a transaction and a generation, read from that generation itself: never a mixture.
  private func apply(historyAfter number: UInt64, in next: QueryGeneration) throws(BolideError) {
    var last = number
    var records: [TransactionRecord] = []
    let history = HistoryReader(coordinator, reader: next.snapshot)
    guard coordinator.keepsHistory, try next.snapshot.historyStart().transaction <= number else {
      // What changed cannot be told: every object is read anew when it is next looked at, those with edits now.
      return try readAnew(forgetRows(), from: next.snapshot)
    }
    repeat {
      records.removeAll(keepingCapacity: true)
      try next.snapshot.transactions(after: last, limit: 256, into: &records)
      for record in records where !applied.contains(Number(record.mark.transaction)) {
        try apply(try history.changes(of: record).lazy.map(MergedChange.init), from: next.snapshot)
        applied.insert(Number(record.mark.transaction))
      }
      last = records.last?.mark.transaction ?? last
    } while records.count == 256
  }

  /// One change to be merged.
  private struct MergedChange {
    let kind: ChangeKind
    let id: ManagedObjectID
    /// The names of the properties that an update changed; `nil` where nobody told.
    let properties: [String]?

    init(kind: ChangeKind, id: ManagedObjectID, properties: [String]?) {
      self.kind = kind
      self.id = id
      self.properties = properties
    }

    init(_ change: PersistentHistoryChange) {
      self.init(kind: change.kind, id: change.objectID, properties: change.updatedProperties)
    }
  }

  private func apply(_ changes: some Sequence<MergedChange>, from reader: any Reader) throws(BolideError) {
    var gone: [ManagedObject] = []
    var read: [ManagedObject] = []
    var edited: [(object: ManagedObject, old: HeldRow?, properties: [String]?)] = []
    var kept: [(object: ManagedObject, old: HeldRow?)] = []
    let storeWins = mergePolicy == .storeTrump || mergePolicy == .rollback
    for change in changes {
      if observers.isFollowed {
        let entity = try map.entity(change.id.entityName).id
        noteChanges { $0.note(change.kind, change.id.number, of: entity) }
      }
      guard let object = registeredObject(for: change.id), object.state != .inserted else { continue }
      switch change.kind {
      case .insert:
        // Asked for before it was there, or told of twice: read when it is next looked at.
        if object.isInaccessible { forgetRow(of: object) }
      case .delete:
        object.edits.removeAll()
        object.sides.removeAll()
        leave(object)
        gone.append(object)
      case .update:
        let old = object.base
        forgetRow(of: object)
        if object.state == .live, object.hasEdits {
          if storeWins { edited.append((object, old, change.properties)) }
          kept.append((object, old))
        }
        // Read now: the value a later save compares with is the one that was merged.
        if old != nil || object.hasEdits { read.append(object) }
      }
    }
    drop(gone)
    dropLinks(to: gone)
    // A row that is gone was deleted by a later transaction, whose merge will say so.
    try fire(read, from: reader)
    for (object, old, properties) in edited {
      dropEdits(of: object, named: properties ?? Self.changedNames(of: object, since: old))
    }
    for (object, old) in kept { try rebaseReferences(of: object, since: old) }
    if !edited.isEmpty || !gone.isEmpty { dropUnchanged() }
  }

  /// The attributes and to-ones whose values differ from those of an earlier row.
  private static func changedNames(of object: ManagedObject, since old: HeldRow?) -> [String] {
    guard let old, let new = object.base else { return [] }
    let columns = object.entity.tableLayout.columns
    return old.withUnsafeBytes { old in
      new.withUnsafeBytes { new in
        RowView(new, format: object.entity.format)
          .differences(from: RowView(old, format: object.entity.format)).members.map { columns[$0].name }
      }
    }
  }

  /// Where the store wins, an edit of a property that it changed is dropped.
  private func dropEdits(of object: ManagedObject, named names: [String]) {
    var touched: Set<ManagedObject> = []
    for name in names {
      guard let property = object.entity.find(name), let column = property.column else { continue }
      if property.relationship == nil {
        object.edits[column] = nil
      } else {
        dropEdit(of: object, property, touched: &touched)
      }
    }
  }
}
