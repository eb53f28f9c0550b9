/// What a save did to the store, cascades and owners whose links changed included.
public struct SaveResult: Sendable {
  /// How many objects are new.
  public let inserted: Int
  /// How many stored objects changed.
  public let updated: Int
  /// How many objects are gone.
  public let deleted: Int
  /// The number of the transaction; `nil` where nothing changed.
  public let transaction: UInt64?
  /// The token of the transaction; `nil` where nothing changed.
  public let token: PersistentHistoryToken?
  /// Whether something was written.
  public var didWrite: Bool { inserted + updated + deleted > 0 }
}
