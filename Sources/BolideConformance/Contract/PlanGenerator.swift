import BolideStorage

/// Random plans over the layout of the contract's cases: mostly over samples, which have a column of every type.
struct PlanGenerator {
  private var random: QueryRandom
  private static let layout = ContractLayout.layout

  init(seed: UInt64) { random = QueryRandom(seed: seed) }

  mutating func plan() -> Plan {
    let table = random.chance(4) ? 0 : 2
    let tests = (0..<random.pick([0, 1, 1, 2])).map { _ in test(of: table, depth: 0) }
    if random.chance(4) {
      let operands = (0..<random.pick([0, 1, 2])).map { _ in operand(of: table) }
      let aggregates = (0..<random.pick([1, 2])).map { _ in aggregate(of: table) }
      return Plan(table: table, tests: tests, result: .groups(by: operands, aggregates))
    }
    var plan = Plan(
      table: table, tests: tests, numbersAscend: random.chance(2),
      offset: random.pick([0, 0, 0, 1, 5]), limit: random.pick([nil, nil, 0, 1, 3, 20]),
      result: .rows(.all(Self.layout.tables[table].columns.count)))
    if random.chance(3) {
      let operands = (0..<random.pick([1, 2, 3])).map { _ in operand(of: table) }
      let isDistinct = random.chance(2)
      plan.result = .values(operands, isDistinct: isDistinct)
      if isDistinct {
        plan.order = operands.prefix(random.pick([0, 1])).map { PlanTerm($0, ascending: random.chance(2)) }
        return plan
      }
    }
    plan.order = (0..<random.pick([0, 1, 1, 2])).map { _ in term(of: table) }
    return plan
  }

  /// Tests of the table alone, as a change may have them.
  mutating func ownTests(of table: TableID) -> [PlanTest] {
    let column = column(of: table)
    let type = Self.layout.tables[table].columns[column].type
    return [.compare(.column(column), random.pick(PlanComparison.allCases), .constant(value(of: type)))]
  }

  /// A value that a column of a type may have, nil among them.
  mutating func value(of type: ValueType) -> Value { random.pick(ContractLayout.ascendingValues(of: type)) }

  /// One to three of some columns, in any order.
  mutating func columns(among columns: Range<Int>) -> [Int] {
    var chosen: [Int] = []
    for _ in 0..<random.pick([1, 2, 3]) {
      let column = random.pick(Array(columns))
      if !chosen.contains(column) { chosen.append(column) }
    }
    return chosen
  }

  /// True once in `count` times.
  mutating func isOneOf(_ count: Int) -> Bool { random.chance(count) }

  // MARK: Parts

  private mutating func column(of table: TableID) -> Int {
    random.pick(Array(Self.layout.tables[table].columns.indices))
  }

  private mutating func operand(of table: TableID) -> PlanOperand {
    switch random.pick([0, 1, 2, 3, 4, 5, 6, 7]) {
    case 0: return .number
    case 1 where table == 2:
      return .joined(.reference(Self.reference, to: 0), .column(column(of: 0)))
    case 1: return .joined(.inverse(Self.reference, of: 2), .column(column(of: 2)))
    default: return .column(column(of: table))
    }
  }

  /// The column of samples that names others, and its index.
  private static let reference = ValueType.allCases.firstIndex(of: .reference) ?? 0

  private mutating func test(of table: TableID, depth: Int) -> PlanTest {
    let part = random.pick(depth > 2 ? [3, 4, 5] : [0, 1, 2, 3, 4, 5])
    switch part {
    case 0: return .not(test(of: table, depth: depth + 1))
    case 1: return .all((0..<random.pick([0, 1, 2])).map { _ in test(of: table, depth: depth + 1) })
    case 2: return .any((0..<random.pick([0, 1, 2, 3])).map { _ in test(of: table, depth: depth + 1) })
    default: break
    }
    let operand = operand(of: table)
    let type = operand.type(in: Self.layout, of: table)
    if type == .string || type == .uri, random.chance(2) {
      let bytes = random.pick(["", "a", "é", "bolide:", "😀", "\u{0}"])
      if random.chance(2) { return .beginsWith(operand, Array(bytes.utf8)) }
      let limit = random.pick([0, 1, 3])
      return .meets(operand, ValueTest("longer than \(limit)") { $0.map { $0.count > limit } ?? true })
    }
    if part == 3 {
      let count = random.pick([0, 1, 2, 5, 30])
      return .isIn(operand, (0..<count).map { _ in value(of: type) })
    }
    if part == 4, random.chance(6) { return .compare(operand, random.pick(PlanComparison.allCases), operand) }
    return .compare(operand, random.pick(PlanComparison.allCases), .constant(value(of: type)))
  }

  private mutating func term(of table: TableID) -> PlanTerm {
    let operand = operand(of: table)
    let type = operand.type(in: Self.layout, of: table)
    let isText = type == .string || type == .uri
    return PlanTerm(
      operand, ascending: random.chance(2),
      key: isText && random.chance(2) ? ValueKey("backwards") { $0.reversed() } : nil)
  }

  private mutating func aggregate(of table: TableID) -> PlanAggregate {
    let operand = operand(of: table)
    switch random.pick([0, 1, 2, 3]) {
    case 0: return .count
    case 1: return .minimum(operand)
    case 2: return .maximum(operand)
    default: return .fold(operand, ValueFold("how many", of: .int64) { Tally() })
    }
  }
}

/// Counts the values of a group; nothing that a store could do otherwise.
private final class Tally: ValueAccumulator {
  private var count: Int64 = 0

  func add(_ value: Value) { count += 1 }

  func result() -> Value { .int(count) }
}
