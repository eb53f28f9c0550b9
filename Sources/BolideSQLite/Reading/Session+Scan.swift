import BolideStorage
import CSQLite

extension Session {
  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let id = table
    let table = try schema.table(id)
    try table.check(batch)
    guard limit > 0 else { throw .misuse("A scan of \(table.layout.name) was limited to \(limit) rows") }
    let walk = try Walk(range, of: table, backwards: backwards, from: place)
    // The last row's key is where the next call goes on, whether the caller wants those columns or not.
    let columns = columns.union(ColumnSet(walk.columns))
    var remaining = limit
    for piece in walk.pieces {
      let shape = ScanShape(
        table: id, index: walk.index, equalCount: piece.equal.count, lower: piece.lower?.isInclusive,
        upper: piece.upper?.isInclusive, backwards: backwards, columns: columns)
      let prepared = try connection.kept(.scan(shape)) {
        () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
        let (list, decoder) = selection(columns, of: table)
        return (walk.sql(shape, selecting: list), decoder, nil)
      }
      guard let decoder = prepared.decoder else { continue }
      let statement = prepared.statement
      statement.reset()
      defer { statement.reset() }
      try walk.bind(piece, to: statement, on: connection)
      while try connection.step(statement, while: "scanning \(table.layout.name)") {
        if remaining == 0 {
          place = walk.place(after: batch)
          return
        }
        try decoder.append(statement, using: connection.scratch, to: &batch)
        remaining -= 1
      }
    }
    place = nil
  }

  /// A range in one direction: the columns that order it and the pieces still ahead.
  private struct Walk {
    let table: StoredTable
    let index: IndexID?
    /// The columns of the index; the number comes after them.
    let columns: [Int]
    let backwards: Bool
    let pieces: [ScanPiece]

    init(
      _ range: KeyRange, of table: StoredTable, backwards: Bool, from place: Place?
    ) throws(BolideError) {
      self.table = table
      self.backwards = backwards
      var lower: KeyRange.Bound?
      var upper: KeyRange.Bound?
      switch range {
      case .numbers(let numbers):
        index = nil
        columns = []
        lower = KeyRange.Bound([.reference(numbers.lowerBound)], isInclusive: true)
        upper = KeyRange.Bound([.reference(numbers.upperBound)], isInclusive: true)
      case .index(let id, let low, let high):
        index = id
        columns = try table.index(id).columns
        lower = low
        upper = high
        try Self.check(low?.values ?? [], in: columns, of: table)
        try Self.check(high?.values ?? [], in: columns, of: table)
      }
      if let place {
        guard place.values.count == columns.count else {
          throw .misuse("The place of a scan of \(table.layout.name) is of another scan")
        }
        try Self.check(place.values, in: columns, of: table)
        let bound = KeyRange.Bound(place.values + [.reference(place.number)], isInclusive: false)
        if backwards { upper = bound } else { lower = bound }
      }
      let ascending = ScanPiece.pieces(from: lower, to: upper)
      pieces = backwards ? ascending.reversed() : ascending
    }

    private static func check(_ values: [Value], in columns: [Int], of table: StoredTable) throws(BolideError)
    {
      let types = columns.map { table.format.types[$0] }
      guard values.count <= types.count, zip(values, types).allSatisfy({ $0.fits($1) }) else {
        throw .misuse("A bound of a scan of \(table.layout.name) does not fit the index")
      }
    }

    /// The SQL names that order the rows.
    private var order: [String] {
      columns.map { "\(table.name).\(table.ordering($0))" } + ["\(table.name).\(SQLNames.number)"]
    }

    func sql(_ shape: ScanShape, selecting list: String) -> String {
      let order = order
      var terms = (0..<shape.equalCount).map { "\(order[$0]) IS ?\($0 + 1)" }
      var parameter = shape.equalCount
      if let isInclusive = shape.lower {
        parameter += 1
        terms.append("\(order[shape.equalCount]) \(isInclusive ? ">=" : ">") ?\(parameter)")
      }
      if let isInclusive = shape.upper {
        parameter += 1
        terms.append("\(order[shape.equalCount]) \(isInclusive ? "<=" : "<") ?\(parameter)")
      }
      let direction = backwards ? " DESC" : ""
      return "SELECT \(list) FROM \(table.name) "
        + (index.map { "INDEXED BY \(table.indexes[$0])" } ?? "NOT INDEXED")
        + (terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND "))
        + " ORDER BY " + order.map { $0 + direction }.joined(separator: ", ")
    }

    func bind(
      _ piece: ScanPiece, to statement: Statement, on connection: Connection
    ) throws(BolideError) {
      var parameter: Int32 = 0
      for value in piece.equal {
        parameter += 1
        try connection.check(statement.bind(parameter, order: value), while: "binding the bounds of a scan")
      }
      for limit in [piece.lower, piece.upper] {
        guard let limit else { continue }
        parameter += 1
        let code =
          limit.value.map { statement.bind(parameter, order: $0) }
          ?? bindSmallest(piece.equal.count, parameter, statement)
        try connection.check(code, while: "binding the bounds of a scan")
      }
    }

    /// Binds the smallest value of the column that is not NULL: a bound that an index can start from.
    private func bindSmallest(_ column: Int, _ parameter: Int32, _ statement: Statement) -> Int32 {
      guard column < columns.count else { return statement.bind(parameter, Int64.min) }
      switch table.format.types[columns[column]] {
      case .int16, .int32, .int64, .boolean, .reference: return statement.bind(parameter, Int64.min)
      case .double, .float, .date: return statement.bind(parameter, -Double.infinity)
      case .string, .uri: return statement.bind(parameter, "")
      case .uuid, .binary, .decimal: return statement.bind(parameter, bytes: [])
      }
    }

    /// Where the walk stands after the last row of a batch.
    func place(after batch: RowBatch) -> Place? {
      let last = batch.count - 1
      guard last >= 0 else { return nil }
      return batch.withRow(at: last) { row in
        Place(values: columns.map(row.value), number: batch.numbers[last])
      }
    }
  }
}
