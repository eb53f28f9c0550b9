import BolideStorage

extension ManagedObjectContext {
  /// Gives new objects the ids that they will have once they are saved; those that have one keep it.
  ///
  /// The numbers are set aside in the store, without a transaction: an object that is then not saved leaves a gap, and its
  /// number is never given to another (rule U-1). Where the save meets a stored object and the merge policy makes both one,
  /// the object takes that one's id.
  /// - Throws: `context.foreign-object`, `object.deleted`, and what writing throws; all ids are as they were then.
  public func obtainPermanentIDs(for objects: some Sequence<ManagedObject>) throws {
    var byTable: [TableID: [ManagedObject]] = [:]
    var seen: Set<ManagedObject> = []
    for object in objects where seen.insert(object).inserted {
      guard !object.isDeleted else { throw BolideError(.objectDeleted, "\(object.objectID) was deleted") }
      guard object.context === self else {
        throw BolideError(
          .contextForeign, "obtainPermanentIDs was given \(object.objectID), which belongs to another context"
        )
      }
      if object.objectID.isTemporary { byTable[object.entity.table, default: []].append(object) }
    }
    if byTable.isEmpty { return }
    var first: [TableID: Number] = [:]
    try coordinator.writeBookkeeping { transaction in
      for (table, objects) in byTable.sorted(by: { $0.key < $1.key }) {
        let key = WriteSession.counterKey(map.layout.tables[table].name)
        let next = try transaction.metadata(key).flatMap(Number.init(littleEndianBytes:)) ?? 1
        try transaction.setMetadata(key, (next + Number(objects.count)).littleEndianBytes)
        first[table] = next
      }
    }
    var renamed: [ManagedObjectID: ManagedObjectID] = [:]
    for (table, objects) in byTable {
      guard let first = first[table] else { continue }
      for (place, object) in objects.enumerated() {
        let old = object.objectID
        let id = ManagedObjectID(
          storeID: old.storeID, entityName: old.entityName, number: first + Number(place))
        rename(object, to: id)
        renamed[old] = id
      }
    }
    for object in pending {
      for (column, edit) in object.edits {
        if case .object(let old?) = edit, let id = renamed[old] { object.edits[column] = .object(id) }
      }
      for (property, edits) in object.sides {
        for old in edits.added {
          if let id = renamed[old] { object.sides[property]?.rename(old, to: id) }
        }
      }
    }
  }
}
