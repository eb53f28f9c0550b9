import BolideStorage

/// Reads relationships of any kind from one state: which objects a side names (rule R-1).
package struct RelationshipReader {
  package let map: SchemaMap
  package let reader: any Reader

  package init(map: SchemaMap, reader: any Reader) {
    self.map = map
    self.reader = reader
  }

  /// The members that a side names for an owner, ascending by number.
  package func members(_ relationship: PropertyMap, of owner: Number, table: TableID) throws(BolideError)
    -> [Number]
  {
    try members(relationship, of: [owner], table: table)[owner] ?? []
  }

  /// The members that a side names for each of some owners that has any, ascending by number.
  ///
  /// The calls to the store grow with what there is to read, not with the owners.
  /// - Parameter owners: ascending numbers, each once.
  package func members(
    _ relationship: PropertyMap, of owners: [Number], table: TableID
  ) throws(BolideError) -> [Number: [Number]] {
    var result: [Number: [Number]] = [:]
    switch relationship.kind {
    case .attribute: break
    case .toOne(let column, _, _, _):
      let format = map.layout.tables[table].format
      try RowChunk.forEach(
        owners, of: table, format: format, columns: ColumnSet([column]), reader: reader
      ) { chunk in
        for (row, owner) in zip(chunk.rows, chunk.numbers) where !row.isNil(column) {
          result[owner] = [row.int(column)]
        }
      }
    case .inverse(_, let source, let column, let index, _, _):
      try Self.forEach(
        referringTo: owners, from: source, format: map.layout.tables[source].format, column: column,
        index: index, reader: reader
      ) { target, number in
        result[target, default: []].append(number)
      }
    case .link(let link, let side, _, _):
      for found in try links(link, of: owners, side: side) {
        let (owner, member) = side == .forward ? (found.from, found.to) : (found.to, found.from)
        result[owner, default: []].append(member)
      }
    }
    return result
  }

  /// How many members a to-many side has, owner by owner.
  package func counts(_ relationship: PropertyMap, of owners: [Number]) throws(BolideError) -> [Int] {
    if owners.isEmpty { return [] }
    switch relationship.kind {
    case .attribute, .toOne:
      return owners.map { _ in 0 }
    case .inverse(_, let source, let column, let index, _, _):
      var counts: [Number: Int] = [:]
      try Self.forEach(
        referringTo: Set(owners).sorted(), from: source, format: map.layout.tables[source].format,
        column: column, index: index, reader: reader
      ) { target, _ in
        counts[target, default: 0] += 1
      }
      return owners.map { counts[$0] ?? 0 }
    case .link(let link, let side, _, _):
      var result: [Int] = []
      try reader.linkCounts(link, of: owners, side: side, into: &result)
      return result
    }
  }

  /// All links of objects, a chunk at a time.
  package func links(_ link: LinkID, of owners: [Number], side: LinkSide) throws(BolideError) -> [Link] {
    var result: [Link] = []
    var last: Link?
    while true {
      let known = result.count
      try reader.links(link, of: owners, side: side, after: last, limit: 4096, into: &result)
      if result.count - known < 4096 { return result }
      last = result.last
    }
  }

  /// The rows of a table whose reference column names `target`, ascending.
  package func referring(
    to target: Number, from table: TableID, column: Int, index: IndexID
  ) throws(BolideError) -> [Number] {
    var numbers: [Number] = []
    try Self.forEach(
      referringTo: [target], from: table, format: map.layout.tables[table].format, column: column,
      index: index, reader: reader
    ) { numbers.append($1) }
    return numbers
  }

  /// Hands out the rows of a table whose reference column names one of some objects, object by object, ascending.
  ///
  /// One walk over the index reads them all. Where it meets mostly rows that name others, it goes on from the next
  /// object that is wanted, in smaller steps.
  /// - Parameter targets: ascending numbers, each once.
  static func forEach(
    referringTo targets: [Number], from table: TableID, format: RowFormat, column: Int, index: IndexID,
    reader: any Reader, _ body: (_ target: Number, _ number: Number) -> Void
  ) throws(BolideError) {
    guard let last = targets.last else { return }
    let upper = KeyRange.Bound([.reference(last)], isInclusive: true)
    var next = 0
    var size = 256
    var place: Place?
    var rows = RowBatch(format)
    var lower = targets[0]
    repeat {
      rows.removeAll()
      let from = KeyRange.Bound([.reference(lower)], isInclusive: true)
      try reader.scan(
        .index(index, lower: from, upper: upper), of: table, backwards: false, from: &place, limit: size,
        columns: ColumnSet([column]), into: &rows)
      var wanted = 0
      var reached = lower
      rows.withRows { views in
        for row in 0..<views.count {
          reached = views[row].int(column)
          while targets[next] < reached { next += 1 }
          if targets[next] == reached {
            wanted += 1
            body(reached, rows.numbers[row])
          }
        }
      }
      if place != nil, reached < targets[next], wanted * 2 < rows.count {
        lower = targets[next]
        place = nil
        size = max(16, size / 2)
        continue
      }
      size = min(RowChunk.limit, size * 2)
      if place == nil { return }
    } while true
  }
}
