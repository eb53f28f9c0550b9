import BolideStorage

/// Makes rows of values from the rows of objects: one for each object, or one for each group of them.
///
/// Groups stand by the request's terms, then by what they are grouped by, in the direction of the last term:
/// like everything else, in an order that no store and no plan decides.
package struct RowProjection {
  private let columns: [FetchColumn]
  let sources: [OperandSource]
  let isDistinct: Bool
  private var rows: [FetchedRow] = []
  private var seen: Set<[Value]> = []
  var groups: GroupCollector?

  /// The columns of an object's row that ``add(_:at:reader:)`` looks at.
  package private(set) var neededColumns = ColumnSet()

  /// Whether rows stand for groups, so that the order of the objects does not count.
  package var isGrouped: Bool { groups != nil }

  /// Checks what a request asks for.
  ///
  /// - Throws: `fetch.column` for a property that differs within a group, `predicate.…` as conditions do.
  package init<Object: ManagedObject>(
    _ request: FetchRequest<Object>, entity: EntityMap, map: SchemaMap
  ) throws(BolideError) {
    let scope = EntityScope(entity, in: map)
    columns =
      request.propertiesToFetch.isEmpty
      ? Self.allColumns(of: request, entity) : request.propertiesToFetch
    isDistinct = request.returnsDistinctRows
    let paths = request.propertiesToGroupBy.map { $0.split(separator: ".").map(String.init) }
    if paths.isEmpty, request.having == nil, !columns.contains(where: { $0.isOfGroup(in: scope) }) {
      sources = try columns.map { column throws(BolideError) in
        _ = try column.operand.type(in: scope)
        return try OperandSource(column.operand, scope: scope)
      }
    } else {
      sources = []
      groups = try GroupCollector(
        columns, by: paths, having: request.having, sort: request.sort, scope: scope)
    }
    for source in sources + (groups?.sources ?? []) { source.collectColumns(into: &neededColumns) }
  }

  /// All attributes, or what a grouped fetch groups by.
  private static func allColumns<Object: ManagedObject>(
    of request: FetchRequest<Object>, _ entity: EntityMap
  ) -> [FetchColumn] {
    if !request.propertiesToGroupBy.isEmpty {
      return request.propertiesToGroupBy.map {
        FetchColumn(.path($0.split(separator: ".").map(String.init)))
      }
    }
    return entity.attributes.map { FetchColumn(.path([$0.name])) }
  }

  /// Adds the rows of objects, at some places of a batch.
  ///
  /// - Parameter reader: where related objects are read; the state the rows are from.
  package mutating func add(
    _ rows: RowBatch, at places: [Int], reader: any Reader
  ) throws(BolideError) {
    for start in stride(from: 0, to: places.count, by: RowChunk.limit) {
      let part = places[start..<min(start + RowChunk.limit, places.count)]
      try rows.withRows { (views) throws(BolideError) in
        try add(RowChunk(views, rows.numbers, at: part), reader: reader)
      }
    }
  }

  private mutating func add(_ chunk: RowChunk, reader: any Reader) throws(BolideError) {
    if groups != nil {
      try groups?.add(chunk, reader: reader)
      return
    }
    let values = try sources.map { source throws(BolideError) in
      try source.values(of: chunk, reader: reader)
    }
    for row in 0..<chunk.count { append(values.map { $0[row].asFetched }) }
  }

  mutating func append(_ values: [Value]) {
    if isDistinct, !seen.insert(values).inserted { return }
    rows.append(FetchedRow(columns: columns.map(\.name), values: values))
  }

  /// The rows of all objects that were added.
  ///
  /// - Throws: `aggregate.overflow`.
  package mutating func finish() throws(BolideError) -> [FetchedRow] {
    if let groups {
      for values in try groups.finish() { append(values.map(\.asFetched)) }
    }
    return rows
  }
}

extension FetchColumn {
  /// Whether the column is an aggregate that only a group of objects has.
  fileprivate func isOfGroup(in scope: EntityScope) -> Bool {
    guard case .aggregate(_, let path) = operand else { return false }
    guard !path.isEmpty, let steps = try? scope.resolve(path, overMany: true) else { return path.isEmpty }
    return !steps.contains(where: \.isToMany)
  }
}

extension Value {
  /// The value as rows show it: an unsaved object by its temporary number.
  fileprivate var asFetched: Value {
    guard case .reference(let number) = self, let temporary = ManagedObjectID.temporaryNumber(number) else {
      return self
    }
    return .reference(temporary)
  }
}
