import BolideStorage
import Foundation

/// A write that changed something, as history keeps it (rule H-1).
public struct PersistentHistoryTransaction: Sendable {
  /// 1, 2, 3 … in commit order; never reused.
  public let number: UInt64
  /// The place after it.
  public let token: PersistentHistoryToken
  /// When it was written, by the store's clock.
  public let timestamp: Date
  /// Who wrote it.
  public let author: String?
  /// The name of the context that wrote it.
  public let contextName: String?
  /// The name of the process that wrote it.
  public let processName: String
  /// The id of that process.
  public let processID: Int64
  /// The store.
  public let storeID: UUID
  /// What it did, by entity name, then number; empty where a request did not ask for changes.
  public let changes: PersistentHistoryChanges
}

/// What a transaction did to one object (rule H-2).
public struct PersistentHistoryChange: Sendable {
  let heading: PersistentHistoryChanges.Heading
  let number: Number

  init(_ heading: PersistentHistoryChanges.Heading, _ number: Number) {
    self.heading = heading
    self.number = number
  }

  init(
    objectID: ManagedObjectID, kind: ChangeKind, updatedProperties: [String], tombstone: [String: Value]
  ) {
    self.init(
      PersistentHistoryChanges.Heading(
        storeID: objectID.storeID, entityName: objectID.entityName, kind: kind,
        updatedProperties: updatedProperties, tombstones: [objectID.number: tombstone]),
      objectID.number)
  }

  /// The object.
  public var objectID: ManagedObjectID {
    ManagedObjectID(storeID: heading.storeID, entityName: heading.entityName, number: number)
  }
  /// Whether it was inserted, updated or deleted.
  public var kind: ChangeKind { heading.kind }
  /// The names of the properties that an update changed, sorted.
  public var updatedProperties: [String] { heading.updatedProperties }
  /// The preserved attributes of a deleted object.
  public var tombstone: [String: Value] { heading.tombstones[number] ?? [:] }
}

extension PersistentHistoryChange: Hashable {
  public static func == (left: PersistentHistoryChange, right: PersistentHistoryChange) -> Bool {
    left.objectID == right.objectID && left.kind == right.kind
      && left.updatedProperties == right.updatedProperties && left.tombstone == right.tombstone
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(number) }
}
