import BolideStorage

/// Fetching: the stored objects that meet a condition, with this context's unsaved edits laid over them.
extension ManagedObjectContext {
  /// The objects a request asks for, in its order.
  ///
  /// An object that the context holds already keeps the values it has, unless the request says to refresh it.
  /// - Throws: `schema.unknown-entity`, `predicate.…`, `store.…`.
  @inlinable
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    // Inlined where the class is known: there it costs little to tell that an object is of it.
    let found = try objects(request.terms)
    var objects: [Object] = []
    objects.reserveCapacity(found.count)
    for object in found {
      guard let typed = object as? Object else { throw Self.isOfOtherClass(object, than: Object.self) }
      objects.append(typed)
    }
    return objects
  }

  /// The objects a request asks for, of whatever class.
  @usableFromInline
  func objects(_ terms: FetchTerms) throws -> [ManagedObject] {
    try mergeWaitingSaves()
    let stored = try reader()
    defer { release(stored) }
    let objects: [ManagedObject]
    // Hooks may do what they like, so they wait until all objects are there.
    var faults: [ManagedObject] = []
    if pending.isEmpty || !terms.includesPendingChanges,
      let point = PointFetch(terms, entity: try entity(terms.entityName))
    {
      if let (object, wasFault) = try object(at: point, from: stored) {
        objects = [object]
        if wasFault, hasHooks(in: point.entity) { faults = objects }
      } else {
        objects = []
      }
    } else {
      objects = try selectedObjects(terms, from: stored, noting: &faults)
    }
    defer { awaken(faults) }
    if terms.shouldRefreshRefetchedObjects { try refresh(objects, from: stored) }
    try prefetch(terms, of: objects, from: stored)
    return objects
  }

  private func selectedObjects(
    _ terms: FetchTerms, from stored: any Reader, noting faults: inout [ManagedObject]
  ) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(terms)
    return objects(
      in: try Selection(self, request, reader: reader(over: stored, for: request)), noting: &faults)
  }

  @usableFromInline
  static func isOfOtherClass(_ object: ManagedObject, than wanted: ManagedObject.Type) -> BolideError {
    BolideError(.objectKind, "\(object.objectID) is a \(type(of: object)) and was fetched as \(wanted)")
  }

  /// The ids of the objects a request asks for, in its order.
  public func fetchIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [ManagedObjectID] {
    try mergeWaitingSaves()
    let stored = try reader()
    defer { release(stored) }
    let found = try Selection(
      self, request, reader: self.reader(over: stored, for: request), columns: ColumnSet())
    return found.rows.withRows { views in
      found.places.map { id(of: views[$0], found.rows.numbers[$0], in: found.entity.table) }
    }
  }

  /// How many objects a request asks for, its limit and offset included; of a request that groups or tells rows apart,
  /// how many rows.
  ///
  /// - Throws: as ``fetch(_:)`` and ``fetchRows(_:)``.
  public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> Int {
    let request = try request.named(in: coordinator.storeID)
    let projection = try RowProjection(request, entity: map.entity(request.entityName), map: map)
    if projection.isGrouped || request.returnsDistinctRows { return try fetchRows(request).count }
    try mergeWaitingSaves()
    let stored = try reader()
    defer { release(stored) }
    let reader = try self.reader(over: stored, for: request)
    if request.condition == nil {
      let entity = try map.entity(request.entityName)
      if entity.entityColumn == nil {
        let rest = max(0, try reader.count(of: entity.table) - max(0, request.offset))
        return min(rest, request.limit.map { max(0, $0) } ?? .max)
      }
    }
    if let all = try StorePlan.count(scan(for: request, from: reader)) {
      return min(max(0, all - max(0, request.offset)), max(0, request.limit ?? .max))
    }
    var unordered = request
    unordered.sort = []
    return try Selection(self, unordered, reader: reader, columns: ColumnSet()).places.count
  }

  // MARK: Rows and objects

  /// A state with this context's unsaved edits laid over it; the state itself where there are none, or a request does
  /// not want them.
  func reader<Object: ManagedObject>(
    over stored: any Reader, for request: FetchRequest<Object>
  ) throws(BolideError) -> any Reader {
    guard request.includesPendingChanges, hasChanges else { return stored }
    try fire(pending.filter(\.isFault), from: stored)
    return try PendingReader(pending, over: stored, map: map)
  }

  /// The id of a row's object; the row has its entity's column.
  func id(of row: RowView, _ number: Number, in table: TableID) -> ManagedObjectID {
    id(of: map.entity(of: row, in: table), number)
  }

  /// The objects of selected rows, which are their stored ones unless unsaved edits say otherwise.
  ///
  /// The registry is asked once for all of them, and told once of those that are new. What was a fault is noted, where
  /// its class may have hooks.
  private func objects(in found: Selection, noting faults: inout [ManagedObject]) -> [ManagedObject] {
    let table = found.entity.table
    let only = found.entity.entityColumn == nil ? found.entity : nil
    let numbers = found.rows.numbers
    let known =
      registry.isEmpty(of: table)
      ? nil
      : registry.objects(
        found.places.map { ManagedObjectID.temporaryNumber(numbers[$0]) ?? numbers[$0] }, in: table)
    var objects: [ManagedObject] = []
    objects.reserveCapacity(found.places.count)
    var new: [ManagedObject] = []
    var awakened: [ManagedObject] = []
    var shelf = RowShelf(expecting: found.places.count)
    found.rows.withRows { views in
      for place in found.places {
        let row = views[place]
        let number = numbers[place]
        let entity = only ?? map.entity(of: row, in: table)
        let object: ManagedObject
        if let registered = known?[objects.count], registered.entity === entity {
          object = registered
        } else {
          object = unregistered(id(of: entity, number), of: entity)
          if known != nil { new.append(object) }
        }
        if object.isFault, !found.differs(number) {
          show(row, as: object, in: &shelf)
          if known != nil { awakened.append(object) }
        }
        objects.append(object)
      }
    }
    register(known == nil ? objects : new, in: table)
    if hasHooks(in: found.entity) { faults = known == nil ? objects : awakened }
    return objects
  }

  /// The object of the row that a look-up finds, and whether it was a fault.
  private func object(
    at point: PointFetch, from reader: any Reader
  ) throws(BolideError) -> (object: ManagedObject, wasFault: Bool)? {
    let entity = point.entity
    // Taken out while it is used: what is looked up may be of a class whose initializer looks something up.
    var memory = pointMemory.take() ?? PointMemory(entity)
    if memory.entity !== entity { memory = PointMemory(entity) }
    try point.find(in: reader, using: &memory)
    let found =
      memory.rows.isEmpty
      ? nil
      : memory.rows.withRow(at: 0) { row in
        let object = object(with: id(of: entity, memory.rows.numbers[0]), of: entity)
        let wasFault = object.isFault
        if wasFault {
          var shelf = RowShelf()
          show(row, as: object, in: &shelf)
        }
        return (object, wasFault)
      }
    pointMemory = memory
    return found
  }

  private func show(_ row: RowView, as object: ManagedObject, in shelf: inout RowShelf) {
    object.held = shelf.keep(row.bytes)
    object.isInaccessible = false
  }

  private func id(of entity: EntityMap, _ number: Number) -> ManagedObjectID {
    ManagedObjectID(
      storeID: coordinator.storeID, entityName: entity.name,
      number: ManagedObjectID.temporaryNumber(number) ?? number)
  }
}

