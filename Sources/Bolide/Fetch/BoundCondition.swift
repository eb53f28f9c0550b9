import BolideStorage

/// A condition made ready for the rows of one entity: names looked up, literals in the columns' own form.
package struct BoundCondition: Sendable {
  /// The columns of a row that ``places(_:in:numbers:reader:)`` looks at.
  package let columns: ColumnSet
  /// The condition with its literals in the columns' own form.
  let checked: Condition
  private let test: RowTest
  private let scope: EntityScope

  /// Checks and binds a condition.
  ///
  /// - Throws: as ``Condition/checked(in:)``.
  package init(_ condition: Condition, entity: EntityMap, map: SchemaMap) throws(BolideError) {
    let scope = EntityScope(entity, in: map)
    let checked = try condition.checked(in: scope).joiningObjects()
    self.checked = checked
    self.scope = scope
    test = try RowTest(checked, scope: scope)
    var columns = ColumnSet()
    test.collectColumns(into: &columns)
    self.columns = columns
  }

  /// Keys of which every row that meets the condition has one, in a column or as its number; `nil` where any will do.
  func keys(of column: Int?) -> KeySet? {
    KeyFinder(scope: scope, column: column).demand(of: checked)?.keys
  }

  /// Those of some places in a batch whose rows meet the condition, in their order.
  ///
  /// - Parameter reader: where related objects are read, for all rows at once; the state the rows are from.
  package func places(
    _ candidates: [Int], in rows: RowBatch.Rows, numbers: [Number], reader: any Reader
  ) throws(BolideError) -> [Int] {
    if case .local(let test) = test {
      return test.places(candidates, in: rows, numbers: numbers)
    }
    var found: [Int] = []
    for start in stride(from: 0, to: candidates.count, by: RowChunk.limit) {
      let part = candidates[start..<min(start + RowChunk.limit, candidates.count)]
      let chunk = RowChunk(rows, numbers, at: part)
      found += try test.places(in: chunk, reader: reader).map { part[start + $0] }
    }
    return found
  }
}
