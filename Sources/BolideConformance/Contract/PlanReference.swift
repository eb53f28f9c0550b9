import BolideStorage

/// Answers plans the slow way, from rows as values: what the doc comments of ``Plan`` say, line by line.
package struct PlanReference {
  /// A row: its number and its values.
  private typealias Row = (number: Number, values: [Value])

  private let layout: Layout
  private var tables: [[Row]] = []

  /// Reads all rows of a state.
  package init(_ reader: any Reader, layout: Layout) throws(BolideError) {
    self.layout = layout
    for (id, table) in layout.tables.enumerated() {
      var rows: [Row] = []
      var place: Place?
      repeat {
        var batch = RowBatch(table.format)
        try reader.scan(
          .all, of: id, backwards: false, from: &place, limit: 1024, columns: .all(table.columns.count),
          into: &batch)
        for index in 0..<batch.count {
          let values = batch.withRow(at: index) { row in table.columns.indices.map { row.value($0) } }
          rows.append((batch.numbers[index], values ?? []))
        }
      } while place != nil
      tables.append(rows)
    }
  }

  /// The rows of the answer, as values; those of groups in the order of what they have in common.
  package func answer(_ plan: Plan) throws(BolideError) -> [(number: Number, values: [Value])] {
    let rows = selected(plan.table, plan.tests)
    switch plan.result {
    case .rows: return slice(sorted(rows, plan), plan)
    case .values(let operands, let isDistinct):
      var found: [Row] = []
      var seen: Set<[[UInt8]]> = []
      for row in sorted(rows, plan) {
        let values = operands.map { value($0, row, plan.table) }
        if isDistinct, !seen.insert(values.map(Self.key)).inserted { continue }
        found.append((isDistinct ? 0 : row.number, values))
      }
      return slice(found, plan)
    case .groups(let operands, let aggregates):
      var groups: [[[UInt8]]: [Row]] = operands.isEmpty ? [[]: []] : [:]
      for row in rows {
        groups[operands.map { Self.key(value($0, row, plan.table)) }, default: []].append(row)
      }
      var found: [Row] = []
      for (_, members) in groups.sorted(by: { Self.precedes($0.key, $1.key) }) {
        var values = operands.map { operand in members.first.map { value(operand, $0, plan.table) } ?? .null }
        for aggregate in aggregates { values.append(try result(aggregate, members, plan.table)) }
        found.append((0, values))
      }
      return found
    }
  }

  /// The rows of a table that meet tests, by number.
  package func selected(_ table: TableID, _ tests: [PlanTest]) -> [(number: Number, values: [Value])] {
    tables[table].filter { row in tests.allSatisfy { holds($0, row, table) } }
  }

  private func slice(_ rows: [Row], _ plan: Plan) -> [Row] {
    Array(rows.dropFirst(max(0, plan.offset)).prefix(plan.limit.map { max(0, $0) } ?? .max))
  }

  private func sorted(_ rows: [Row], _ plan: Plan) -> [Row] {
    let keyed = rows.map { row in
      (row: row, keys: plan.order.map { key(of: $0, row, plan.table) })
    }
    let order = keyed.sorted { left, right in
      for (index, term) in plan.order.enumerated() where left.keys[index] != right.keys[index] {
        return left.keys[index].lexicographicallyPrecedes(right.keys[index]) == term.ascending
      }
      return (left.row.number < right.row.number) == plan.numbersAscend
    }
    return order.map(\.row)
  }

  private func key(of term: PlanTerm, _ row: Row, _ table: TableID) -> [UInt8] {
    let value = value(term.operand, row, table)
    guard let key = term.key, let text = Self.text(value) else { return Self.key(value) }
    return Self.key(.binary(Array(text.utf8).withUnsafeBytes { key.key(of: $0) }))
  }

  // MARK: Values

  private func value(_ operand: PlanOperand, _ row: Row, _ table: TableID) -> Value {
    switch operand {
    case .constant(let value): return value
    case .number: return .reference(row.number)
    case .column(let column): return row.values[column]
    case .joined(let join, let operand):
      let other: Row?
      switch join {
      case .reference(let column, let target):
        other = tables[target].first { row.values[column] == .reference($0.number) }
      case .inverse(let index, let target):
        let column = layout.tables[target].indexes[index].columns[0]
        other = tables[target].first { $0.values[column] == .reference(row.number) }
      }
      return other.map { value(operand, $0, join.target) } ?? .null
    }
  }

  private func holds(_ test: PlanTest, _ row: Row, _ table: TableID) -> Bool {
    switch test {
    case .constant(let holds): return holds
    case .not(let test): return !holds(test, row, table)
    case .all(let tests): return tests.allSatisfy { holds($0, row, table) }
    case .any(let tests): return tests.contains { holds($0, row, table) }
    case .compare(let left, let comparison, let right):
      let (one, other) = (value(left, row, table), value(right, row, table))
      let (first, second) = (Self.key(one), Self.key(other))
      let isBefore = first.lexicographicallyPrecedes(second)
      switch comparison {
      case .equal: return first == second
      case .notEqual: return first != second
      case .less, .lessOrEqual, .greater, .greaterOrEqual:
        if one.isNull || other.isNull { return false }
        switch comparison {
        case .less: return isBefore
        case .lessOrEqual: return isBefore || first == second
        case .greater: return !isBefore && first != second
        default: return !isBefore
        }
      }
    case .isIn(let operand, let values):
      let key = Self.key(value(operand, row, table))
      return values.contains { Self.key($0) == key }
    case .beginsWith(let operand, let bytes):
      return Self.text(value(operand, row, table)).map { Array($0.utf8).starts(with: bytes) } ?? false
    case .meets(let operand, let test):
      guard let text = Self.text(value(operand, row, table)) else { return test.holds(nil) }
      return Array(text.utf8).withUnsafeBytes { test.holds($0) }
    }
  }

  private func result(
    _ aggregate: PlanAggregate, _ rows: [Row], _ table: TableID
  ) throws(BolideError) -> Value {
    func present(_ operand: PlanOperand) -> [Value] {
      rows.map { value(operand, $0, table) }.filter { !$0.isNull }
    }
    func precedes(_ left: Value, _ right: Value) -> Bool {
      Self.key(left).lexicographicallyPrecedes(Self.key(right))
    }
    switch aggregate {
    case .count: return .int(Int64(rows.count))
    case .minimum(let operand): return present(operand).min(by: precedes) ?? .null
    case .maximum(let operand): return present(operand).max(by: precedes) ?? .null
    case .fold(let operand, let fold):
      let accumulator = fold.begin()
      for value in present(operand) { accumulator.add(value) }
      return try accumulator.result()
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text), .uri(let text): text
    default: nil
    }
  }

  private static func key(_ value: Value) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(value, to: &key)
    return key
  }

  private static func precedes(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
    Array(left.joined()).lexicographicallyPrecedes(Array(right.joined()))
  }
}
