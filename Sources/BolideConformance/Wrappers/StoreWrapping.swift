import BolideStorage

/// How a store is wrapped: who looks at its calls, and what stands in for its parts.
public struct StoreWrapping: Sendable {
  /// Looks at every call, in stores, snapshots and transactions.
  public var observer: (any CallObserver)?
  /// Stands in for a store that was opened.
  public var store: @Sendable (any OpenStore, StoreWrapping) -> any OpenStore
  /// Stands in for a snapshot.
  public var snapshot: @Sendable (any Snapshot, StoreWrapping) -> any Snapshot
  /// Stands in for a write transaction.
  public var transaction: @Sendable (any WriteTransaction, StoreWrapping) -> any WriteTransaction

  /// Wraps in what passes every call on, unless you say otherwise.
  public init(
    observer: (any CallObserver)? = nil,
    store: @escaping @Sendable (any OpenStore, StoreWrapping) -> any OpenStore = {
      ForwardingStore($0, $1)
    },
    snapshot: @escaping @Sendable (any Snapshot, StoreWrapping) -> any Snapshot = {
      ForwardingSnapshot($0, $1)
    },
    transaction: @escaping @Sendable (any WriteTransaction, StoreWrapping) -> any WriteTransaction = {
      ForwardingTransaction($0, $1)
    }
  ) {
    self.observer = observer
    self.store = store
    self.snapshot = snapshot
    self.transaction = transaction
  }

  /// Lets the observer look at a call.
  func before(_ call: StoreCall) throws(BolideError) { try observer?.before(call) }
}
