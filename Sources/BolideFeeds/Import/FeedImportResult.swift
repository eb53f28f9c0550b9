import Bolide

/// A record of a feed that was left out, and why.
public struct SkippedRecord: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The record's place in the document, from 1.
  public let record: Int
  /// Where in the document the reason stands: at the value, or at the record's start where it is missing.
  public let position: FeedPosition
  /// The feed's name of the field; `nil` where the whole record is of the wrong kind.
  public let field: String?
  /// What is wrong.
  public let reason: String

  /// Names a record and what is wrong with it.
  public init(record: Int, position: FeedPosition, field: String?, reason: String) {
    self.record = record
    self.position = position
    self.field = field
    self.reason = reason
  }

  /// `record N  field: reason`.
  public var description: String { "record \(record)  \(field.map { "\($0): " } ?? "")\(reason)" }
}

/// How far an import has come.
public struct FeedProgress: Hashable, Sendable {
  /// How many bytes have been read.
  public let bytes: Int
  /// How many there are; `nil` for a pipe.
  public let totalBytes: Int?
  /// How many records have been decoded.
  public let records: Int
}

/// What the import of one document did.
public struct FeedImportResult: Sendable {
  /// How many skipped records are listed.
  public static let skippedLimit = 100

  /// The feed.
  public let feed: Feed
  /// The document's name.
  public let document: String
  /// The entity.
  public let entityName: String
  /// Objects that are new.
  public let inserted: ManagedObjectIDs
  /// Objects that were there and differ now.
  public let updated: ManagedObjectIDs
  /// Objects that were there and are as before.
  public let unchanged: ManagedObjectIDs
  /// The first ``skippedLimit`` records that were left out.
  public let skipped: [SkippedRecord]
  /// How many records were left out.
  public let skippedCount: Int
  /// How many records the document has, those that were left out included.
  public let recordCount: Int
  /// How many bytes it has.
  public let byteCount: Int
  /// How many objects the entity has afterwards.
  public let total: Int
  /// New sightings that are probably stored ones under a revised time; fireball feeds only.
  public let revisions: [ProbableRevision]
  /// What is odd about the document without being wrong.
  public let warnings: [String]
  /// The number of the transaction; `nil` where nothing changed.
  public let transaction: UInt64?
  /// The token of the transaction; `nil` where nothing changed.
  public let token: PersistentHistoryToken?
}
