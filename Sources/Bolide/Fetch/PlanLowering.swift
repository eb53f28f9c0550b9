import BolideStorage

/// Brings conditions on an entity to tests that a store may know (``Plan``).
///
/// What a condition means does not change by it: folded texts and patterns go along as code of ours. What no plan
/// can say, such as conditions on members, has no test, and is asked of the rows afterwards.
struct PlanLowering {
  private let scope: EntityScope

  init(_ entity: EntityMap, in map: SchemaMap) { scope = EntityScope(entity, in: map) }

  init(_ scope: EntityScope) { self.scope = scope }

  // MARK: Operands

  /// What a source is to a store; `nil` where it takes more than one row to know.
  static func operand(_ source: OperandSource) -> PlanOperand? {
    switch source {
    case .literal(let value): .constant(value)
    case .number: .number
    case .column(let column, _): .column(column)
    case .path(let path): operand(path.steps[...], path.column)
    case .aggregate: nil
    }
  }

  private static func operand(_ steps: ArraySlice<OperandPath.Step>, _ column: Int?) -> PlanOperand {
    guard let step = steps.first else { return column.map { .column($0) } ?? .number }
    switch step.way {
    // The number of the last object stands in the row before it.
    case .reference(let reference) where steps.count == 1 && column == nil: return .column(reference)
    case .reference(let reference):
      return .joined(.reference(reference, to: step.table), operand(steps.dropFirst(), column))
    case .inverse(_, let index):
      return .joined(.inverse(index, of: step.table), operand(steps.dropFirst(), column))
    }
  }

  // MARK: Conditions

  /// The parts of a checked condition that all have to hold.
  static func parts(of condition: Condition) -> [Condition] {
    if case .and(let parts) = condition { return parts.flatMap(Self.parts) }
    return condition == .true ? [] : [condition]
  }

  /// The test for a checked condition; `nil` where there is none.
  func test(_ condition: Condition) throws(BolideError) -> PlanTest? {
    switch condition {
    case .true: return .constant(true)
    case .false: return .constant(false)
    case .and(let parts): return try tests(parts).map { .all($0) }
    case .or(let parts): return try tests(parts).map { .any($0) }
    case .not(let part): return try test(part).map { .not($0) }
    case .members: return nil
    case .in(let operand, let values, let options):
      guard let source = Self.operand(try OperandSource(operand, scope: scope)) else { return nil }
      if options.isEmpty { return .isIn(source, values) }
      let texts = Set(values.compactMap(\.text).map { FoldedText.bytes(of: $0, options) })
      let takesNil = values.contains(.null)
      let words = "IN\(options.text), \(texts.count) texts"
      return .meets(
        source,
        ValueTest(words) { text in
          guard let text else { return takesNil }
          return texts.contains(FoldedText.bytes(of: text, options))
        })
    case .compare(let left, let comparison, let right, let options):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      return compare(left, comparison, right, options)
    }
  }

  private func tests(_ conditions: [Condition]) throws(BolideError) -> [PlanTest]? {
    var tests: [PlanTest] = []
    for condition in conditions {
      guard let test = try test(condition) else { return nil }
      tests.append(test)
    }
    return tests
  }

  private func compare(
    _ left: OperandSource, _ comparison: Comparison, _ right: OperandSource, _ options: TextOptions
  ) -> PlanTest? {
    if case .literal(let one) = left, case .literal(let other) = right {
      return .constant(comparison.holds(one, other, options))
    }
    guard let first = Self.operand(left), let second = Self.operand(right) else { return nil }
    if comparison.needsText || !options.isEmpty {
      guard case .literal(let value) = right else { return nil }
      return search(first, left, comparison, value, options)
    }
    return comparison.inPlan.map { .compare(first, $0, second) }
  }

  /// A text searched for a constant, or compared with it under options.
  private func search(
    _ operand: PlanOperand, _ source: OperandSource, _ comparison: Comparison, _ value: Value,
    _ options: TextOptions
  ) -> PlanTest? {
    guard let text = value.comparedText else {
      // A nil is equal to nil, whatever the options, and has no text to look into.
      switch comparison {
      case .equal: return .compare(operand, .equal, .constant(.null))
      case .notEqual: return .compare(operand, .notEqual, .constant(.null))
      default: return .constant(false)
      }
    }
    if comparison == .beginsWith, options.isEmpty, case .column = source {
      return .beginsWith(operand, Array(text.utf8))
    }
    let pattern = TextPattern(comparison, text, options)
    if case .column = source, let start = pattern.literalStart?.text, !start.isEmpty {
      // The start leads to an index, where there is one; the pattern says the rest.
      return .all([.beginsWith(operand, Array(start.utf8)), meets(operand, pattern, text)])
    }
    return meets(operand, pattern, text)
  }

  private func meets(_ operand: PlanOperand, _ pattern: TextPattern, _ text: String) -> PlanTest {
    let takesNil = pattern.comparison == .notEqual
    let words = "\(pattern.comparison.rawValue)\(pattern.options.text) \(CanonicalText.quoted(text))"
    return .meets(operand, ValueTest(words) { text in text.map { pattern.matches($0) } ?? takesNil })
  }
}

extension Comparison {
  /// The comparison as plans have it; `nil` for those that look into texts.
  fileprivate var inPlan: PlanComparison? {
    switch self {
    case .equal: .equal
    case .notEqual: .notEqual
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    case .greaterOrEqual: .greaterOrEqual
    case .contains, .beginsWith, .endsWith, .like: nil
    }
  }
}

extension RowOrder {
  /// The terms as a store may know them; `nil` where one of them takes more than one row to know.
  var planTerms: [PlanTerm]? {
    var terms: [PlanTerm] = []
    for term in self.terms {
      guard let operand = PlanLowering.operand(term.source) else { return nil }
      let options = term.options
      let key =
        options.isEmpty
        ? nil : ValueKey(options.text) { FoldedText.sortKey(of: $0, options) }
      terms.append(PlanTerm(operand, ascending: term.ascending, key: key))
    }
    return terms
  }
}
