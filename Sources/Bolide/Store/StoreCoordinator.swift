import BolideStorage
import Foundation

/// An open store with its schema: gives out states to read and sessions to write.
package final class StoreCoordinator: Sendable {
  package let location: StoreLocation
  package let store: any OpenStore
  package let map: SchemaMap
  package let derived: DerivedRules
  /// How history written under earlier schemas is read.
  package let historyNames: HistoryNames
  let names: StoredNames
  /// The properties behind key paths, by entity: of classes with a common base one key path leads to several.
  let slots: [KnownSlots]
  package let storeID: UUID
  package let environment: StoreEnvironment
  package let keepsHistory: Bool
  package let timeout: Duration
  package let signals: StoreSignals
  let saves = SaveHub()
  package let log: (@Sendable (String) -> Void)?

  /// - Parameter origin: the store that this one was forked from, which has the same schema and past.
  init(
    location: StoreLocation, store: any OpenStore, map: SchemaMap, names: StoredNames, storeID: UUID,
    keepsHistory: Bool, options: ContainerOptions, origin: StoreCoordinator? = nil
  ) {
    self.location = location
    self.store = store
    self.map = map
    derived = origin?.derived ?? DerivedRules(map)
    self.names = names
    slots = origin?.slots ?? map.entities.map { _ in KnownSlots() }
    historyNames = origin?.historyNames ?? HistoryNames(names, layout: store.layout, map: map)
    self.storeID = storeID
    self.keepsHistory = keepsHistory
    environment = options.environment
    timeout = options.timeout
    log = options.log
    signals = StoreSignals(store)
  }

  // MARK: Opening

  /// Opens a store, and creates it where there is none and a schema is given.
  package static func open(
    _ schema: Schema?, at location: StoreLocation, options: ContainerOptions
  ) throws(BolideError) -> StoreCoordinator {
    let wanted = try schema.map { schema throws(BolideError) in try SchemaMap(schema) }
    do throws(BolideError) {
      return try open(wanted: wanted, at: location, options: options)
    } catch {
      // Another process migrated the store between our opening and our migrating it.
      guard error.code == .storeSchemaChanged else { throw error }
      return try open(wanted: wanted, at: location, options: options)
    }
  }

  private static func open(
    wanted: SchemaMap?, at location: StoreLocation, options: ContainerOptions
  ) throws(BolideError) -> StoreCoordinator {
    let store = try location.backend.open(
      location.location, layout: wanted?.layout, options: location.options)
    do throws(BolideError) {
      return try adopt(store, wanted: wanted, at: location, options: options)
    } catch {
      try? store.close()
      throw error
    }
  }

  /// Takes over an open store: checks its schema, or writes the first metadata of a new one.
  package static func adopt(
    _ store: any OpenStore, wanted: SchemaMap?, at location: StoreLocation, options: ContainerOptions
  ) throws(BolideError) -> StoreCoordinator {
    var found = try read(store)
    if found == nil, let wanted, !location.options.isReadOnly {
      let written = try initialize(store, schema: wanted.schema, options: options)
      // Reading back what was just written would decode the schema for nothing.
      found = if let written { written } else { try read(store) }
    }
    guard var identity = found else {
      throw BolideError(
        .storeForeign, "the store at \(location.location.path) has no schema",
        remedy: "open it with the schema it is to have")
    }
    if let wanted, wanted.schema != identity.schema {
      try migrate(store, from: identity, to: wanted, at: location, options: options)
      if let migrated = try read(store) { identity = migrated }
    }
    let map = if let wanted { wanted } else { try SchemaMap(identity.schema) }
    return try adopt(
      store, identity: identity, map: map, at: location, options: options)
  }

  /// Takes over a store whose schema and id are known.
  static func adopt(
    _ store: any OpenStore, identity: Identity, map: SchemaMap, at location: StoreLocation,
    options: ContainerOptions
  ) throws(BolideError) -> StoreCoordinator {
    guard map.layout.hasPlaces(of: store.layout) else {
      throw BolideError(
        .storeDamaged, "the tables of the store at \(location.location.path) do not match its schema")
    }
    if identity.keepsHistory, options.history == .off {
      throw BolideError(.historyRequired, "the store at \(location.location.path) keeps history")
    }
    if !identity.keepsHistory, options.history == .on, !location.options.isReadOnly {
      try turnHistoryOn(store, timeout: options.timeout)
    }
    return StoreCoordinator(
      location: location, store: store, map: map, names: identity.names, storeID: identity.storeID,
      keepsHistory: options.history == .on && (identity.keepsHistory || !location.options.isReadOnly),
      options: options)
  }

  /// What a store says of itself.
  struct Identity {
    var schema: Schema
    var storeID: UUID
    var keepsHistory: Bool
    var names: StoredNames
  }

  private static func read(_ store: any OpenStore) throws(BolideError) -> Identity? {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    return try read(snapshot)
  }

  private static func read(_ reader: any Reader) throws(BolideError) -> Identity? {
    guard let schema = try reader.metadata(MetadataKey.schema) else { return nil }
    guard
      let id = try reader.metadata(MetadataKey.storeID).flatMap({
        UUID(uuidString: String(decoding: $0, as: UTF8.self))
      })
    else { throw BolideError(.storeDamaged, "the store's id is missing") }
    return Identity(
      schema: try Schema(json: Data(schema)), storeID: id,
      keepsHistory: try reader.metadata(MetadataKey.history) != Array("off".utf8),
      names: try StoredNames(reader))
  }

  /// Writes schema, id and history option; `nil` where another process was first.
  private static func initialize(
    _ store: any OpenStore, schema: Schema, options: ContainerOptions
  ) throws(BolideError) -> Identity? {
    let transaction = try store.begin(until: .now + options.timeout)
    guard try transaction.metadata(MetadataKey.schema) == nil else {
      transaction.rollback()
      return nil
    }
    let id = options.environment.uuid()
    try transaction.setMetadata(MetadataKey.schema, [UInt8](try schema.json()))
    try transaction.setMetadata(MetadataKey.storeID, Array(id.uuidString.lowercased().utf8))
    try transaction.setMetadata(MetadataKey.history, Array((options.history == .on ? "on" : "off").utf8))
    _ = try transaction.commit(pinning: false)
    return Identity(schema: schema, storeID: id, keepsHistory: options.history == .on, names: StoredNames())
  }

  /// Turns the history of a store on that has been without: what is in it already, history does not tell.
  private static func turnHistoryOn(_ store: any OpenStore, timeout: Duration) throws(BolideError) {
    let transaction = try store.begin(until: .now + timeout)
    try transaction.setMetadata(MetadataKey.history, Array(MetadataKey.historySinceLater.utf8))
    _ = try transaction.commit(pinning: false)
  }

  // MARK: Reading and writing

  /// Runs `body` on the newest committed state.
  package func read<Result>(_ body: (any Snapshot) throws -> Result) throws -> Result {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    return try body(snapshot)
  }

  /// Runs `body` in a write transaction and commits it; rolls back whatever it throws.
  ///
  /// - Parameter isReplayable: whether `body` may run again from its start: a store whose map was too small
  ///   enlarges it and asks for that.
  package func write<Result>(
    author: String?, contextName: String?, pinning: Bool = false, isReplayable: Bool,
    _ body: (WriteSession) throws -> Result
  ) throws -> (result: Result, outcome: CommitOutcome) {
    while true {
      let transaction = try store.begin(until: .now + timeout)
      let session = WriteSession(self, transaction: transaction, author: author, contextName: contextName)
      do {
        let result = try body(session)
        return (result, try session.commit(pinning: pinning))
      } catch {
        transaction.rollback()
        guard isReplayable, let error = error as? BolideError, error.code == .storeMapFull else {
          throw error
        }
      }
    }
  }

  /// Writes metadata that history does not speak of and that wakes nobody (rule H-8).
  ///
  /// - Parameter body: may run again from its start, where a store's map was too small.
  package func writeBookkeeping(_ body: (any WriteTransaction) throws -> Void) throws {
    while true {
      let transaction = try store.begin(until: .now + timeout)
      do {
        try body(transaction)
        _ = try transaction.commit(pinning: false)
        return
      } catch {
        transaction.rollback()
        guard let error = error as? BolideError, error.code == .storeMapFull else { throw error }
      }
    }
  }
}

/// The keys under which Bolide keeps its own data in a store.
package enum MetadataKey {
  package static let schema = "schema"
  package static let storeID = "store-id"
  /// `on` from the start, `later` where there were objects before it, or `off`.
  package static let history = "history"
  package static let historySinceLater = "later"
  package static let names = "names"
}

extension Layout {
  /// Whether every table, column, index and link is where another layout has it; property ids may differ, since those
  /// of a store survive migrations.
  func hasPlaces(of other: Layout) -> Bool {
    guard links == other.links, tables.count == other.tables.count else { return false }
    return zip(tables, other.tables).allSatisfy { mine, theirs in
      mine.name == theirs.name && mine.columns == theirs.columns && mine.indexes == theirs.indexes
        && mine.preserved == theirs.preserved
    }
  }
}
