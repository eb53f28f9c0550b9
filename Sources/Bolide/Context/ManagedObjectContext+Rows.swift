import BolideStorage

/// Fetching values instead of objects.
extension ManagedObjectContext {
  /// Rows of the values that a request asks for: of each object, or of each group of objects.
  ///
  /// Unsaved edits count as they do when objects are fetched. A limit and an offset are about rows. A to-one that names
  /// an unsaved object is its temporary number, which is negative.
  /// - Throws: as ``fetch(_:)``, and `fetch.column`, `aggregate.overflow`.
  public func fetchRows<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [FetchedRow] {
    let request = try request.named(in: coordinator.storeID)
    let entity = try map.entity(request.entityName)
    var projection = try RowProjection(request, entity: entity, map: map)
    var objects = request
    let countsRows = projection.isGrouped || request.returnsDistinctRows
    if countsRows {
      objects.limit = nil
      objects.offset = 0
      if projection.isGrouped { objects.sort = [] }
    }
    try mergeWaitingSaves()
    let stored = try reader()
    defer { release(stored) }
    let reader = try self.reader(over: stored, for: request)
    if let result = projection.planResult {
      // Groups have an order and limits of their own; distinct rows and others have the request's.
      let rows = projection.isGrouped ? objects : request
      let order = try RowOrder(rows.sort, entity: entity, map: map)
      if let answer = try StorePlan.answer(
        to: scan(for: request, from: reader), order: order, offset: rows.offset, limit: rows.limit, result)
      {
        if let rows = projection.rows(of: answer) { return rows }
        projection.take(answer)
        let found = try projection.finish()
        if !projection.isGrouped { return found }
        return Array(found.dropFirst(max(0, request.offset)).prefix(max(0, request.limit ?? .max)))
      }
    }
    if projection.isGrouped, let scan = try self.unplannedScan(for: objects, from: reader) {
      // The order of the objects does not count, so that none is kept.
      try scan.walk(columns: projection.neededColumns) { rows, places in
        try projection.add(rows, at: places, reader: reader)
      }
    } else {
      let found = try Selection(self, objects, reader: reader, columns: projection.neededColumns)
      if let rows = projection.rows(of: found.rows, at: found.places) { return rows }
      try projection.add(found.rows, at: found.places, reader: reader)
    }
    let rows = try projection.finish()
    if !countsRows { return rows }
    return Array(rows.dropFirst(max(0, request.offset)).prefix(max(0, request.limit ?? .max)))
  }

  /// The stored objects that a request is about.
  func scan<Object: ManagedObject>(
    for request: FetchRequest<Object>, from reader: any Reader
  ) throws(BolideError) -> EntityScan {
    let entity = try map.entity(request.entityName)
    let condition = try request.named(in: coordinator.storeID).condition.map {
      condition throws(BolideError) in
      try BoundCondition(condition, entity: entity, map: map)
    }
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    scan.includesSubentities = request.includesSubentities
    return scan
  }

  /// The walk over the objects of a request in any order; `nil` where the store finds some of them by itself.
  private func unplannedScan<Object: ManagedObject>(
    for request: FetchRequest<Object>, from reader: any Reader
  ) throws(BolideError) -> EntityScan? {
    var scan = try scan(for: request, from: reader)
    if try StorePlan(scan, order: nil, result: .rows(ColumnSet())) != nil { return nil }
    let order = try RowOrder([], entity: scan.entity, map: map)
    scan.path = try AccessPath(
      scan.condition, order: order, isLimited: false, entity: scan.entity, reader: reader)
    return scan
  }
}
