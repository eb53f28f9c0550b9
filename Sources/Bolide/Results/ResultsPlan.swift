import BolideStorage

/// A request and its sections made ready: which rows are in the list, and where.
struct ResultsPlan {
  let entity: EntityMap
  private let map: SchemaMap
  private let condition: BoundCondition?
  private let includesSubentities: Bool
  private let order: RowOrder
  private let sources: [OperandSource]
  private let makeSection: (([Value], Bool) -> any SectionValue)?
  private let sectionsAscend: Bool
  /// Whether asking for the section of the same values again may give another one.
  let sectionsMayChange: Bool
  private let columns: ColumnSet
  private let walks: [RelatedWalk]

  /// - Throws: `results.request`, `schema.unknown-entity`, `predicate.…`.
  init<Object: ManagedObject>(
    _ request: FetchRequest<Object>, sections: ResultsSections<Object>?, in context: ManagedObjectContext
  ) throws(BolideError) {
    if let problem = request.problem ?? sections?.problem { throw problem }
    guard request.limit == nil, request.offset == 0 else {
      throw BolideError(
        .resultsRequest, "the request for \(request.entityName) has a limit or an offset",
        remedy: "leave them out: rows are loaded as they are looked at")
    }
    let map = context.map
    let entity = try map.entity(request.entityName)
    for member in entity.members where !(context.objectClass(of: member) is Object.Type) {
      throw BolideError(
        .resultsRequest, "objects of \(map.entities[member].name) are no \(Object.self)")
    }
    self.map = map
    self.entity = entity
    includesSubentities = request.includesSubentities
    let named = try request.named(in: context.coordinator.storeID)
    condition = try named.condition.map { condition throws(BolideError) in
      try BoundCondition(condition, entity: entity, map: map)
    }
    order = try RowOrder(request.sort, entity: entity, map: map)
    let scope = EntityScope(entity, in: map)
    var sources: [OperandSource] = []
    for path in sections?.paths ?? [] { sources.append(try OperandSource(path: path, scope: scope)) }
    self.sources = sources
    makeSection = sections?.make
    sectionsMayChange = sections.map { !$0.followsSort } ?? false
    let first = request.sort.first
    sectionsAscend =
      sections?.followsSort == true && first?.path == sections?.paths.first ? first?.ascending ?? true : true

    var columns = order.columns
    if let condition { columns.formUnion(condition.columns) }
    for source in sources { source.collectColumns(into: &columns) }
    if let column = entity.entityColumn { columns.insert(column) }
    self.columns = columns
    var paths = request.condition?.paths ?? []
    paths.formUnion(request.sort.map(\.path))
    paths.formUnion(sections?.paths ?? [])
    walks = paths.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { path in
      RelatedWalk.walks(along: path, from: entity, in: map)
    }
  }

  /// Whether the list has sections.
  var hasSections: Bool { makeSection != nil }

  // MARK: Rows

  /// The section of rows whose values are equal.
  private struct MadeSection {
    let key: SectionKey
    let columns: SectionColumns?
  }

  private func scan(_ reader: any Reader) throws(BolideError) -> EntityScan {
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    scan.includesSubentities = includesSubentities
    scan.path = try AccessPath(
      condition, order: order, isLimited: false, entity: entity, reader: reader)
    return scan
  }

  /// What the list knows of some rows of a batch.
  private func entries(
    _ rows: RowBatch, at places: [Int], _ reader: any Reader, sections: inout [[UInt8]: MadeSection]
  ) throws(BolideError) -> [ListEntry] {
    var result: [ListEntry] = []
    for start in stride(from: 0, to: places.count, by: Self.chunk) {
      let part = places[start..<min(start + Self.chunk, places.count)]
      result += try rows.withRows { (views) throws(BolideError) in
        try entries(RowChunk(views, rows.numbers, at: part), reader, sections: &sections)
      }
    }
    return result
  }

