import BolideStorage

/// How a call of a store fails when it is made to.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// The system could not read or write.
  case io = "I/O error"
  /// The file system is full.
  case diskFull = "disk full"
  /// The memory map is too small; it is enlarged, and the transaction can be run again.
  case outOfMap = "out of map"
  /// What was written could not be brought to disk.
  case cannotSync = "cannot sync"
  /// Only the first half of what a call was given is written.
  case shortWrite = "short write"

  private static let writing: Set<StoreCall> = [
    .insert, .update, .release, .delete, .link, .unlink, .append, .dropHistory, .setMetadata, .change,
    .commit,
  ]

  /// The calls that can fail so.
  public var calls: Set<StoreCall> {
    switch self {
    case .io: Set(StoreCall.allCases)
    case .diskFull: Self.writing.union([.open, .copy, .fork])
    case .outOfMap: Self.writing
    case .cannotSync: [.open, .commit, .copy, .fork, .maintain, .close]
    case .shortWrite: [.insert, .update, .release, .delete, .link, .unlink]
    }
  }

  /// What a failing call throws.
  public var error: BolideError {
    let code: ErrorCode
    let number: Int32
    switch self {
    case .io, .cannotSync, .shortWrite: (code, number) = (.storeIO, 5)
    case .diskFull: (code, number) = (.storeFull, 28)
    case .outOfMap: (code, number) = (.storeMapFull, 12)
    }
    return BolideError(
      code, "a call was made to fail: \(rawValue)",
      underlying: .init(domain: "suite", code: number, text: "injected"))
  }
}
