/// Ids of objects that came, changed and went: what a save tells, and what contexts can be told to merge.
public struct ObjectIDChanges: Sendable, Hashable {
  /// Objects that came.
  public var inserted: Set<ManagedObjectID>
  /// Objects whose attributes or links may differ.
  public var updated: Set<ManagedObjectID>
  /// Objects that went.
  public var deleted: Set<ManagedObjectID>

  /// Puts ids together.
  public init(
    inserted: Set<ManagedObjectID> = [], updated: Set<ManagedObjectID> = [],
    deleted: Set<ManagedObjectID> = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
  }

  /// What a batch insert did.
  public init(_ result: BatchInsertResult) {
    self.init(inserted: Set(result.inserted), updated: Set(result.updated))
  }

  /// What a batch update did.
  public init(_ result: BatchUpdateResult) { self.init(updated: Set(result.updated)) }

  /// What a batch delete did to the objects it names; owners of links that went are told by history alone.
  public init(_ result: BatchDeleteResult) { self.init(deleted: Set(result.deleted)) }

  /// Whether nothing came, changed or went.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// Adds what happened later.
  public mutating func formUnion(_ later: ObjectIDChanges) {
    inserted.formUnion(later.inserted)
    updated.formUnion(later.updated.subtracting(inserted))
    // What came and went is told as gone: whoever merges may have met it in between.
    deleted.formUnion(later.deleted)
    inserted.subtract(later.deleted)
    updated.subtract(later.deleted)
  }
}

extension ObjectIDChanges {
  /// What a transaction did, net.
  init(_ log: ChangeLog, in coordinator: StoreCoordinator) {
    self.init()
    for entity in coordinator.map.entities {
      inserted.formUnion(coordinator.ids(log.insertedNumbers(of: entity.id), of: entity))
      updated.formUnion(coordinator.ids(log.updatedNumbers(of: entity.id), of: entity))
      deleted.formUnion(coordinator.ids(log.deletedNumbers(of: entity.id), of: entity))
    }
  }
}

extension StoreCoordinator {
  /// The ids that numbers of one entity stand for.
  func ids(_ numbers: NumberSet, of entity: EntityMap) -> some Sequence<ManagedObjectID> {
    numbers.numbers.lazy.map { [storeID] in
      ManagedObjectID(storeID: storeID, entityName: entity.name, number: $0)
    }
  }
}