  private func entries(
    _ chunk: RowChunk, _ reader: any Reader, sections: inout [[UInt8]: MadeSection]
  ) throws(BolideError) -> [ListEntry] {
    let values = try sources.map { source throws(BolideError) in
      try source.values(of: chunk, reader: reader)
    }
    var keys = SortKeys()
    try order.appendKeys(of: chunk, reader: reader, to: &keys)
    var result: [ListEntry] = []
    result.reserveCapacity(chunk.count)
    for (row, number) in chunk.numbers.enumerated() {
      let entity = entity.entityColumn == nil ? entity : map.entity(of: chunk.rows[row], in: entity.table)
      let section = section(of: values.map { $0[row] }, known: &sections)
      result.append(
        ListEntry(
          section: section?.key, key: Array(keys[row]), number: number, entity: entity.id,
          columns: section?.columns))
    }
    return result
  }

  /// Equal values give one section: it is made once a read, and mostly compared by identity.
  private func section(of values: [Value], known: inout [[UInt8]: MadeSection]) -> MadeSection? {
    guard let makeSection else { return nil }
    var bytes: [UInt8] = []
    for value in values { IndexKey.append(value, to: &bytes) }
    if let section = known[bytes] { return section }
    let made = MadeSection(
      key: SectionKey(makeSection(values, sectionsAscend)),
      columns: sectionsMayChange ? SectionColumns(values) : nil)
    known[bytes] = made
    return made
  }

  /// The section that the function makes now.
  func section(of columns: SectionColumns) -> SectionKey? {
    makeSection.map { SectionKey($0(columns.values, sectionsAscend)) }
  }

  /// All rows of the list, in order.
  func entries(from reader: any Reader, work: inout ListWork) throws -> [ListEntry] {
    var result: [ListEntry] = []
    var sections: [[UInt8]: MadeSection] = [:]
    let scan = try scan(reader)
    try scan.forEachChunk(columns: columns) { rows in
      result += try entries(rows, at: Array(0..<rows.count), reader, sections: &sections)
    }
    var counted = work
    counted.rowsRead += result.count
    if scan.path.isOrdered, !hasSections {
      work = counted
      return result
    }
    result.sort { counted.precedes($0, $1) }
    work = counted
    return result
  }

  /// Where some objects stand in the list now; none for those that are gone or do not belong in it.
  ///
  /// - Parameter visit: gets the whole row of each that belongs.
  func entries(
    of numbers: [Number], from reader: any Reader, work: inout ListWork,
    visit: (RowView, Number) -> Void
  ) throws(BolideError) -> [Number: ListEntry] {
    let scan = try scan(reader)
    var result: [Number: ListEntry] = [:]
    var sections: [[UInt8]: MadeSection] = [:]
    var rows = RowBatch(entity.format)
    for start in stride(from: 0, to: numbers.count, by: Self.chunk) {
      let chunk = Array(numbers[start..<min(start + Self.chunk, numbers.count)])
      rows.removeAll()
      try reader.rows(chunk, of: entity.table, columns: .all(entity.format.columnCount), into: &rows)
      work.rowsRead += chunk.count
      let places = try scan.places(in: rows)
      for entry in try entries(rows, at: places, reader, sections: &sections) {
        result[entry.number] = entry
      }
      rows.withRows { views in
        for place in places { visit(views[place], chunk[place]) }
      }
    }
    return result
  }

  private static let chunk = 1024

  // MARK: Changes

  /// The rows that a change of the context's state may concern: those that changed, and those that see a changed object
  /// through a path of the condition, the order or the sections.
  func rows(
    touchedBy changes: StateChanges, from reader: any Reader
  ) throws(BolideError) -> (own: NumberSet, related: NumberSet) {
    let own = changes.numbers(of: entity.members)
    var related = NumberSet()
    for walk in walks {
      let numbers = changes.numbers(of: walk.entities)
      if !numbers.isEmpty { related.formUnion(NumberSet(try walk.owners(of: numbers.numbers, from: reader))) }
    }
    related.subtract(own)
    return (own, related)
  }
}