/// The rows a request selects, and their order.
struct Selection {
  let entity: EntityMap
  private(set) var rows: RowBatch
  /// Places in `rows`, in the order asked for.
  private(set) var places: [Int] = []
  /// The state the rows are from.
  private let reader: any Reader

  /// Whether a row is not the stored one.
  func differs(_ number: Number) -> Bool {
    (reader as? PendingReader)?.differs(number, in: entity.table) == true
  }

  /// Reads rows.
  ///
  /// - Parameters:
  ///   - reader: the state to read, with unsaved edits laid over it if the request says so.
  ///   - columns: what is wanted of the rows, beside their entities; `nil` for whole rows.
  init<Object: ManagedObject>(
    _ context: ManagedObjectContext, _ request: FetchRequest<Object>, reader: any Reader,
    columns: ColumnSet? = nil
  ) throws {
    let request = try request.named(in: context.coordinator.storeID)
    let map = context.map
    let entity = try map.entity(request.entityName)
    self.entity = entity
    self.reader = reader
    if !(reader is PendingReader), let point = PointFetch(request.terms, entity: entity) {
      rows = try point.rows(from: reader)
      places = Array(0..<rows.count)
      return
    }
    let condition = try request.condition.map { condition throws(BolideError) in
      try BoundCondition(condition, entity: entity, map: map)
    }
    let sort = try RowOrder(request.sort, entity: entity, map: map)
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    scan.includesSubentities = request.includesSubentities
    var needed = columns ?? .all(entity.format.columnCount)
    if let column = entity.entityColumn { needed.insert(column) }
    let planned = try StorePlan(
      scan, order: sort, offset: request.offset, limit: request.limit, result: .rows(needed))
    if let planned, planned.isWhole {
      rows = try planned.rows(columns: needed, from: reader)
      places = Array(0..<rows.count)
      return
    }
    // Rows that come in order need no sort, and end with the last that is wanted.
    let wanted = request.limit.map { limit in
      let (sum, overflow) = max(0, request.offset).addingReportingOverflow(max(0, limit))
      return overflow ? .max : sum
    }
    scan.path = try AccessPath(
      condition, order: sort, isLimited: wanted != nil, entity: entity, reader: reader)
    let isOrdered = scan.path.isOrdered && planned == nil
    if !isOrdered { needed.formUnion(sort.columns) }
    var batch = RowBatch(entity.format)
    if let planned {
      batch = try planned.rows(columns: needed, from: reader)
    } else {
      try scan.collect(columns: needed, atMost: isOrdered ? wanted : nil, into: &batch)
    }
    rows = batch
    var order = Array(0..<batch.count)
    if !isOrdered { try sort.sort(&order, of: batch, reader: reader) }
    places = Array(order.dropFirst(max(0, request.offset)).prefix(max(0, request.limit ?? .max)))
  }
}
