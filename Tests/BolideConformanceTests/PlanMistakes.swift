import BolideConformance
import BolideStorage

/// Answers every plan, by the reference: right, but for what a subclass makes of the plan or its answer.
class AnswersPlans: ForwardingSnapshot, @unchecked Sendable {
  private let layout: Layout

  required init(_ base: any Snapshot, _ wrapping: StoreWrapping) {
    layout = PlanMistakes.layout
    super.init(base, wrapping)
  }

  override func accepts(_ plan: Plan) -> Acceptance { .whole }

  /// The plan that is answered instead.
  func altered(_ plan: Plan) -> Plan { plan }

  override func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    var builder = RowBuilder(batch.format)
    let plan = altered(plan)
    for row in try PlanReference(base, layout: layout).answer(plan) {
      builder.clear()
      for (column, value) in row.values.enumerated() { builder.set(column, value) }
      builder.append(to: &batch, number: row.number)
    }
  }
}

enum PlanMistakes {
  /// The layout of the contract's cases.
  static let layout = Conformance.planLayout
}

final class ForgetsOneTest: AnswersPlans, @unchecked Sendable {
  override func altered(_ plan: Plan) -> Plan {
    var plan = plan
    _ = plan.tests.popLast()
    return plan
  }
}

final class TakesNilForUnknown: AnswersPlans, @unchecked Sendable {
  override func altered(_ plan: Plan) -> Plan {
    var plan = plan
    plan.tests = plan.tests.map(Self.unknowing)
    return plan
  }

  /// As SQL does: what is compared with nil neither holds nor does its negation.
  private static func unknowing(_ test: PlanTest) -> PlanTest {
    switch test {
    case .not(.compare(let left, let comparison, let right)):
      .all([
        .not(.compare(left, comparison, right)), .compare(left, .notEqual, .constant(.null)),
        .compare(right, .notEqual, .constant(.null)),
      ])
    case .not(let test): .not(unknowing(test))
    case .all(let tests): .all(tests.map(unknowing))
    case .any(let tests): .any(tests.map(unknowing))
    default: test
    }
  }
}

final class IgnoresTerms: AnswersPlans, @unchecked Sendable {
  override func altered(_ plan: Plan) -> Plan {
    var plan = plan
    plan.order = []
    return plan
  }
}

final class IgnoresOffsets: AnswersPlans, @unchecked Sendable {
  override func altered(_ plan: Plan) -> Plan {
    var plan = plan
    plan.offset = 0
    return plan
  }
}

final class TakesHundredValues: AnswersPlans, @unchecked Sendable {
  override func altered(_ plan: Plan) -> Plan {
    var plan = plan
    if case .isIn(let operand, let values)? = plan.tests.first {
      plan.tests[0] = .isIn(operand, Array(values.prefix(100)))
    }
    return plan
  }
}

final class SwallowsFailures: AnswersPlans, @unchecked Sendable {
  override func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    do throws(BolideError) {
      try super.run(plan, into: &batch)
    } catch {}
  }
}

/// Makes every change, by the reference.
class MakesChanges: ForwardingTransaction {
  override func accepts(_ change: PlanChange) -> Bool { true }

  /// Whether a row that meets the tests is passed over.
  func passesOver(_ number: Number) -> Bool { false }

  override func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    let table = PlanMistakes.layout.tables[change.table]
    let found = try PlanReference(self, layout: PlanMistakes.layout).selected(change.table, change.tests)
    var builder = RowBuilder(rows.format)
    var image = RowBuilder(table.format)
    for row in found {
      builder.clear()
      for (place, column) in change.wanted.enumerated() { builder.set(place, row.values[column]) }
      builder.append(to: &rows, number: row.number)
      var columns = ColumnSet()
      switch change.action {
      case .delete: if !passesOver(row.number) { try delete([row.number], of: change.table) }
      case .set(let settings):
        image.clear()
        for (column, value) in row.values.enumerated() { image.set(column, value) }
        for (column, value) in settings where row.values[column] != value {
          image.set(column, value)
          columns.insert(column)
        }
        var batch = RowBatch(table.format)
        image.append(to: &batch, number: row.number)
        var taken: [Taken] = []
        if !passesOver(row.number) {
          try update(batch, of: change.table, columns: columns, taken: &taken)
        }
      }
      changed.append(columns)
    }
  }
}

final class PassesOverOneRow: MakesChanges {
  override func passesOver(_ number: Number) -> Bool { number == 7 }
}

final class CallsAllChanged: MakesChanges {
  override func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    try super.write(change, into: &rows, changed: &changed)
    if case .set(let settings) = change.action {
      changed = changed.map { _ in ColumnSet(settings.map(\.column)) }
    }
  }
}
