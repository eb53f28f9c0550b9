import BolideStorage
import Foundation
import Synchronization

/// A place to look at objects and edit them; a save writes the edits in one transaction.
///
/// A context is owned by whoever made it and cannot be shared: the compiler sees to that. Contexts do not see each
/// other's unsaved edits, and see each other's saves when they fetch or merge.
public final class ManagedObjectContext {
  package let coordinator: StoreCoordinator
  package var map: SchemaMap { coordinator.map }

  /// Who writes: stamped on every transaction of this context (rule H-1).
  public var transactionAuthor: String?
  /// The context's name, stamped likewise.
  public var name: String?
  /// What happens on conflicts; `nil` means *error* for saves and *object trump* for batch inserts (rule U-3).
  public var mergePolicy: MergePolicy?
  /// Whether the context keeps every object it ever handed out, and not only those with edits.
  public var retainsRegisteredObjects = false {
    didSet { if !retainsRegisteredObjects { retained.removeAll() } }
  }
  /// Gets what a getter could not throw (rule M-4).
  public var faultHandler: ((BolideError, ManagedObjectID) -> Void)?

  let registry: ObjectRegistry
  private var retained: [ManagedObjectID: ManagedObject] = [:]
  /// What the last request that prefetches read along: nobody else may hold it yet.
  var prefetched: [ManagedObject] = []
  /// Objects with something to save, in the order in which they first had.
  private(set) var pending: [ManagedObject] = []
  private var isPending: Set<ObjectIdentifier> = []
  /// The last temporary number given, without its sign; its upper half is one that no other context has.
  private var temporaries: Number = 0
  private static let serials = Atomic<Int64>(0)
  /// Whether some object may be deleted and not saved yet: spares looking at every member of a relationship.
  private(set) var hasDeletes = false
  /// A mistake that could not be thrown where it was made; the next save throws it.
  var mistake: BolideError?
  private(set) var generation: QueryGeneration?
  /// Transactions that this context wrote or merged: merging one again changes nothing (rule M-1).
  var applied = NumberSet()
  /// What the last look-up by a unique column wrote into.
  var pointMemory: PointMemory?
  /// The entity that was last asked for by name.
  private var lastEntity: EntityMap?
  /// What the objects of each entity share.
  private var homes: [ObjectHome] = []
  /// The class of each entity's objects.
  private let objectClasses: [ManagedObject.Type]
  /// Who follows the state that the context shows.
  let observers = ContextObservers()
  /// What other contexts of the container saved and this one is to merge by itself.
  let inbox = SaveInbox()

  /// Whether the context merges by itself what other contexts of its container save (rule M-3); see
  /// ``processPendingChanges()`` for when.
  ///
  /// Batch requests, other containers and other processes are not followed: merge their history. Merging moves a
  /// pinned context to the newest generation, with everything that was committed meanwhile.
  public var automaticallyMergesChangesFromParent = false {
    didSet { coordinator.saves.follow(inbox, automaticallyMergesChangesFromParent) }
  }

  init(_ coordinator: StoreCoordinator, classes: EntityClasses) {
    self.coordinator = coordinator
    objectClasses = coordinator.map.entities.map { classes.objectClass(of: $0.name) }
    registry = ObjectRegistry(tables: coordinator.map.layout.tables.count)
    homes = coordinator.map.entities.map { entity in
      ObjectHome(
        entity, slots: PropertySlots(coordinator.slots[entity.id]), in: self, registry: registry)
    }
  }

  // MARK: Objects

  /// Inserts a new object of an entity.
  ///
  /// - Throws: `schema.unknown-entity`, `object.abstract`.
  public func insert(_ entityName: String) throws(BolideError) -> ManagedObject {
    let entity = try map.entity(entityName)
    guard !entity.isAbstract else { throw BolideError(.objectAbstract, "\(entityName) is abstract") }
    let object = objectClasses[entity.id].init(seed: seed(for: entity))
    adopt(inserted: object)
    return object
  }

