import BolideStorage

/// Fetching: the stored objects that meet a condition, with this context's unsaved edits laid over them.
extension ManagedObjectContext {
  /// The objects a request asks for, in its order.
  ///
  /// An object that the context holds already keeps the values it has; refresh it to see newer ones.
  /// - Throws: `schema.unknown-entity`, `predicate.…`, `store.…`.
  public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
    try mergeWaitingSaves()
    let reader = try reader()
    defer { release(reader) }
    let found = try Selection(self, request, reader: reader)
    var objects: [Object] = []
    objects.reserveCapacity(found.places.count)
    try found.rows.withRows { views in
      for place in found.places {
        let object =
          found.pendingObject(at: place) ?? materialize(views[place], found.rows.numbers[place], found.entity)
        guard let typed = object as? Object else {
          throw BolideError(
            .objectKind, "\(object.objectID) is a \(type(of: object)) and was fetched as \(Object.self)")
        }
        objects.append(typed)
      }
    }
    return objects
  }

  /// The ids of the objects a request asks for, in its order.
  public func fetchIDs<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [ManagedObjectID] {
    try mergeWaitingSaves()
    let reader = try reader()
    defer { release(reader) }
    let found = try Selection(self, request, reader: reader)
    return found.rows.withRows { views in
      found.places.map { place in
        if let pending = found.pendingObject(at: place) { return pending.objectID }
        let entity = map.entity(of: views[place], in: found.entity.table)
        return ManagedObjectID(
          storeID: coordinator.storeID, entityName: entity.name, number: found.rows.numbers[place])
      }
    }
  }

  /// How many objects a request asks for, its limit and offset included.
  public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> Int {
    try mergeWaitingSaves()
    let reader = try reader()
    defer { release(reader) }
    if request.condition == nil, !(request.includesPendingChanges && hasChanges) {
      let entity = try map.entity(request.entityName)
      if entity.entityColumn == nil {
        let rest = max(0, try reader.count(of: entity.table) - max(0, request.offset))
        return min(rest, request.limit ?? .max)
      }
    }
    if request.problem == nil, !(request.includesPendingChanges && hasChanges),
      let all = try StorePlan.count(scan(for: request, from: reader))
    {
      return min(max(0, all - max(0, request.offset)), max(0, request.limit ?? .max))
    }
    var unordered = request
    unordered.sort = []
    return try Selection(self, unordered, reader: reader).places.count
  }

  private func materialize(_ row: RowView, _ number: Number, _ entity: EntityMap) -> ManagedObject {
    let entity = map.entity(of: row, in: entity.table)
    let id = ManagedObjectID(storeID: coordinator.storeID, entityName: entity.name, number: number)
    let object = object(with: id, of: entity)
    if object.isFault {
      object.base = [UInt8](row.bytes)
      object.isInaccessible = false
    }
    return object
  }
}

/// The rows a request selects, and their order.
struct Selection {
  let entity: EntityMap
  private(set) var rows: RowBatch
  /// The objects with unsaved edits, by their places in `rows`.
  private var pending: [Int: ManagedObject] = [:]
  /// Places in `rows`, in the order asked for.
  private(set) var places: [Int] = []

  /// The object with unsaved edits at a place, if one is there.
  func pendingObject(at place: Int) -> ManagedObject? { pending.isEmpty ? nil : pending[place] }

  init<Object: ManagedObject>(
    _ context: ManagedObjectContext, _ request: FetchRequest<Object>, reader: any Reader
  ) throws {
    let request = try request.named(in: context.coordinator.storeID)
    let map = context.map
    let entity = try map.entity(request.entityName)
    self.entity = entity
    let pending =
      request.includesPendingChanges ? context.pending.filter { $0.entity.table == entity.table } : []
    if pending.isEmpty, let point = PointFetch(request, entity: entity) {
      rows = try point.rows(columns: .all(entity.format.columnCount), from: reader)
      places = Array(0..<rows.count)
      return
    }
    let condition = try request.condition.map { condition throws(BolideError) in
      try BoundCondition(condition, entity: entity, map: map)
    }
    let sort = try RowOrder(request.sort, entity: entity, map: map)
    rows = RowBatch(entity.format)
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    scan.includesSubentities = request.includesSubentities

    let columns = ColumnSet.all(entity.format.columnCount)
    let planned =
      pending.isEmpty
      ? try StorePlan(
        scan, order: sort, offset: request.offset, limit: request.limit, result: .rows(columns)) : nil
    if let planned, planned.isWhole {
      rows = try planned.rows(columns: columns, from: reader)
      places = Array(0..<rows.count)
      return
    }
    // Without unsaved edits to lay over them, rows that come in order need no sort and end with the last
    // wanted.
    let wanted = request.limit.map { limit in
      let (sum, overflow) = max(0, request.offset).addingReportingOverflow(max(0, limit))
      return overflow ? .max : sum
    }
    scan.path = AccessPath(
      condition, order: sort, isLimited: wanted != nil && pending.isEmpty, entity: entity)
    let isOrdered = scan.path.isOrdered && pending.isEmpty && planned == nil
    let changed = NumberSet(pending.map(\.objectID.number).filter { $0 > 0 })
    var batch = rows
    if let planned {
      batch = try planned.rows(columns: columns, from: reader)
    } else {
      try scan.forEach(columns: columns, atMost: isOrdered ? wanted : nil) { row, number in
        if changed.contains(number) { return }
        batch.append(row, number: number)
      }
    }
    var builder = RowBuilder(entity.format)
    for object in pending where object.state == .inserted || object.state == .live {
      if object.isFault { try context.fire([object], from: reader) }
      if object.isFault { continue }
      object.image(into: &builder)
      var image = RowBatch(entity.format)
      // New objects come after stored ones, in the order they were inserted.
      let order =
        object.objectID.isTemporary ? Number.max / 2 - object.objectID.number : object.objectID.number
      builder.append(to: &image, number: order)
      try image.withRow(at: 0) { row in
        guard try scan.matches(row, number: order) else { return }
        batch.append(row, number: order)
        self.pending[batch.count - 1] = object
      }
    }
    rows = batch
    var order = Array(0..<rows.count)
    if !isOrdered {
      // Keys whose bytes order as the rows do: made once a row, compared often.
      var keys: [UInt8] = []
      var ends: [Int] = []
      let numbers = rows.numbers
      try rows.withRows { views in
        for index in order {
          try sort.appendKey(of: views[index], number: numbers[index], reader: reader, to: &keys)
          ends.append(keys.count)
        }
      }
      keys.withUnsafeBytes { keys in
        func key(_ index: Int) -> UnsafeRawBufferPointer {
          UnsafeRawBufferPointer(rebasing: keys[(index == 0 ? 0 : ends[index - 1])..<ends[index]])
        }
        order.sort { RowOrder.precedes(key($0), key($1)) }
      }
    }
    places = Array(order.dropFirst(max(0, request.offset)).prefix(max(0, request.limit ?? .max)))
  }
}
