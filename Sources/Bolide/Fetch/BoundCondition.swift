import BolideStorage

/// A condition made ready for the rows of one entity: names looked up, literals in the columns' own form.
package struct BoundCondition: Sendable {
  /// The columns of a row that ``places(_:in:numbers:reader:)`` looks at.
  package let columns: ColumnSet
  /// What every row that meets the condition has in a column, as far as an index can use it.
  package let limits: [Int: ColumnLimits]
  /// The condition with its literals in the columns' own form.
  let checked: Condition
  private let test: RowTest

  /// Checks and binds a condition.
  ///
  /// - Throws: as ``Condition/checked(in:)``.
  package init(_ condition: Condition, entity: EntityMap, map: SchemaMap) throws(BolideError) {
    let scope = EntityScope(entity, in: map)
    let checked = try condition.checked(in: scope).joiningObjects()
    self.checked = checked
    test = try RowTest(checked, scope: scope)
    var limits: [Int: ColumnLimits] = [:]
    try Self.collectLimits(of: checked, scope: scope, into: &limits)
    self.limits = limits
    var columns = ColumnSet()
    test.collectColumns(into: &columns)
    self.columns = columns
  }

  /// Looks for comparisons of a column with a constant that hold wherever the whole condition does.
  private static func collectLimits(
    of condition: Condition, scope: EntityScope, into limits: inout [Int: ColumnLimits]
  ) throws(BolideError) {
    switch condition {
    case .and(let parts):
      for part in parts { try collectLimits(of: part, scope: scope, into: &limits) }
    case .compare(_, _, _, let options) where !options.isEmpty: break
    case .compare(let left, let comparison, let right, _):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      if case .column(let column, let type) = left, case .literal(let value) = right, value.fits(type) {
        if value.isNull, comparison.needsOrder { return }
        limits[column, default: ColumnLimits()].add(comparison, value)
      } else if case .literal(let value) = left, case .column(let column, let type) = right, value.fits(type)
      {
        guard let mirrored = comparison.mirrored, !(value.isNull && comparison.needsOrder) else { return }
        limits[column, default: ColumnLimits()].add(mirrored, value)
      }
    case .true, .false, .or, .not, .in, .members: break
    }
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
