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

  /// The numbers of the objects at the end, ascending.
  func members(_ row: RowView, number: Number, reader: any Reader) throws(BolideError) -> [Number] {
    let relationships = RelationshipReader(map: map, reader: reader)
    var numbers = [number]
    for (index, step) in steps.enumerated() {
      if index == 0, let column = step.property.column {
        numbers = row.isNil(column) ? [] : [row.int(column)]
        continue
      }
      var next: [Number] = []
      for owner in numbers {
        next += try relationships.members(step.property, of: owner, table: step.table)
      }
      numbers = numbers.count == 1 ? next : Array(Set(next)).sorted()
    }
    return numbers
  }

  /// Reads the objects at the end until a look at one of them says to stop.
  ///
  /// - Parameter columns: the columns to read; where there are none, rows are not read and `body` gets `nil`.
  func forEach(
    _ row: RowView, number: Number, reader: any Reader, columns: ColumnSet,
    _ body: (RowView?, Number) throws(BolideError) -> Bool
  ) throws(BolideError) {
    let numbers = try members(row, number: number, reader: reader)
    if columns.isEmpty {
      for number in numbers where try !body(nil, number) { return }
      return
    }
    var start = 0
    while start < numbers.count {
      let chunk = Array(numbers[start..<min(start + 256, numbers.count)])
      start += chunk.count
      var rows = RowBatch(target.format)
      try reader.rows(chunk, of: target.table, columns: columns, into: &rows)
      let goesOn = try rows.withRows { (views) throws(BolideError) in
        for index in 0..<views.count where views.isPresent(index) {
          if try !body(views[index], chunk[index]) { return false }
        }
        return true
      }
      if !goesOn { return }
    }
  }
}
