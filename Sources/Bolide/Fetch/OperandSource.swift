import BolideStorage

/// Where the value of an operand comes from, seen from a row of a table.
indirect enum OperandSource: Sendable {
  case literal(Value)
  /// The number of the object itself.
  case number
  /// A column of the row.
  case column(Int, ValueType)
  /// The end of to-one relationships.
  case path(OperandPath)
  /// What an aggregate makes of the values of members: their source, and its type.
  case aggregate(Aggregate, MemberWalk, OperandSource, ValueType)

  /// Finds the source of a path of an entity.
  init(path: [String], scope: EntityScope) throws(BolideError) {
    let steps = try scope.resolve(path)
    if steps.count == 1, let column = steps[0].column {
      self = .column(column, scope.entity.format.types[column])
    } else {
      self = .path(OperandPath(steps, scope: scope))
    }
  }

  /// Finds the source of a checked operand.
  init(_ operand: Operand, scope: EntityScope) throws(BolideError) {
    switch operand {
    case .path(let path): try self.init(path: path, scope: scope)
    case .literal(let value): self = .literal(value)
    case .object(_, let number): self = .literal(.reference(number))
    case .stored(let id): self = .literal(.reference(id.number))
    case .itself: self = .number
    case .aggregate(let aggregate, let path):
      let (walk, rest) = try MemberWalk.split(path, scope: scope)
      let target = EntityScope(walk.target, in: scope.map)
      let source: OperandSource = rest.isEmpty ? .number : try OperandSource(path: rest, scope: target)
      let type: ValueType = rest.isEmpty ? .reference : try target.type(of: rest).type
      self = .aggregate(aggregate, walk, source, type)
    }
  }

  /// Adds the columns of the row that the source reads.
  func collectColumns(into columns: inout ColumnSet) {
    switch self {
    case .literal, .number: break
    case .column(let column, _): columns.insert(column)
    case .path(let path):
      if case .reference(let column)? = path.steps.first?.way { columns.insert(column) }
    case .aggregate(_, let walk, _, _): if let column = walk.column { columns.insert(column) }
    }
  }

  /// The value for a row.
  func value(_ row: RowView, number: Number, reader: any Reader) throws(BolideError) -> Value {
    switch self {
    case .literal(let value): return value
    case .number: return .reference(number)
    case .column(let column, _): return row.value(column)
    case .path(let path): return try path.value(row, number: number, reader: reader)
    case .aggregate(let aggregate, let walk, let source, let type):
      if aggregate == .count {
        return .int(Int64(try walk.members(row, number: number, reader: reader).count))
      }
      var accumulator = AggregateAccumulator(aggregate, of: type)
      var columns = ColumnSet()
      source.collectColumns(into: &columns)
      // A one-to-one that begins at the other side reads no column of the row, but needs the row all the
      // same.
      if columns.isEmpty { columns.insert(0) }
      try walk.forEach(row, number: number, reader: reader, columns: columns) {
        (member, number) throws(BolideError) in
        if let member { accumulator.add(try source.value(member, number: number, reader: reader)) }
        return true
      }
      return try accumulator.result()
    }
  }
}

/// A way over to-one relationships to an attribute, or to the last object's number.
struct OperandPath: Sendable {
  /// From an object to the next one.
  struct Step: Sendable {
    let way: Way
    /// The table of the object that the step leads to, its format, and the columns needed there.
    let table: TableID
    let format: RowFormat
    let columns: ColumnSet
  }

  enum Way: Sendable {
    /// The object is named in a column.
    case reference(Int)
    /// The object names the one before it, in a column with an index.
    case inverse(IndexID)
  }

  let steps: [Step]
  /// The column of the last object; `nil` when its number is what is wanted.
  let column: Int?

  init(_ properties: [PropertyMap], scope: EntityScope) {
    var steps: [Step] = []
    var column: Int?
    for (index, property) in properties.enumerated() {
      let following = index + 1 < properties.count ? properties[index + 1].column : nil
      let columns = following.map { ColumnSet([$0]) } ?? ColumnSet()
      let destination = property.destination.map { scope.map.entities[$0] }
      switch (property.kind, destination) {
      case (.toOne(let column, _, _, _), let destination?):
        steps.append(
          Step(
            way: .reference(column), table: destination.table, format: destination.format,
            columns: columns))
      case (.inverse(_, let table, _, let inverse, _, _), let destination?):
        steps.append(
          Step(way: .inverse(inverse), table: table, format: destination.format, columns: columns))
      default: column = property.column
      }
    }
    self.steps = steps
    self.column = column
  }

  /// The value at the end; nil when an object on the way is missing.
  func value(_ row: RowView, number: Number, reader: any Reader) throws(BolideError) -> Value {
    var number = number
    var batch: RowBatch?
    for (index, step) in steps.enumerated() {
      switch step.way {
      case .reference(let column):
        let next: Number?
        if let batch {
          next = batch.withRow(at: 0) { Self.reference(in: $0, column) } ?? nil
        } else {
          next = Self.reference(in: row, column)
        }
        guard let next else { return .null }
        number = next
        batch = nil
        if index + 1 < steps.count || self.column != nil {
          var rows = RowBatch(step.format)
          try reader.rows([number], of: step.table, columns: step.columns, into: &rows)
          batch = rows
        }
      case .inverse(let inverse):
        var rows = RowBatch(step.format)
        var place: Place?
        let bound = KeyRange.Bound([.reference(number)], isInclusive: true)
        try reader.scan(
          .index(inverse, lower: bound, upper: bound), of: step.table, backwards: false, from: &place,
          limit: 1, columns: step.columns, into: &rows)
        guard let found = rows.numbers.first else { return .null }
        number = found
        batch = rows
      }
    }
    guard let column else { return .reference(number) }
    return batch?.withRow(at: 0) { $0.value(column) } ?? .null
  }

  private static func reference(in row: RowView, _ column: Int) -> Number? {
    row.isNil(column) ? nil : row.int(column)
  }
}
