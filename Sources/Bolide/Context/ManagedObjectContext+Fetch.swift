import BolideStorage

/// Fetching: the stored objects that meet a condition, with this context's unsaved edits laid over them.
extension ManagedObjectContext {
  /// The objects a request asks for, in its order.
  ///
  /// An object that the context holds already keeps the values it has, unless the request says to refresh it.
  /// - Throws: `schema.unknown-entity`, `predicate.…`, `store.…`.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    try mergeWaitingSaves()
    let stored = try reader()
    defer { release(stored) }
    let found = try Selection(self, request, reader: self.reader(over: stored, for: request))
    var objects: [Object] = []
    objects.reserveCapacity(found.places.count)
    // Hooks may do what they like, so they wait until all objects are there.
    var faults = hasHooks(in: found.entity) ? [] : nil as [ManagedObject]?
    try found.rows.withRows { views in
      for place in found.places {
        let object = object(of: views[place], found.rows.numbers[place], in: found, noting: &faults)
        objects.append(try typed(object, for: request))
      }
    }
    defer { awaken(faults ?? []) }
    if request.shouldRefreshRefetchedObjects { try refresh(objects, from: stored) }
    try prefetch(request, of: objects, from: stored)
    return objects
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
    ManagedObjectID(
      storeID: coordinator.storeID, entityName: map.entity(of: row, in: table).name,
      number: ManagedObjectID.temporaryNumber(number) ?? number)
  }

  /// The object of a whole row, which is its stored one unless unsaved edits say otherwise; it is noted if it was a fault.
  private func object(
    of row: RowView, _ number: Number, in found: Selection, noting faults: inout [ManagedObject]?
  ) -> ManagedObject {
    let entity = map.entity(of: row, in: found.entity.table)
    let object = object(with: id(of: row, number, in: found.entity.table), of: entity)
    if object.isFault, !found.differs(number) {
      object.base = [UInt8](row.bytes)
      object.isInaccessible = false
      faults?.append(object)
    }
    return object
  }

  func typed<Object: ManagedObject>(
    _ object: ManagedObject, for request: FetchRequest<Object>
  ) throws(BolideError) -> Object {
    guard let typed = object as? Object else {
      throw BolideError(
        .objectKind, "\(object.objectID) is a \(type(of: object)) and was fetched as \(Object.self)")
    }
    return typed
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
    if !(reader is PendingReader), let point = PointFetch(request, entity: entity) {
      rows = try point.rows(columns: .all(entity.format.columnCount), from: reader)
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
    scan.path = AccessPath(condition, order: sort, isLimited: wanted != nil, entity: entity)
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
