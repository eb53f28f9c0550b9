import BolideStorage

/// What of a selection a store does by itself, and what is left to do with the rows that it gives.
///
/// Which objects are found, and in what order, is the same with a plan and without.
package struct StorePlan {
  /// What the store is asked.
  package private(set) var plan: Plan
  /// Whether it gives the rows in order, from the offset to the limit.
  package let isWhole: Bool
  /// What rows are asked afterwards, all of it.
  package let residual: [Condition]

  private let entity: EntityMap
  private let map: SchemaMap

  /// Plans a selection.
  ///
  /// - Parameters:
  ///   - order: the order wanted; `nil` where it does not matter.
  ///   - result: what is wanted of the rows. Only rows themselves can be had in part from the store.
  /// - Returns: `nil` where the store takes nothing of it.
  package init?(
    _ selection: EntityScan, order: RowOrder?, offset: Int = 0, limit: Int? = nil, result: PlanResult
  ) throws(BolideError) {
    let entity = selection.entity
    let map = selection.map
    self.entity = entity
    self.map = map
    var tests: [PlanTest] = []
    var tested: [Condition] = []
    var residual: [Condition] = []
    if let condition = selection.condition {
      let lowering = PlanLowering(entity, in: map)
      for part in PlanLowering.parts(of: condition.checked) {
        if let test = try lowering.test(part) {
          tests.append(test)
          tested.append(part)
        } else {
          residual.append(part)
        }
      }
    }
    if let test = selection.entityTest { tests.append(test) }
    let terms = order.map(\.planTerms) ?? []
    plan = Plan(
      table: entity.table, tests: tests, order: terms ?? [], numbersAscend: order?.numbersAscend ?? true,
      offset: max(0, offset), limit: limit, result: result)
    switch selection.reader.accepts(plan) {
    case .none: return nil
    case .whole:
      isWhole = residual.isEmpty && terms != nil
    case .rows(let leaving):
      // The test of the entity is the one without a condition: a store that does not know it is no help.
      guard leaving.allSatisfy(tested.indices.contains) else { return nil }
      residual += leaving.map { tested[$0] }
      plan.tests = tests.indices.filter { !leaving.contains($0) }.map { tests[$0] }
      isWhole = false
    }
    self.residual = residual
    if isWhole { return }
    // Without a test of its own the store would only read all numbers; and a walk along an index that ends with
    // the last row wanted looks at fewer.
    guard case .rows = result, !plan.tests.isEmpty else { return nil }
    if limit != nil, let order,
      try AccessPath(
        selection.condition, order: order, isLimited: true, entity: entity, reader: selection.reader
      ).isOrdered
    {
      return nil
    }
    plan = Plan(table: entity.table, tests: plan.tests, result: .values([], isDistinct: false))
  }

  /// The rows selected: in order from offset to limit if the plan is whole, else all by number.
  func rows(columns: ColumnSet, from reader: any Reader) throws -> RowBatch {
    var rows = RowBatch(entity.format)
    if isWhole {
      try reader.run(plan, into: &rows)
      return rows
    }
    var found = RowBatch(plan.format(in: map.layout))
    try reader.run(plan, into: &found)
    let condition =
      residual.isEmpty
      ? nil : try BoundCondition(.and(residual), entity: entity, map: map)
    let scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    try scan.forEachMatch(of: found.numbers, columns: columns) { row, number in
      rows.append(row, number: number)
    }
    return rows
  }

  /// The whole answer, where the store gives it.
  static func answer(
    to selection: EntityScan, order: RowOrder? = nil, offset: Int = 0, limit: Int? = nil, _ result: PlanResult
  ) throws(BolideError) -> RowBatch? {
    guard
      let whole = try StorePlan(selection, order: order, offset: offset, limit: limit, result: result),
      whole.isWhole
    else { return nil }
    var answer = RowBatch(whole.plan.format(in: selection.map.layout))
    try selection.reader.run(whole.plan, into: &answer)
    return answer
  }

  /// How many rows are selected, where the store can say.
  static func count(_ selection: EntityScan) throws(BolideError) -> Int? {
    try answer(to: selection, .groups(by: [], [.count]))?.withRow(at: 0) { Int($0.int(0)) }
  }
}

extension EntityScan {
  /// The test that tells the entity's rows from those of others in its table; `nil` where all are its own.
  var entityTest: PlanTest? {
    guard let column = entity.entityColumn else { return nil }
    if !includesSubentities { return .compare(.column(column), .equal, .constant(.int(Int64(entity.id)))) }
    if entity.members.count == map.entities.count(where: { $0.table == entity.table }) { return nil }
    return .isIn(.column(column), entity.members.map { .int(Int64($0)) })
  }

  /// Hands out those of some rows that match, in the order given.
  func forEachMatch(
    of numbers: [Number], columns: ColumnSet, _ body: (RowView, Number) throws -> Void
  ) throws {
    var needed = columns
    if let condition { needed.formUnion(condition.columns) }
    if let column = entity.entityColumn { needed.insert(column) }
    var rows = RowBatch(entity.format)
    for start in stride(from: 0, to: numbers.count, by: Self.chunk) {
      let chunk = Array(numbers[start..<min(start + Self.chunk, numbers.count)])
      rows.removeAll()
      try reader.rows(chunk, of: entity.table, columns: needed, into: &rows)
      let matching = try places(in: rows)
      try rows.withRows { views in
        for place in matching { try body(views[place], chunk[place]) }
      }
    }
  }
}
