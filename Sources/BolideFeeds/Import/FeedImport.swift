import Bolide
import BolideStorage

/// Imports one document of a feed into an entity, in one transaction.
///
/// The document is decoded once, a chunk at a time, inside the transaction: memory does not grow with the
/// document, and what turns out to be wrong further on rolls everything back. A record that cannot be used is
/// left out and reported; a document that cannot be used is refused and nothing of it is stored.
///
/// Existing objects are updated by their key as the context's merge policy says; a context that names none uses
/// *object trump* (rule U-3). A value that the feed gives as null clears, one that it does not mention stays.
public struct FeedImport: Sendable {
  /// The feed that the document is of.
  public var feed: Feed
  /// The document.
  public var document: FeedDocument
  /// The entity; `nil` for the feed's usual one.
  public var entityName: String?
  /// What becomes of attributes that a record does not mention.
  public var absent: AbsentRule
  /// Is called after each chunk, on the importing thread.
  public var progress: (@Sendable (FeedProgress) -> Void)?
  /// Is asked before each chunk; where it returns true the import is rolled back and throws `feed.cancelled`.
  public var isCancelled: (@Sendable () -> Bool)?

  /// Describes an import.
  public init(
    _ feed: Feed, from document: FeedDocument, into entityName: String? = nil, absent: AbsentRule = .keep,
    progress: (@Sendable (FeedProgress) -> Void)? = nil, isCancelled: (@Sendable () -> Bool)? = nil
  ) {
    self.feed = feed
    self.document = document
    self.entityName = entityName
    self.absent = absent
    self.progress = progress
    self.isCancelled = isCancelled
  }

  /// Runs the import on the calling thread, as the context's author and by its merge policy.
  ///
  /// The context's objects stay as they are until it merges the transaction or fetches anew.
  ///
  /// - Throws: the `feed.…` codes, `schema.unknown-entity`, and what a batch insert throws; nothing is stored then.
  public func run(in context: ManagedObjectContext) throws -> FeedImportResult {
    let entity = try entity(in: context.map)
    let columns = try FeedColumns(feed, entity: entity)
    var attempt = 0
    while true {
      let run = try FeedRun(self, columns: columns)
      do {
        return try run.run(entity, in: context)
      } catch ErrorCode.storeMapFull where run.isRepeatable && attempt < Self.attemptLimit {
        // The store has made room and asks for the same rows once more.
        attempt += 1
      }
    }
  }

  /// A map doubles each time, so this is far more than any store needs.
  private static let attemptLimit = 40

  func entity(in map: SchemaMap) throws(BolideError) -> EntityMap {
    if let entityName { return try map.entity(entityName) }
    let names = feed.usualEntities
    for name in names where map.entities.contains(where: { $0.name == name }) { return try map.entity(name) }
    throw BolideError(
      .feedEntity,
      "the schema has no entity \(names.joined(separator: " or ")), where the feed \(feed.rawValue) goes")
  }
}

extension Feed {
  /// The entities that take the feed where none is named, the first that a schema has.
  package var usualEntities: [String] {
    switch self {
    case .jpl, .cneosCSV: ["Fireball"]
    case .usgs, .usgsCSV: ["CatalogQuake", "Quake"]
    case .todos: ["Item", "Task"]
    }
  }

  /// Whether the service corrects the dates that records are keyed by.
  var revisesDates: Bool {
    switch self {
    case .jpl, .cneosCSV: true
    case .usgs, .usgsCSV, .todos: false
    }
  }
}
