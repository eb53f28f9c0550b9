import BolideStorage

/// Makes rows of values from the rows of objects: one for each object, or one for each group of them.
///
/// Groups stand by the request's terms, then by what they are grouped by, in the direction of the last term:
/// like everything else, in an order that no store and no plan decides.
package struct RowProjection {
  private let columns: [FetchColumn]
  let sources: [OperandSource]
  let isDistinct: Bool
  private var rows: [[Value]] = []
  /// The keys of rows: two URIs that Swift calls equal may differ.
  private var seen: Set<[UInt8]> = []
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
    if groups?.add(rows, at: places) == true { return }
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
    if isDistinct {
      var key: [UInt8] = []
      for value in values { IndexKey.append(value, to: &key) }
      if !seen.insert(key).inserted { return }
    }
    rows.append(values)
  }

  /// The rows of all objects that were added.
  ///
  /// - Throws: `aggregate.overflow`.
  package mutating func finish() throws(BolideError) -> [FetchedRow] {
    if let groups {
      for values in try groups.finish() { append(values.map(\.asFetched)) }
    }
    let answer = FetchedRows(columns.map(\.name), rows)
    return rows.indices.map { FetchedRow(answer, at: $0) }
  }
}

/// Rows whose values stand in the rows of objects as they are: those are handed out themselves.
extension RowProjection {
  /// The column of an object's row that each column is, where all are columns and no two rows are told apart.
  private var plainColumns: [Int]? {
    if isGrouped || isDistinct { return nil }
    var places: [Int] = []
    for case .column(let column, _) in sources { places.append(column) }
    return places.count == sources.count ? places : nil
  }

  /// The rows of objects at some places of a batch, if they are such rows; `nil` if they have to be added.
  func rows(of objects: RowBatch, at places: [Int]) -> [FetchedRow]? {
    guard let plainColumns else { return nil }
    return handOut(objects, at: places, sources: plainColumns)
  }

  /// The rows of a store's answer, which has a column for each of the projection's.
  func rows(of answer: RowBatch) -> [FetchedRow]? {
    isGrouped || isDistinct
      ? nil : handOut(answer, at: Array(0..<answer.count), sources: Array(sources.indices))
  }

  private func handOut(_ rows: RowBatch, at places: [Int], sources: [Int]) -> [FetchedRow] {
    let names = columns.map(\.name)
    if places.count >= rows.count / 2 {
      let answer = FetchedRows(names, rows, sources: sources)
      return places.map { FetchedRow(answer, at: $0) }
    }
    // A few rows of many do not keep all of them in memory.
    var kept = RowBatch(rows.format)
    kept.append(rows, at: places)
    let answer = FetchedRows(names, kept, sources: sources)
    return places.indices.map { FetchedRow(answer, at: $0) }
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
