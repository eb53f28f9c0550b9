import BolideStorage

/// Rows of one table that are looked at together, so that what they lead to is read in few calls.
///
/// Valid as long as the rows' own batch is looked at.
package struct RowChunk {
  let rows: [RowView]
  let numbers: [Number]

  /// The most rows to look at together.
  static let limit = 1024

  private init(rows: [RowView], numbers: [Number]) {
    self.rows = rows
    self.numbers = numbers
  }

  /// Some rows of a batch, all of them present.
  package init(_ rows: RowBatch.Rows, _ numbers: [Number], at places: some Sequence<Int>) {
    var views: [RowView] = []
    var chosen: [Number] = []
    for place in places {
      views.append(rows[place])
      chosen.append(numbers[place])
    }
    self.init(rows: views, numbers: chosen)
  }

  /// Numbers with one row for all of them: their own where there is one number, else one that nobody looks at.
  init(standIn row: RowView, _ numbers: [Number]) {
    self.init(rows: Array(repeating: row, count: numbers.count), numbers: numbers)
  }

  var count: Int { rows.count }

  /// The rows at some places, which ascend.
  func at(_ places: [Int]) -> RowChunk {
    places.count == count
      ? self : RowChunk(rows: places.map { rows[$0] }, numbers: places.map { numbers[$0] })
  }

  /// Reads rows by their numbers, chunk by chunk; those that are gone are left out.
  static func forEach(
    _ numbers: [Number], of table: TableID, format: RowFormat, columns: ColumnSet, reader: any Reader,
    _ body: (RowChunk) throws(BolideError) -> Void
  ) throws(BolideError) {
    var rows = RowBatch(format)
    var start = 0
    while start < numbers.count {
      let wanted = Array(numbers[start..<min(start + limit, numbers.count)])
      start += wanted.count
      rows.removeAll()
      try reader.rows(wanted, of: table, columns: columns, into: &rows)
      try rows.withRows { (views) throws(BolideError) in
        try body(RowChunk(views, wanted, at: (0..<views.count).lazy.filter { views.isPresent($0) }))
      }
    }
  }
}
