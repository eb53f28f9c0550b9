import BolideStorage

/// What plans the store takes: nearly all, as long as SQLite's own bounds are far.
///
/// SQLite parses expressions of bounded depth, and statements of bounded size. What a person asks is far below these
/// limits; a test beyond them is left to the caller.
struct PlanLimits {
  /// How deeply a test may be nested.
  private static let depth = 20
  /// The most comparisons in a plan.
  private static let leaves = 300
  /// The most rows that an operand may lead over.
  private static let joins = 8
  /// The most result columns, terms and settings.
  private static let columns = 500

  private let schema: StoredSchema

  init(_ schema: StoredSchema) { self.schema = schema }

  /// How much of a plan is taken.
  func accepts(_ plan: Plan) -> Acceptance {
    guard schema.tables.indices.contains(plan.table) else { return .none }
    var left = Self.leaves
    var leaving: [Int] = []
    for (place, test) in plan.tests.enumerated() {
      let size = Self.size(test, depth: 0)
      if let size, size <= left { left -= size } else { leaving.append(place) }
    }
    if leaving.isEmpty, takesResult(plan) { return .whole }
    return leaving.count == plan.tests.count ? .none : .rows(leaving: leaving)
  }

  /// Whether a change is made: without a look at other rows, which may be among those that change.
  func accepts(_ change: PlanChange) -> Bool {
    guard schema.tables.indices.contains(change.table) else { return false }
    if case .set(let settings) = change.action {
      let columns = ColumnSet(settings.map(\.column))
      let table = schema.tables[change.table]
      guard !settings.isEmpty, settings.count <= 60, columns.count == settings.count,
        !table.uniqueIndexes.contains(where: {
          ColumnSet(table.layout.indexes[$0].columns).intersects(columns)
        })
      else { return false }
    }
    var left = Self.leaves
    for test in change.tests {
      guard let size = Self.size(test, depth: 0), size <= left, !test.hasJoin else { return false }
      left -= size
    }
    return change.wanted.count <= Self.columns
  }

  private func takesResult(_ plan: Plan) -> Bool {
    let order = plan.order
    guard order.count <= 60, order.allSatisfy({ $0.operand.joinCount <= Self.joins }) else { return false }
    switch plan.result {
    case .rows: return true
    case .values(let operands, let isDistinct):
      guard operands.count <= Self.columns, operands.allSatisfy({ $0.joinCount <= Self.joins }) else {
        return false
      }
      // The terms of distinct rows are columns of theirs, so that a group has one place.
      return !isDistinct
        || !operands.isEmpty && order.allSatisfy { $0.key == nil && operands.contains($0.operand) }
    case .groups(let operands, let aggregates):
      return operands.count + aggregates.count <= Self.columns
        && operands.allSatisfy { $0.joinCount <= Self.joins }
        && aggregates.allSatisfy { takes($0, of: plan.table) }
        && order.isEmpty && plan.limit == nil && plan.offset <= 0
    }
  }

  private func takes(_ aggregate: PlanAggregate, of table: TableID) -> Bool {
    switch aggregate {
    case .count: return true
    case .fold(let operand, _): return operand.joinCount <= Self.joins
    case .minimum(let operand), .maximum(let operand):
      // SQLite would compare the texts of decimals.
      return operand.joinCount <= Self.joins && operand.type(in: schema.layout, of: table) != .decimal
    }
  }

  /// How many comparisons a test has; `nil` where it is nested too deeply.
  private static func size(_ test: PlanTest, depth: Int) -> Int? {
    guard depth <= Self.depth else { return nil }
    switch test {
    case .constant: return 1
    case .not(let test): return size(test, depth: depth + 1)
    case .all(let tests), .any(let tests):
      var total = 1
      for test in tests {
        guard let size = size(test, depth: depth + 1) else { return nil }
        total += size
      }
      return total
    case .compare(let left, _, let right): return left.joinCount + right.joinCount <= joins ? 1 : nil
    case .isIn(let operand, _), .beginsWith(let operand, _), .meets(let operand, _):
      return operand.joinCount <= joins ? 1 : nil
    }
  }
}

extension PlanOperand {
  /// How many rows the operand leads over.
  fileprivate var joinCount: Int {
    if case .joined(_, let operand) = self { return operand.joinCount + 1 }
    return 0
  }
}

extension PlanTest {
  /// Whether the test looks at other rows.
  fileprivate var hasJoin: Bool {
    switch self {
    case .constant: false
    case .not(let test): test.hasJoin
    case .all(let tests), .any(let tests): tests.contains(where: \.hasJoin)
    case .compare(let left, _, let right): left.joinCount + right.joinCount > 0
    case .isIn(let operand, _), .beginsWith(let operand, _), .meets(let operand, _): operand.joinCount > 0
    }
  }
}
