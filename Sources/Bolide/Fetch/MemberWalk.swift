import BolideStorage

/// A way over relationships of any kind to the objects at its end, each of them once.
struct MemberWalk: Sendable {
  /// A relationship, and the table of the objects that it starts from.
  private struct Step: Sendable {
    let property: PropertyMap
    let table: TableID
  }

  private let steps: [Step]
  private let map: SchemaMap
  /// The entity of the objects at the end.
  let target: EntityMap

  /// The way of a path up to its last to-many relationship, and the rest of the path.
  static func split(
    _ path: [String], scope: EntityScope
  ) throws(BolideError) -> (walk: MemberWalk, rest: [String]) {
    let properties = try scope.resolve(path, overMany: true)
    let end = properties.lastIndex(where: \.isToMany).map { $0 + 1 } ?? 0
    return (MemberWalk(properties[..<end], scope: scope), Array(path[end...]))
  }

  private init(_ properties: ArraySlice<PropertyMap>, scope: EntityScope) {
    var holder = scope.entity
    var steps: [Step] = []
    for property in properties {
      steps.append(Step(property: property, table: holder.table))
      if let destination = property.destination { holder = scope.map.entities[destination] }
    }
    self.steps = steps
    map = scope.map
    target = holder
  }

  /// The column of the first object's row that the way begins with, if it does.
  var column: Int? { steps.first?.property.column }

  /// The numbers of the objects at the end for each row of a chunk, ascending.
  ///
  /// Each relationship of the way is read for all rows at once.
  func members(of chunk: RowChunk, reader: any Reader) throws(BolideError) -> [[Number]] {
    let relationships = RelationshipReader(map: map, reader: reader)
    var reached = chunk.numbers.map { [$0] }
    for (index, step) in steps.enumerated() {
      if index == 0, let column = step.property.column {
        reached = chunk.rows.map { $0.isNil(column) ? [] : [$0.int(column)] }
        continue
      }
      let members = try relationships.members(
        step.property, of: Self.distinct(reached), table: step.table)
      reached = reached.map { owners in
        owners.count == 1 ? members[owners[0]] ?? [] : Self.distinct(owners.map { members[$0] ?? [] })
      }
    }
    return reached
  }

  private static func distinct(_ numbers: [[Number]]) -> [Number] {
    var all = Set<Number>()
    for part in numbers { all.formUnion(part) }
    return all.sorted()
  }

  /// Reads the objects at the end, each of them once.
  ///
  /// - Parameters:
  ///   - members: the numbers of the objects for each row of a chunk.
  ///   - columns: the columns to read; where there are none, rows are not read, and `body` gets rows of the chunk
  ///     in their place.
  func forEachChunk(
    of members: [[Number]], of chunk: RowChunk, reader: any Reader, columns: ColumnSet,
    _ body: (RowChunk) throws(BolideError) -> Void
  ) throws(BolideError) {
    let numbers = Self.distinct(members)
    if columns.isEmpty {
      if let row = chunk.rows.first { try body(RowChunk(standIn: row, numbers)) }
      return
    }
    try RowChunk.forEach(
      numbers, of: target.table, format: target.format, columns: columns, reader: reader, body)
  }
}