  /// What a new object of a class is made from.
  ///
  /// A class that the schema lacks is a mistake in the program that an initializer cannot throw: the object belongs to no
  /// context, and the next save throws the error.
  func seed(for type: ManagedObject.Type) -> ManagedObject.ObjectSeed {
    do throws(BolideError) {
      let entity = try map.entity(type.entityName)
      if entity.isAbstract { throw BolideError(.objectAbstract, "\(entity.name) is abstract") }
      return seed(for: entity)
    } catch {
      note(mistake: error)
      return .detached(
        ManagedObjectID(storeID: coordinator.storeID, entityName: type.entityName, number: -1))
    }
  }

  private func seed(for entity: EntityMap) -> ManagedObject.ObjectSeed {
    if temporaries == 0 {
      temporaries = ManagedObjectID.firstTemporary(
        of: Self.serials.wrappingAdd(1, ordering: .relaxed).newValue)
    }
    temporaries += 1
    let id = ManagedObjectID(storeID: coordinator.storeID, entityName: entity.name, number: -temporaries)
    return ManagedObject.ObjectSeed(id: id, home: homes[entity.id], state: .inserted)
  }

  /// Whether an object is one of this context; if it is not, the next save says so.
  func isOwn(_ object: ManagedObject, in call: String) -> Bool {
    if object.context === self { return true }
    note(
      mistake: BolideError(
        .contextForeign, "\(call) was given \(object.objectID), which belongs to another context"))
    return false
  }

  /// Notes a mistake that cannot be thrown where it is made: the next save throws the first.
  func note(mistake: BolideError) {
    if self.mistake == nil { self.mistake = mistake }
  }

  func adopt(inserted object: ManagedObject) {
    for (name, value) in ClassProbe.of(type(of: object)).computedDefaults() {
      guard let column = object.entity.find(name)?.column else { continue }
      object.set(value, in: column)
    }
    register(object)
    note(object)
    object.awakeFromInsert()
  }

  /// Deletes an object with the next save; one that was never saved is simply forgotten.
  ///
  /// An object of another context is left as it is, and the next save of this one throws `context.foreign-object`.
  public func delete(_ object: ManagedObject) {
    guard !object.isDeleted, isOwn(object, in: "delete"), prepareForDeletion(object) else { return }
    let wasInserted = object.state == .inserted
    object.state = wasInserted ? .gone : .deleted
    object.isInaccessible = wasInserted
    hasDeletes = true
    note(object)
  }

  /// The object of an id, which must be stored, visible here and not deleted in this context. The id may name a parent
  /// entity of the object's.
  ///
  /// - Throws: `object.missing`, `object.deleted`, `context.foreign-object` for an id of another store or of an unsaved
  ///   object of another context, `schema.unknown-entity`, and what reading throws.
  public func existingObject(with id: ManagedObjectID) throws(BolideError) -> ManagedObject {
    if let known = registeredObject(for: id) {
      guard !known.isDeleted else { throw BolideError(.objectDeleted, "\(id) was deleted") }
      try known.load()
      return known
    }
    guard !id.isTemporary else {
      throw BolideError(
        .contextForeign, "\(id) is an object of another context that was not saved, or was dropped",
        remedy: "save the object there first, and pass its permanent id")
    }
    try coordinator.check(id)
    let entity = try map.entity(id.entityName)
    if entity.entityColumn != nil, let actual = try ids([id.number], of: entity.id).first, actual != id,
      entity.includes(try map.entity(actual.entityName).id)
    {
      return try existingObject(with: actual)
    }
    let object = make(id, of: entity, isKnown: false)
    do {
      try object.load()
    } catch {
      forget(object)
      throw error
    }
    register(object)
    return object
  }

