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

  /// The value for one row.
  func value(_ row: RowView, number: Number, reader: any Reader) throws(BolideError) -> Value {
    switch self {
    case .literal(let value): value
    case .number: .reference(number)
    case .column(let column, _): row.value(column)
    case .path, .aggregate:
      try values(of: RowChunk(standIn: row, [number]), reader: reader).first ?? .null
    }
  }

  /// The values for the rows of a chunk, in their order.
  func values(of chunk: RowChunk, reader: any Reader) throws(BolideError) -> [Value] {
    switch self {
    case .literal(let value): return Array(repeating: value, count: chunk.count)
    case .number: return chunk.numbers.map(Value.reference)
    case .column(let column, _): return chunk.rows.map { $0.value(column) }
    case .path(let path): return try path.values(of: chunk, reader: reader)
    case .aggregate(let aggregate, let walk, let source, let type):
      let members = try walk.members(of: chunk, reader: reader)
      if aggregate == .count { return members.map { .int(Int64($0.count)) } }
      var columns = ColumnSet()
      source.collectColumns(into: &columns)
      // A one-to-one that begins at the other side reads no column of the row, but needs the row all the
      // same.
      if columns.isEmpty { columns.insert(0) }
      var known: [Number: Value] = [:]
      try walk.forEachChunk(of: members, of: chunk, reader: reader, columns: columns) {
        (part) throws(BolideError) in
        let values = try source.values(of: part, reader: reader)
        for (number, value) in zip(part.numbers, values) { known[number] = value }
      }
      var results: [Value] = []
      for numbers in members {
        var accumulator = AggregateAccumulator(aggregate, of: type)
        for number in numbers { if let value = known[number] { accumulator.add(value) } }
        results.append(try accumulator.result())
      }
      return results
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
    case inverse(column: Int, IndexID)
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
      case (.inverse(_, let table, let place, let inverse, _, _), let destination?):
        steps.append(
          Step(
            way: .inverse(column: place, inverse), table: table, format: destination.format,
            columns: columns))
      default: column = property.column
      }
    }
    self.steps = steps
    self.column = column
  }

  /// The values at the ends of the ways from the rows of a chunk; nil where an object on the way is missing.
  ///
  /// Each step is read for all rows at once.
  func values(of chunk: RowChunk, reader: any Reader) throws(BolideError) -> [Value] {
    var numbers: [Number?] = chunk.numbers
    var rows: KnownRows?
    for (index, step) in steps.enumerated() {
      switch step.way {
      case .reference(let column):
        if let known = rows {
          numbers = numbers.map { $0.flatMap { known.reference(column, of: $0) } }
        } else {
          numbers = chunk.rows.map { Self.reference(in: $0, column) }
        }
      case .inverse(let column, let inverse):
        var holders: [Number: Number] = [:]
        try RelationshipReader.forEach(
          referringTo: Self.distinct(numbers), from: step.table, format: step.format, column: column,
          index: inverse, reader: reader
        ) { target, number in
          if holders[target] == nil { holders[target] = number }
        }
        numbers = numbers.map { $0.flatMap { holders[$0] } }
      }
      if index + 1 < steps.count || column != nil {
        rows = try KnownRows(Self.distinct(numbers), step, reader: reader)
      }
    }
    guard let column else { return numbers.map { $0.map(Value.reference) ?? .null } }
    return numbers.map { $0.flatMap { rows?.value(column, of: $0) } ?? .null }
  }

  private static func distinct(_ numbers: [Number?]) -> [Number] { Set(numbers.compactMap { $0 }).sorted() }

  fileprivate static func reference(in row: RowView, _ column: Int) -> Number? {
    row.isNil(column) ? nil : row.int(column)
  }
}

/// Rows that were read, by their numbers.
private struct KnownRows {
  private var rows: RowBatch
  private var places: [Number: Int] = [:]

  init(_ numbers: [Number], _ step: OperandPath.Step, reader: any Reader) throws(BolideError) {
    rows = RowBatch(step.format)
    var start = 0
    while start < numbers.count {
      let part = Array(numbers[start..<min(start + RowChunk.limit, numbers.count)])
      start += part.count
      try reader.rows(part, of: step.table, columns: step.columns, into: &rows)
    }
    for (place, number) in numbers.enumerated() { places[number] = place }
  }

  func value(_ column: Int, of number: Number) -> Value? {
    places[number].flatMap { rows.withRow(at: $0) { $0.value(column) } }
  }

  func reference(_ column: Int, of number: Number) -> Number? {
    places[number].flatMap { rows.withRow(at: $0) { OperandPath.reference(in: $0, column) } } ?? nil
  }
}
