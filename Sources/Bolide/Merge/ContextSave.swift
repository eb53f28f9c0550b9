import Foundation

/// What one save of a context did to the store: cascades and owners whose links changed included.
public struct ContextSave: Sendable {
  /// The id of the store.
  public let storeID: UUID
  /// The objects that came, changed and went, all under permanent ids.
  public let changes: ObjectIDChanges
  /// Who saved.
  public let author: String?
  /// The name of the context that saved.
  public let contextName: String?
  /// The token of the save's transaction; `nil` in a store without history.
  public let token: PersistentHistoryToken?

  /// Objects that came.
  public var inserted: Set<ManagedObjectID> { changes.inserted }
  /// Objects whose attributes or links differ.
  public var updated: Set<ManagedObjectID> { changes.updated }
  /// Objects that went.
  public var deleted: Set<ManagedObjectID> { changes.deleted }
}

extension PersistentContainer {
  /// The saves of this container's contexts from now on, one element each, in any task.
  ///
  /// Batch requests and other processes are not among them: read history for those.
  public var didSave: AsyncStream<ContextSave> { coordinator.saves.stream(from: nil) }
}

extension ManagedObjectContext {
  /// The saves of this context from now on, one element each, in any task.
  public var didSave: AsyncStream<ContextSave> { coordinator.saves.stream(from: inbox) }
}