  /// The object of an id, as a fault: whether it is there shows when it is read. An id of another store, of an entity that
  /// the schema lacks, or of an unsaved object of another context gives an object of no context, which says
  /// ``ManagedObject/isInaccessible``.
  public func object(with id: ManagedObjectID) -> ManagedObject {
    if let known = registeredObject(for: id) { return known }
    guard !id.isTemporary, id.storeID == coordinator.storeID else {
      return ManagedObject(seed: .detached(id))
    }
    do throws(BolideError) {
      return make(id, of: try map.entity(id.entityName), isKnown: false)
    } catch {
      return ManagedObject(seed: .detached(id))
    }
  }

  /// The object of an id whose entity is known, as a fault or as this context holds it.
  func object(with id: ManagedObjectID, of entity: EntityMap) -> ManagedObject {
    if let known = registry.object(id.number, in: entity.table), known.entity.id == entity.id { return known }
    return make(id, of: entity, isKnown: true)
  }

  /// - Parameter isKnown: whether the entity is surely the object's: a number is one object's, and who asks for it under
  ///   another entity must not take that one's place.
  private func make(_ id: ManagedObjectID, of entity: EntityMap, isKnown: Bool) -> ManagedObject {
    let object = unregistered(id, of: entity)
    if isKnown || registry.object(id.number, in: entity.table) == nil { register(object) }
    return object
  }

  /// A fault that the context does not know of yet.
  func unregistered(_ id: ManagedObjectID, of entity: EntityMap) -> ManagedObject {
    objectClasses[entity.id].init(
      seed: ManagedObject.ObjectSeed(id: id, home: homes[entity.id], state: .live))
  }

  /// The object of an id, if this context holds it.
  public func registeredObject(for id: ManagedObjectID) -> ManagedObject? {
    guard let entity = try? map.entity(id.entityName),
      let object = registry.object(id.number, in: entity.table)
    else { return nil }
    return object.objectID == id ? object : nil
  }

  /// Every object that this context holds, by id.
  public var registeredObjects: [ManagedObject] {
    liveObjects.sorted { $0.objectID < $1.objectID }
  }

  /// Every object that this context holds, in no order.
  var liveObjects: [ManagedObject] { registry.objects }

