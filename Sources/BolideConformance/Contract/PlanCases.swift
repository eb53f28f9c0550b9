import BolideStorage

extension Conformance {
  /// The layout that the cases of plans are about.
  package static var planLayout: Layout { ContractLayout.layout }

  /// Plans, for stores that take them; others refuse.
  static var planCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/plans", "A plan that a store takes is answered as its parts say, nil and all.",
        rules: ["V-1", "V-4", "V-5"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try fillForPlans(store)
        var generator = PlanGenerator(seed: stage.seed)
        try store.read { snapshot in
          let reference = try PlanReference(snapshot, layout: ContractLayout.layout)
          for index in 0..<400 {
            try checkPlan(generator.plan(), snapshot, reference, "plan \(index), seed \(stage.seed)")
          }
        }
        // A transaction answers them, too, from what it wrote.
        let transaction = try store.begin(until: type(of: store).soon)
        defer { transaction.rollback() }
        try transaction.delete([1, 2, 3], of: ContractLayout.samples.id)
        let reference = try PlanReference(transaction, layout: ContractLayout.layout)
        for index in 0..<40 { try checkPlan(generator.plan(), transaction, reference, "own plan \(index)") }
      },
      CaseDefinition(
        "storage/plan-order",
        "Rows of a plan come by its terms, nil lowest, then by number; then the offset counts.",
        rules: ["V-4"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let magnitudes: [Double?] = [2, nil, 1, 2, nil, 1, 2]
        try store.write {
          try ContractLayout.quakes.insert(magnitudes.map { quake(nil, magnitude: $0) }, from: 1, in: $0)
        }
        try store.read { snapshot in
          let expected: [(Bool, [Number])] = [
            (true, [2, 5, 3, 6, 1, 4, 7]), (false, [7, 4, 1, 6, 3, 5, 2]),
          ]
          for (ascending, numbers) in expected {
            var plan = Plan(
              table: 0, order: [PlanTerm(.column(3), ascending: ascending)], numbersAscend: ascending,
              result: .values([], isDistinct: false))
            guard let seen = try answer(to: plan, from: snapshot) else { continue }
            try checkEqual(seen.numbers, numbers, "ascending \(ascending)")
            plan.offset = 2
            plan.limit = 3
            try checkEqual(
              try answer(to: plan, from: snapshot)?.numbers, Array(numbers[2..<5]), "from the third")
          }
        }
      },
      CaseDefinition(
        "storage/plans-alike", "Plans that read the same columns give rows or values, each of its own types.",
        rules: ["V-1"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write {
          try ContractLayout.quakes.insert([quake("a", place: "p"), quake("b", place: "q")], from: 1, in: $0)
        }
        try store.read { snapshot in
          for _ in 1...2 {
            var plan = Plan(
              table: 0, order: [PlanTerm(.column(5), ascending: false)], result: .rows(ColumnSet([5])))
            if let rows = try answer(to: plan, from: snapshot) {
              try checkEqual(
                rows.numbers.indices.map { rows.withRow(at: $0) { $0.value(5) } },
                [.string("q"), .string("p")], "a column of rows")
            }
            plan.result = .values([.column(5)], isDistinct: false)
            if let values = try answer(to: plan, from: snapshot) {
              try checkEqual(
                values.numbers.indices.map { values.withRow(at: $0) { $0.value(0) } },
                [.string("q"), .string("p")], "the same as values")
            }
            for type in [ValueType.int64, .double, .string] {
              let fold = ValueFold("typed", of: type) { TypedFold(type) }
              plan = Plan(table: 0, result: .groups(by: [], [.fold(.column(5), fold)]))
              guard let groups = try answer(to: plan, from: snapshot) else { continue }
              try checkEqual(
                groups.withRow(at: 0) { $0.value(0) }, TypedFold(type).result(), "a fold of \(type.rawValue)")
            }
          }
        }
      },
      CaseDefinition(
        "storage/plan-many-values", "S18: a test takes more values than a statement has parameters."
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<2000).map { quake("q\($0)", serial: Int64($0)) }
        try store.write { try ContractLayout.quakes.insert(rows, from: 1, in: $0) }
        let values = (0..<250_001).map { Value.int(Int64($0) * 3) }
        try store.read { snapshot in
          for (test, expected) in [
            (PlanTest.isIn(.column(2), values), 667), (.not(.isIn(.column(2), values + [.null])), 1333),
          ] {
            let plan = Plan(table: 0, tests: [test], result: .values([], isDistinct: false))
            guard let seen = try answer(to: plan, from: snapshot) else { continue }
            try checkEqual(seen.count, expected, "rows found")
          }
        }
      },
      CaseDefinition(
        "storage/plan-fold-fails", "What a fold throws is thrown, and the store goes on."
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { try ContractLayout.quakes.insert([quake("a", magnitude: 1)], from: 1, in: $0) }
        let fold = ValueFold("failing", of: .int64) { FailingFold() }
        try store.read { snapshot in
          let plan = Plan(table: 0, result: .groups(by: [.column(1)], [.fold(.column(3), fold)]))
          guard snapshot.accepts(plan) == .whole else { return }
          try checkThrows(.storeLimit, label: "a fold that fails") {
            var batch = RowBatch(plan.format(in: ContractLayout.layout))
            try snapshot.run(plan, into: &batch)
          }
          try checkEqual(try ContractLayout.quakes.rows([1], in: snapshot).compactMap { $0 }.count, 1, "rows")
        }
      },
      CaseDefinition(
        "storage/plan-changes",
        "A change of a selection changes those rows alone, with their index entries, and says which."
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try fillForPlans(store)
        var generator = PlanGenerator(seed: stage.seed)
        for index in 0..<60 {
          try checkChange(
            &generator, store, table: index % 4 == 3 ? 0 : 2, "change \(index), seed \(stage.seed)")
        }
        try store.read { snapshot in
          _ = try ContractLayout.samples.consistentRows(in: snapshot)
          _ = try ContractLayout.quakes.consistentRows(in: snapshot)
        }
      },
    ]
  }

  private static func fillForPlans(_ store: any OpenStore) throws {
    try store.write { transaction in
      let places = ["ab", "a\u{0}c", nil, "éa", "b", "A", "", "😀x"]
      let quakes = (0..<40).map { index in
        quake(
          index % 7 == 0 ? nil : "q\(index)", magnitude: index % 5 == 0 ? nil : Double(index % 6) / 4,
          place: places[index % places.count])
      }
      try ContractLayout.quakes.insert(quakes, from: 1, in: transaction)
      let rows = sampleRows()
      try ContractLayout.samples.insert(rows.reversed() + rows, from: 1, in: transaction)
    }
  }

  /// The answer of a store that takes the plan; `nil` after one that does not has refused it.
  private static func answer(to plan: Plan, from reader: any Reader) throws -> RowBatch? {
    var batch = RowBatch(plan.format(in: ContractLayout.layout))
    guard reader.accepts(plan) == .whole else {
      try checkThrows(.storeMisuse, label: "a plan that is not taken") { try reader.run(plan, into: &batch) }
      return nil
    }
    try reader.run(plan, into: &batch)
    return batch
  }

  private static func checkPlan(
    _ plan: Plan, _ reader: any Reader, _ reference: PlanReference, _ label: String
  ) throws {
    var plan = plan
    if case .rows(let leaving) = reader.accepts(plan) {
      // What is left of it is taken.
      plan = Plan(
        table: plan.table, tests: plan.tests.indices.filter { !leaving.contains($0) }.map { plan.tests[$0] },
        result: .values([], isDistinct: false))
      try check(reader.accepts(plan) == .whole, "\(label): a plan without what was left is not taken")
    }
    guard let batch = try answer(to: plan, from: reader) else { return }
    let expected = try reference.answer(plan)
    var seen: [Record] = (0..<batch.count).map { index in
      let values = batch.withRow(at: index) { row in batch.format.types.indices.map { row.value($0) } }
      return Record(number: batch.numbers[index], values: values ?? [])
    }
    switch plan.result {
    case .rows, .values(_, isDistinct: false): break
    case .values: seen = seen.map { Record(number: 0, values: $0.values) }
    case .groups(let operands, _):
      seen = seen.map { Record(number: 0, values: $0.values) }.sorted { left, right in
        key(left.values.prefix(operands.count)).lexicographicallyPrecedes(
          key(right.values.prefix(operands.count)))
      }
    }
    try checkEqual(seen, expected.map { Record(number: $0.number, values: $0.values) }, "\(label): \(plan)")
    if case .rows = plan.result { _ = try reader.explain(plan) }
  }

  private static func key(_ values: some Sequence<Value>) -> [UInt8] {
    var key: [UInt8] = []
    for value in values { IndexKey.append(value, to: &key) }
    return key
  }

  private static func checkChange(
    _ generator: inout PlanGenerator, _ store: any OpenStore, table: TableID, _ label: String
  ) throws {
    let layout = ContractLayout.layout.tables[table]
    // Columns outside unique indexes: of samples all, of quakes the magnitude.
    let columns = table == 0 ? [3] : generator.columns(among: layout.columns.indices)
    let settings = columns.map { (column: $0, value: generator.value(of: layout.columns[$0].type)) }
    let tests = generator.ownTests(of: table)
    let isDelete = generator.isOneOf(5)
    let change = PlanChange(
      table: table, tests: tests, action: isDelete ? .delete : .set(settings), wanted: columns)
    try store.write { transaction in
      var rows = RowBatch(change.format(in: ContractLayout.layout))
      var changed: [ColumnSet] = []
      guard transaction.accepts(change) else {
        try checkThrows(.storeMisuse, label: "a change that is not taken") {
          try transaction.write(change, into: &rows, changed: &changed)
        }
        return
      }
      let before = try PlanReference(transaction, layout: ContractLayout.layout)
      let met = before.selected(table, tests)
      try transaction.write(change, into: &rows, changed: &changed)
      try checkEqual(rows.numbers, met.map(\.number), "\(label): rows that met \(tests)")
      let olds = (0..<rows.count).map { row in
        columns.indices.map { place in rows.withRow(at: row) { $0.value(place) } ?? .null }
      }
      try checkEqual(olds, met.map { row in columns.map { row.values[$0] } }, "\(label): values before")
      let expected = met.map { row in
        ColumnSet(isDelete ? [] : settings.filter { row.values[$0.column] != $0.value }.map(\.column))
      }
      try checkEqual(changed, expected, "\(label): changed columns")
      let numbers = Set(met.map(\.number))
      let after = before.selected(table, []).compactMap { row -> Record? in
        guard numbers.contains(row.number) else { return Record(number: row.number, values: row.values) }
        if isDelete { return nil }
        var values = row.values
        for setting in settings { values[setting.column] = setting.value }
        return Record(number: row.number, values: values)
      }
      let probe = table == 0 ? ContractLayout.quakes : ContractLayout.samples
      try checkEqual(try probe.scan(in: transaction), after, "\(label): rows after")
    }
  }
}

/// A fold that has no result.
/// A fold whose result is of a type that its plan's text does not say.
private final class TypedFold: ValueAccumulator {
  private let type: ValueType

  init(_ type: ValueType) { self.type = type }

  func add(_ value: Value) {}

  func result() -> Value {
    switch type {
    case .int64: .int(7)
    case .double: .double(0.5)
    default: .string("seven")
    }
  }
}

private final class FailingFold: ValueAccumulator {
  func add(_ value: Value) {}

  func result() throws(BolideError) -> Value { throw BolideError(.storeLimit, "no result") }
}
