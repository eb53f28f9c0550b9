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
    switch relationship.kind {
    case .attribute:
      return []
    case .toOne(let column, _, _, _):
      let format = map.layout.tables[table].format
      var rows = RowBatch(format)
      try reader.rows([owner], of: table, columns: ColumnSet([column]), into: &rows)
      return rows.withRow(at: 0) { $0.isNil(column) ? [] : [$0.int(column)] } ?? []
    case .inverse(_, let source, let column, let index, _, _):
      return try referring(to: owner, from: source, column: column, index: index)
    case .link(let link, let side, _, _):
      return try links(link, of: [owner], side: side).map { side == .forward ? $0.to : $0.from }
    }
  }

  /// How many members a to-many side has, owner by owner.
  package func counts(_ relationship: PropertyMap, of owners: [Number]) throws(BolideError) -> [Int] {
    if owners.isEmpty { return [] }
    switch relationship.kind {
    case .attribute, .toOne:
      return owners.map { _ in 0 }
    case .inverse(_, let source, let column, let index, _, _):
      var result: [Int] = []
      for owner in owners {
        result.append(try referring(to: owner, from: source, column: column, index: index).count)
      }
      return result
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
    let bound = KeyRange.Bound([.reference(target)], isInclusive: true)
    let range = KeyRange.index(index, lower: bound, upper: bound)
    var place: Place?
    var rows = RowBatch(map.layout.tables[table].format)
    repeat {
      try reader.scan(
        range, of: table, backwards: false, from: &place, limit: 1024, columns: ColumnSet([column]),
        into: &rows)
    } while place != nil
    return rows.numbers
  }
}
