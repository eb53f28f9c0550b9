import BolideStorage

extension EntityScan {
  /// The part of a table that may match for the numbers to be worth finding first.
  private static let worthFinding = 16

  /// The same walk over the rows alone that an index leads to, still by number; the walk itself where no index leads to a
  /// small part of the table.
  ///
  /// What a write takes along is read, noted and written in the order of numbers, however it was found.
  func narrowed() throws -> EntityScan {
    var narrow = self
    narrow.path = try AccessPath(
      condition, order: RowOrder([], entity: entity, map: map), isLimited: false, entity: entity,
      reader: reader)
    switch narrow.path.way {
    case .table, .numbers: return narrow
    case .keys, .ranges:
      let most = max(Self.chunk, try reader.count(of: entity.table) / Self.worthFinding)
      var numbers: [Number] = []
      try narrow.forEach(columns: ColumnSet(), atMost: most + 1) { _, number in numbers.append(number) }
      if numbers.count > most { return self }
      narrow.path = .byNumbers(numbers.sorted())
      return narrow
    }
  }
}
