import BolideStorage
import Dispatch
import Foundation

/// A store, opened with its schema, and the contexts on it.
///
/// A container may be used from anywhere; a context belongs to whoever made it.
public final class PersistentContainer: Sendable {
  package let coordinator: StoreCoordinator
  let classes: EntityClasses
  /// Where background tasks run: outside of the pool that Swift's tasks share, which waiting writers would exhaust.
  static let queue = DispatchQueue(label: "bolide.background", attributes: .concurrent)
  @MainActor private var view: ManagedObjectContext?

  /// Opens a store with a schema, and creates it where there is none.
  ///
  /// - Throws: `schema.invalid`, `schema.mismatch`, `history.required` and the `store.…` codes; what is there stays as
  ///   it is.
  public convenience init(
    _ schema: Schema, at location: StoreLocation, options: ContainerOptions = ContainerOptions()
  ) throws(BolideError) {
    self.init(
      try StoreCoordinator.open(schema, at: location, options: options), classes: EntityClasses(schema))
  }

  /// Opens an existing store with the schema that it keeps.
  ///
  /// - Throws: `store.missing` where there is none, and what opening with a schema throws.
  public convenience init(
    at location: StoreLocation, options: ContainerOptions = ContainerOptions()
  ) throws(BolideError) {
    self.init(try StoreCoordinator.open(nil, at: location, options: options), classes: EntityClasses(nil))
  }

  init(_ coordinator: StoreCoordinator, classes: EntityClasses) {
    self.coordinator = coordinator
    self.classes = classes
  }

  /// The schema.
  public var schema: Schema { coordinator.map.schema }
  /// The id of the store.
  public var storeID: UUID { coordinator.storeID }
  /// Where the store is.
  public var location: StoreLocation { coordinator.location }
  /// What the store can do.
  public var capabilities: Capabilities { coordinator.location.backend.capabilities }
  package var map: SchemaMap { coordinator.map }

  // MARK: Contexts

  /// The context of the main actor: for views.
  @MainActor public var viewContext: ManagedObjectContext {
    if let view { return view }
    let context = ManagedObjectContext(coordinator, classes: classes)
    // What could not be merged here is kept, and the next fetch throws why.
    context.inbox.wake { [weak self] in
      Task { @MainActor in try? self?.view?.processPendingChanges() }
    }
    view = context
    return context
  }

  /// A new context, for whoever asks: any actor or task may own it.
  public func newContext(author: String? = nil, name: String? = nil) -> sending ManagedObjectContext {
    let context = ManagedObjectContext(coordinator, classes: classes)
    context.transactionAuthor = author
    context.name = name
    return context
  }

  /// Runs `body` with a new context on a thread outside of the pool that Swift's tasks share.
  ///
  /// Writers may wait there without holding up tasks.
  public func performBackgroundTask<Result: Sendable>(
    author: String? = nil, _ body: @escaping @Sendable (ManagedObjectContext) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Self.queue.async {
        continuation.resume(with: Swift.Result { try body(self.newContext(author: author)) })
      }
    }
  }

  // MARK: History and signals

  /// The place after everything that is committed now.
  public func currentToken() throws(BolideError) -> PersistentHistoryToken {
    let snapshot = try coordinator.store.snapshot()
    defer { snapshot.close() }
    return PersistentHistoryToken(storeID: storeID, mark: try snapshot.head())
  }

  /// Reads history.
  ///
  /// - Throws: `history.token-expired`, `history.token-diverged`, `history.token-foreign`.
  public func history(_ request: PersistentHistoryRequest) throws -> PersistentHistoryResult {
    try coordinator.read { try HistoryReader(coordinator, reader: $0).run(request) }
  }

  /// Calls `ring` after commits, also those of other contexts: a hint to look, sometimes given once too often (rule H-8).
  ///
  /// - Returns: a registration; ringing ends when it is released.
  public func onRemoteChange(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    coordinator.signals.listen(ring)
  }

  // MARK: The store

  /// Sizes and readers.
  public func statistics() throws(BolideError) -> Statistics { try coordinator.store.statistics() }

  /// How many objects each entity has, sub-entities counted for themselves.
  public func counts() throws -> [(entity: String, count: Int)] {
    try coordinator.read { reader in
      try map.entities.map { entity in
        guard entity.entityColumn != nil else { return (entity.name, try reader.count(of: entity.table)) }
        var count = 0
        var scan = EntityScan(map: map, reader: reader, entity: entity, condition: nil)
        scan.includesSubentities = false
        try scan.forEach(columns: ColumnSet()) { _, _ in count += 1 }
        return (entity.name, count)
      }
    }
  }

  /// A copy of the store under an id of its own, so that tokens do not carry over (rule H-5); in memory it takes the same time
  /// whatever the size.
  ///
  /// - Parameter location: a free place of the same backend; `nil` for a store that lives as long as the container,
  ///   where the backend keeps its stores in memory.
  /// - Throws: `store.unsupported` for a place of another backend, `store.io` where the place is taken, and what opening
  ///   throws.
  public func fork(to location: StoreLocation? = nil) throws(BolideError) -> PersistentContainer {
    let target: StoreLocation
    if let location {
      try checkPlace(location)
      target = location
    } else {
      guard !capabilities.isDurable else {
        throw BolideError(
          .storeUnsupported, "a fork of a \(self.location.backend.name) store needs a location",
          remedy: "call fork(to:) with a free path")
      }
      target = StoreLocation(
        self.location.backend,
        Location(path: "fork-\(UUID().uuidString.lowercased())", isTransient: true),
        options: self.location.options)
    }
    return PersistentContainer(try coordinator.fork(to: target), classes: classes)
  }

  /// Closes the store. Contexts still in use get `store.closed`.
  public func close() throws(BolideError) { try coordinator.store.close() }
}

/// The classes of a schema's entities.
struct EntityClasses: Sendable {
  private let classes: [String: ManagedObject.Type]

  init(_ schema: Schema?) { classes = schema?.classes ?? [:] }

  /// The class of an entity's objects.
  func objectClass(of entity: String) -> ManagedObject.Type { classes[entity] ?? ManagedObject.self }
}
