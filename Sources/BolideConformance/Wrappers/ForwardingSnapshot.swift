import BolideStorage

/// A snapshot that passes every call on.
///
/// It keeps nothing but references that do not change, so it may cross threads as the snapshot below it may.
open class ForwardingSnapshot: ForwardingReader, Snapshot, @unchecked Sendable {
  private let snapshot: any Snapshot

  /// Wraps a snapshot.
  public required init(_ base: any Snapshot, _ wrapping: StoreWrapping) {
    snapshot = base
    super.init(reading: base, wrapping)
  }

  open func close() { snapshot.close() }
}
