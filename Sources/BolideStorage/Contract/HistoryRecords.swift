/// A point in a store's history: the number of a transaction and the nonce that tells copies apart (rule H-5).
public struct Mark: Hashable, Sendable, Codable {
  /// The transaction's number; 0 before the first.
  public var transaction: UInt64
  /// A random number given to that transaction; 0 before the first.
  public var nonce: UInt64

  /// Makes a mark.
  public init(transaction: UInt64, nonce: UInt64) {
    self.transaction = transaction
    self.nonce = nonce
  }

  /// Before the first transaction.
  public static let start = Mark(transaction: 0, nonce: 0)
}

/// What a transaction says of itself (rule H-1).
public struct TransactionRecord: Hashable, Sendable {
  /// Number and nonce.
  public var mark: Mark
  /// When it was written, in seconds since 2001-01-01 UTC by the store's clock.
  public var timestamp: Double
  /// Who wrote it.
  public var author: String?
  /// The name of the context that wrote it.
  public var contextName: String?
  /// The name of the process that wrote it.
  public var processName: String
  /// The id of that process.
  public var processID: Int64

  /// Assembles a record.
  public init(
    mark: Mark, timestamp: Double, author: String?, contextName: String?, processName: String,
    processID: Int64
  ) {
    self.mark = mark
    self.timestamp = timestamp
    self.author = author
    self.contextName = contextName
    self.processName = processName
    self.processID = processID
  }
}

/// What happened to an object in a transaction (rule H-2).
public enum ChangeKind: UInt8, Sendable, Codable, CaseIterable {
  case insert = 1
  case update = 2
  case delete = 3
}

/// Objects of one entity to which a transaction did the same.
///
/// A run holds at most 4,096 ranges; runs of a transaction come in any order.
public struct ChangeRun: Hashable, Sendable {
  /// The entity (not the table: a sub-entity is named itself).
  public var entity: EntityID
  /// What was done.
  public var kind: ChangeKind
  /// The properties that an update changed; empty for inserts and deletes.
  public var properties: PropertySet
  /// The objects, as ascending ranges that neither overlap nor touch.
  public var numbers: [ClosedRange<Number>]

  /// The most ranges in a run.
  public static let rangeLimit = 4096

  /// Assembles a run.
  public init(
    entity: EntityID, kind: ChangeKind, properties: PropertySet, numbers: [ClosedRange<Number>]
  ) {
    self.entity = entity
    self.kind = kind
    self.properties = properties
    self.numbers = numbers
  }
}

/// A transaction as it is read back.
public struct HistoryEntry: Hashable, Sendable {
  /// What it says of itself.
  public var record: TransactionRecord
  /// What it did.
  public var runs: [ChangeRun]

  /// Assembles an entry.
  public init(record: TransactionRecord, runs: [ChangeRun]) {
    self.record = record
    self.runs = runs
  }
}