  /// New objects, in the order they were inserted.
  public var insertedObjects: [ManagedObject] { pending.filter { $0.state == .inserted } }
  /// Stored objects with edits.
  public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }
  /// Stored objects that the next save deletes.
  public var deletedObjects: [ManagedObject] { pending.filter { $0.state == .deleted } }
  /// Whether there is anything to save.
  public var hasChanges: Bool { pending.contains { $0.state != .gone && $0.hasChanges } }

  /// The class of an entity's objects.
  func objectClass(of entity: EntityID) -> ManagedObject.Type { objectClasses[entity] }

  // MARK: Registration

  func register(_ object: ManagedObject) {
    registry.insert(object)
    if retainsRegisteredObjects { retained[object.objectID] = object }
  }

  /// Registers new objects of one table.
  func register(_ objects: [ManagedObject], in table: TableID) {
    registry.insert(objects, in: table)
    if retainsRegisteredObjects { for object in objects { retained[object.objectID] = object } }
  }

  /// Drops an object: it stays readable for whoever holds it, but belongs to no context.
  func forget(_ object: ManagedObject) {
    registry.remove(object)
    retained[object.objectID] = nil
    object.leaveContext()
  }

  /// Drops an object that is deleted for good: its getters go on giving the last values (rule M-4).
  func leave(_ object: ManagedObject) {
    object.state = .gone
    object.isInaccessible = true
    forget(object)
  }

  /// Gives an object its permanent id.
  func rename(_ object: ManagedObject, to id: ManagedObjectID) {
    let old = object.objectID
    registry.remove(object)
    retained[old] = nil
    // The object may have been merged into a stored one that this context held as another object.
    if let other = registry.object(id.number, in: object.entity.table), other !== object { forget(other) }
    object.objectID = id
    register(object)
  }

  /// Notes that an object has something to save, which keeps it alive until then.
  func note(_ object: ManagedObject) {
    observers.noteEdit(of: object)
    if isPending.insert(ObjectIdentifier(object)).inserted { pending.append(object) }
  }

  func clearPending() {
    pending.removeAll()
    isPending.removeAll()
    hasDeletes = false
  }

  /// The id of a stored object: its entity is read where its table holds several.
  func id(_ number: Number, of entity: EntityID) throws(BolideError) -> ManagedObjectID {
    try ids([number], of: entity).first
      ?? ManagedObjectID(storeID: coordinator.storeID, entityName: map.entities[entity].name, number: number)
  }

  func ids(_ numbers: [Number], of entity: EntityID) throws(BolideError) -> [ManagedObjectID] {
    let destination = map.entities[entity]
    if destination.entityColumn == nil { return numbers.map { id($0, of: destination) } }
    let reader = try reader()
    defer { release(reader) }
    let ids = try ids(numbers, of: destination, from: reader)
    return numbers.compactMap { ids[$0] }
  }

  /// The ids of stored objects by their numbers; those that are gone have none where their entity has to be read.
  func ids(
    _ numbers: [Number], of entity: EntityMap, from reader: any Reader
  ) throws(BolideError) -> [Number: ManagedObjectID] {
    var ids: [Number: ManagedObjectID] = [:]
    guard let column = entity.entityColumn else {
      for number in numbers { ids[number] = id(number, of: entity) }
      return ids
    }
    try RowChunk.forEach(
      numbers, of: entity.table, format: entity.format, columns: ColumnSet([column]), reader: reader
    ) { chunk in
      for (row, number) in zip(chunk.rows, chunk.numbers) {
        ids[number] = id(number, of: map.entity(of: row, in: entity.table))
      }
    }
    return ids
  }

  private func id(_ number: Number, of entity: EntityMap) -> ManagedObjectID {
    ManagedObjectID(storeID: coordinator.storeID, entityName: entity.name, number: number)
  }

  // MARK: Reading

  /// The entity of a name; the same one is mostly asked for again and again.
  ///
  /// - Throws: `schema.unknown-entity`.
  func entity(_ name: String) throws(BolideError) -> EntityMap {
    if let lastEntity, lastEntity.name == name { return lastEntity }
    let entity = try map.entity(name)
    lastEntity = entity
    return entity
  }

  /// The state to read: the pinned one, or the newest. Give it back with ``release(_:)``.
  func reader() throws(BolideError) -> any Snapshot {
    if let generation { return generation.snapshot }
    return try coordinator.store.snapshot()
  }

  func release(_ reader: any Snapshot) {
    if generation?.snapshot !== reader { reader.close() }
  }

  /// Reads the row of a fault.
  func fire(_ object: ManagedObject) throws(BolideError) {
    let reader = try reader()
    defer { release(reader) }
    try fire(object, from: reader)
  }

  func fire(_ object: ManagedObject, from reader: any Reader) throws(BolideError) {
    var rows = RowBatch(object.entity.format)
    try reader.rows(
      [object.objectID.number], of: object.entity.table, columns: .all(object.entity.format.columnCount),
      into: &rows)
    var shelf = RowShelf()
    guard let row = rows.withRow(at: 0, { keep($0, for: object, in: &shelf) }) ?? nil else {
      object.isInaccessible = true
      throw BolideError(.objectMissing, "\(object.objectID) is not in the store")
    }
    object.held = row
    object.isInaccessible = false
  }

  /// A row as an object holds it; `nil` where the number is that of an object of another entity (rule R-5).
  private func keep(_ row: RowView, for object: ManagedObject, in shelf: inout RowShelf) -> HeldRow? {
    guard object.entity.entityColumn == nil || map.entity(of: row, in: object.entity.table) === object.entity
    else { return nil }
    return shelf.keep(row.bytes)
  }

  /// Reads the rows of faults, chunk by chunk; a row that is gone leaves its object inaccessible.
  func fire(_ objects: [ManagedObject], from reader: any Reader) throws(BolideError) {
    for (table, faults) in Dictionary(grouping: objects, by: \.entity.table).sorted(by: { $0.key < $1.key }) {
      let format = map.layout.tables[table].format
      var rows = RowBatch(format)
      for start in stride(from: 0, to: faults.count, by: WriteSession.chunk) {
        let chunk = faults[start..<min(start + WriteSession.chunk, faults.count)]
        rows.removeAll()
        try reader.rows(
          chunk.map(\.objectID.number), of: table, columns: .all(format.columnCount), into: &rows)
        var shelf = RowShelf(expecting: chunk.count)
        for (index, object) in chunk.enumerated() {
          object.base = rows.withRow(at: index) { keep($0, for: object, in: &shelf) } ?? nil
          object.isInaccessible = !object.held.isPresent
        }
      }
    }
  }

  /// The members of a to-many side as this context's state names them.
  func members(of object: ManagedObject, _ property: PropertyMap) throws(BolideError) -> Set<ManagedObjectID>
  {
    guard let destination = property.destination else { return [] }
    let numbers: [Number]
    do {
      let reader = try reader()
      defer { release(reader) }
      numbers = try RelationshipReader(map: map, reader: reader).members(
        property, of: object.objectID.number, table: object.entity.table)
    }
    return Set(try ids(numbers, of: destination))
  }

  // MARK: Generations

  /// The generation this context is pinned to; `nil` while it reads the newest state.
  public var queryGeneration: QueryGeneration? { generation }

  /// Pins the context to a generation, or lets it read the newest state again (rule G-1).
  ///
  /// Objects held by the context are turned into faults, edits kept, so that nothing of another state is mixed in.
  /// - Throws: `context.pinned-elsewhere`, and what taking a snapshot throws.
  public func setQueryGeneration(from choice: QueryGeneration.Choice) throws(BolideError) {
    try refuseWhileTelling("setQueryGeneration")
    defer { tellObservers() }
    switch choice {
    case .unpinned:
      generation = nil
    case .current:
      generation = try QueryGeneration(try coordinator.store.snapshot(), of: coordinator)
    case .generation(let other):
      guard other.coordinator.storeID == coordinator.storeID else {
        throw BolideError(.contextPinned, "the generation is of another store")
      }
      generation = other
      // What it merged after that state is to be merged again.
      applied = NumberSet(applied.numbers.filter { $0 <= Number(other.token.number) })
    }
    let edited = forgetRows()
    guard !edited.isEmpty else { return }
    let reader = try reader()
    defer { release(reader) }
    try readAnew(edited, from: reader)
  }

  func move(to generation: QueryGeneration?) { self.generation = generation }

  // MARK: Letting go

  func drop(_ objects: [ManagedObject]) {
    if objects.isEmpty || pending.isEmpty { return }
    let dropped = Set(objects.map(ObjectIdentifier.init))
    pending.removeAll { dropped.contains(ObjectIdentifier($0)) }
    isPending.subtract(dropped)
  }

  /// Forgets every object and edit; a pinned context moves to the newest state.
  ///
  /// - Throws: what taking a snapshot throws.
  public func reset() throws(BolideError) {
    try refuseWhileTelling("reset")
    defer { tellObservers() }
    noteShownAnew(liveObjects)
    noteChanges { $0.noteEverything() }
    mistake = nil
    let left = liveObjects
    registry.removeAll()
    for object in left { object.leaveContext() }
    retained.removeAll()
    prefetched.removeAll()
    clearPending()
    if generation != nil {
      generation = try QueryGeneration(try coordinator.store.snapshot(), of: coordinator)
    }
  }
}
