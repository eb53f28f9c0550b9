import BolideStorage

/// Fetching values instead of objects.
extension ManagedObjectContext {
  /// Rows of the values that a request asks for: of each object, or of each group of objects.
  ///
  /// Unsaved edits count as they do when objects are fetched. A limit and an offset are about rows.
  /// - Throws: as ``fetch(_:)``, and `fetch.column`, `aggregate.overflow`.
  public func fetchRows<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [FetchedRow] {
    if let problem = request.problem { throw problem }
    let entity = try map.entity(request.entityName)
    var projection = try RowProjection(request, entity: entity, map: map)
    var objects = request
    let countsRows = projection.isGrouped || request.returnsDistinctRows
    if countsRows {
      objects.limit = nil
      objects.offset = 0
      if projection.isGrouped { objects.sort = [] }
    }
    let reader = try reader()
    defer { release(reader) }
    let found = try Selection(self, objects, reader: reader)
    let numbers = found.rows.numbers
    try found.rows.withRows { views in
      for place in found.places {
        try projection.add(views[place], number: numbers[place], reader: reader)
      }
    }
    let rows = try projection.finish()
    if !countsRows { return rows }
    return Array(rows.dropFirst(max(0, request.offset)).prefix(max(0, request.limit ?? .max)))
  }
}
