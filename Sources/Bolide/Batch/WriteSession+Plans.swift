import BolideStorage

/// Batch updates and deletes that a store makes by itself, in one call (rules, H-2).
///
/// What is reported, and what becomes of derived values and history, is the same as row by row.
extension WriteSession {
  /// Sets constants in the rows of a selection; `nil` where the store leaves that to the caller.
  ///
  /// No column belongs to a unique index, and the transaction has changed nothing before.
  /// - Returns: the rows that had the values already, by entity.
  func updatePlanned(
    _ selection: EntityScan, values: [(column: Int, value: Value)]
  ) throws(BolideError) -> [EntityID: NumberSet]? {
    let entity = selection.entity
    let wanted = entity.entityColumn.map { [$0] } ?? []
    guard let change = try planned(selection, .set(values), wanted: wanted) else { return nil }
    var rows = RowBatch(change.format(in: map.layout))
    var changed: [ColumnSet] = []
    try transaction.write(change, into: &rows, changed: &changed)
    var unchanged: [EntityID: NumberSet] = [:]
    let numbers = rows.numbers
    rows.withRows { views in
      // Rows that follow each other mostly belong to one set, which is looked up once.
      var place = 0
      while place < numbers.count {
        let columns = changed[place]
        let id = entity.entityColumn == nil ? entity.id : Int(views[place].int(0))
        var end = place + 1
        while end < numbers.count, changed[end] == columns,
          entity.entityColumn == nil || Int(views[end].int(0)) == id
        {
          end += 1
        }
        if columns.isEmpty {
          unchanged[id, default: NumberSet()].insert(contentsOf: numbers[place..<end])
        } else {
          log.setUpdated(numbers[place..<end], entity: id, properties: columns)
        }
        place = end
      }
    }
    return unchanged
  }

  /// Whether nothing but the rows themselves goes with deleted objects of an entity.
  ///
  /// Whatever is related has rules of its own: what cascades, what denies, who loses a member.
  private func isUnrelated(_ entity: EntityMap) -> Bool {
    entity.members.allSatisfy { map.entities[$0].relationships.isEmpty }
  }

  /// Deletes the rows of a selection, if the store does and nothing but the rows themselves goes with them.
  func deletePlanned(_ selection: EntityScan) throws(BolideError) -> Bool {
    let entity = selection.entity
    guard isUnrelated(entity) else { return false }
    let preserved = entity.tableLayout.preserved
    let wanted = preserved + (entity.entityColumn.map { [$0] } ?? [])
    guard let change = try planned(selection, .delete, wanted: wanted) else { return false }
    var rows = RowBatch(change.format(in: map.layout))
    var changed: [ColumnSet] = []
    try transaction.write(change, into: &rows, changed: &changed)
    note(deleted: rows, of: entity)
    return true
  }

  /// Deletes the rows of a selection by their numbers, if nothing but the rows themselves goes with them.
  ///
  /// The transaction has changed nothing before.
  func deleteUnrelated(_ selection: EntityScan) throws -> Bool {
    let entity = selection.entity
    guard log.isEmpty, isUnrelated(entity) else { return false }
    let preserved = entity.tableLayout.preserved
    let wanted = preserved + (entity.entityColumn.map { [$0] } ?? [])
    let change = PlanChange(table: entity.table, tests: [], action: .delete, wanted: wanted)
    var rows = RowBatch(change.format(in: map.layout))
    var builder = RowBuilder(rows.format)
    // All are found before the first goes: a walk is not to meet what it takes away.
    try selection.narrowed().forEach(columns: ColumnSet(wanted)) { row, number in
      builder.clear()
      for (place, column) in wanted.enumerated() { builder.set(place, row.value(column)) }
      builder.append(to: &rows, number: number)
    }
    try transaction.delete(rows.numbers, of: entity.table)
    note(deleted: rows, of: entity)
    return true
  }

  /// Logs rows that were deleted, with their preserved columns and their entity, and keeps tombstones.
  private func note(deleted rows: RowBatch, of entity: EntityMap) {
    if rows.isEmpty { return }
    let preserved = entity.tableLayout.preserved
    if entity.entityColumn == nil {
      log.delete(rows.numbers, entity: entity.id)
      // Without an entity the columns are those of a tombstone.
      if !preserved.isEmpty { bury(rows, of: entity.table) }
      return
    }
    let format = entity.tableLayout.tombstoneFormat
    var graves = RowBatch(format)
    var builder = RowBuilder(format)
    rows.withRows { views in
      for (place, number) in rows.numbers.enumerated() {
        log.delete([number], entity: Int(views[place].int(preserved.count)))
        if preserved.isEmpty { continue }
        builder.clear()
        for column in preserved.indices { builder.set(column, views[place].value(column)) }
        builder.append(to: &graves, number: number)
      }
    }
    if !preserved.isEmpty { bury(graves, of: entity.table) }
  }

  private func planned(
    _ selection: EntityScan, _ action: PlanChange.Action, wanted: [Int]
  ) throws(BolideError) -> PlanChange? {
    guard log.isEmpty else { return nil }
    var tests: [PlanTest] = []
    if let condition = selection.condition {
      let lowering = PlanLowering(selection.entity, in: map)
      for part in PlanLowering.parts(of: condition.checked) {
        guard let test = try lowering.test(part) else { return nil }
        tests.append(test)
      }
    }
    if let test = selection.entityTest { tests.append(test) }
    let change = PlanChange(
      table: selection.entity.table, tests: tests, action: action, wanted: wanted)
    return transaction.accepts(change) ? change : nil
  }
}

extension EntityScan {
  /// Hands out the numbers of the matching rows, ascending.
  func forEachNumber(_ body: (Number) throws -> Void) throws {
    let all = try StorePlan.answer(to: self, .values([], isDistinct: false))
    if let all {
      for number in all.numbers { try body(number) }
    } else {
      try narrowed().forEach(columns: ColumnSet()) { _, number in try body(number) }
    }
  }
}
