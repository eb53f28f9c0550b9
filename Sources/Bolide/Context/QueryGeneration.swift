import BolideStorage

/// One committed state of a store that contexts may share (rules G-1, G-2). It is held until the last of them lets go.
public final class QueryGeneration: Sendable {
  package let snapshot: any Snapshot
  package let coordinator: StoreCoordinator
  /// The place in history that the state stands at.
  public let token: PersistentHistoryToken

  package init(_ snapshot: any Snapshot, of coordinator: StoreCoordinator) throws(BolideError) {
    self.snapshot = snapshot
    self.coordinator = coordinator
    token = PersistentHistoryToken(storeID: coordinator.storeID, mark: try snapshot.head())
  }

  deinit { snapshot.close() }

  /// What a context is to read.
  public enum Choice: Sendable {
    /// The newest state, from now on unchanged.
    case current
    /// Always the newest state.
    case unpinned
    /// A state that another context reads.
    case generation(QueryGeneration)
  }
}
