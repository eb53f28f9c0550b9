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
  public let changes: [PersistentHistoryChange]
}

/// What a transaction did to one object (rule H-2).
public struct PersistentHistoryChange: Sendable, Hashable {
  /// The object.
  public let objectID: ManagedObjectID
  /// Whether it was inserted, updated or deleted.
  public let kind: ChangeKind
  /// The names of the properties that an update changed, sorted.
  public let updatedProperties: [String]
  /// The preserved attributes of a deleted object.
  public let tombstone: [String: Value]
}
