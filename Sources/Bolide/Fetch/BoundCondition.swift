import BolideStorage
import Foundation

/// A condition made ready for the rows of one entity: names looked up, literals in the columns' own form.
///
/// Comparing a column of fixed size or of bytes with a constant allocates nothing.
package struct BoundCondition: Sendable {
  /// The columns of a row that ``matches(_:number:reader:)`` looks at.
  package let columns: ColumnSet
  /// What every row that meets the condition has in a column, as far as an index can use it.
  package let limits: [Int: ColumnLimits]
  private let test: RowTest

  /// Checks and binds a condition.
  ///
  /// - Throws: as ``Condition/checked(in:)``.
  package init(_ condition: Condition, entity: EntityMap, map: SchemaMap) throws(BolideError) {
    let scope = EntityScope(entity, in: map)
    let checked = try condition.checked(in: scope)
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
    case .compare(let left, let comparison, let right):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      if case .column(let column, let type) = left, case .literal(let value) = right, value.fits(type) {
        if value.isNull, comparison.needsOrder { return }
        limits[column, default: ColumnLimits()].add(comparison, value)
      } else if case .literal(let value) = left, case .column(let column, let type) = right, value.fits(type)
      {
        if value.isNull, comparison.needsOrder { return }
        limits[column, default: ColumnLimits()].add(comparison.mirrored, value)
      }
    case .true, .false, .or, .not, .in: break
    }
  }

  /// Whether the condition holds for a row of the entity's table.
  ///
  /// - Parameter reader: where the objects of to-one paths are read; the state the row is from.
  package func matches(
    _ row: RowView, number: Number, reader: any Reader
  ) throws(BolideError) -> Bool {
    try test.holds(row, number: number, reader: reader)
  }
}

/// A test of one row.
private indirect enum RowTest: Sendable {
  case constant(Bool)
  case all([RowTest])
  case any([RowTest])
  case not(RowTest)
  case isNil(Int)
  /// A column of integers, booleans or references against a constant.
  case integer(Int, Comparison, Int64)
  /// A column of doubles, floats or dates against a constant.
  case floating(Int, Comparison, Double)
  /// A column of texts, uuids or binaries against the bytes of a constant.
  case bytes(Int, Comparison, [UInt8])
  case integerIn(Int, Set<Int64>, orNil: Bool)
  case floatingIn(Int, Set<Double>, orNil: Bool)
  /// The bytes ascend.
  case bytesIn(Int, [[UInt8]], orNil: Bool)
  /// Two columns of integers, booleans or references.
  case integers(Int, Comparison, Int)
  /// Two columns of doubles, floats or dates.
  case floatings(Int, Comparison, Int)
  case values(OperandSource, Comparison, OperandSource)
  case valueIn(OperandSource, [Value])

  init(_ condition: Condition, scope: EntityScope) throws(BolideError) {
    switch condition {
    case .true: self = .constant(true)
    case .false: self = .constant(false)
    case .and(let parts): self = .all(try Self.tests(parts, scope))
    case .or(let parts): self = .any(try Self.tests(parts, scope))
    case .not(let part): self = .not(try RowTest(part, scope: scope))
    case .compare(let left, let comparison, let right):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      if case .literal(let value) = right {
        self = Self.comparing(left, comparison, value)
      } else if case .literal(let value) = left {
        self = Self.comparing(right, comparison.mirrored, value)
      } else {
        self = Self.comparing(left, comparison, right)
      }
    case .in(let operand, let values):
      self = Self.membership(try OperandSource(operand, scope: scope), values)
    }
  }

  private static func tests(
    _ conditions: [Condition], _ scope: EntityScope
  ) throws(BolideError) -> [RowTest] {
    var tests: [RowTest] = []
    for condition in conditions { tests.append(try RowTest(condition, scope: scope)) }
    return tests
  }

  private static func comparing(
    _ source: OperandSource, _ comparison: Comparison, _ value: Value
  ) -> RowTest {
    if value.isNull, comparison.needsOrder { return .constant(false) }
    guard case .column(let column, let type) = source else {
      return .values(source, comparison, .literal(value))
    }
    if value.isNull { return comparison == .equal ? .isNil(column) : .not(.isNil(column)) }
    if let integer = value.slotInteger, type.isInteger { return .integer(column, comparison, integer) }
    if let double = value.slotDouble, type.isFixed { return .floating(column, comparison, double) }
    if let bytes = value.columnBytes { return .bytes(column, comparison, bytes) }
    return .values(source, comparison, .literal(value))
  }

  private static func comparing(
    _ left: OperandSource, _ comparison: Comparison, _ right: OperandSource
  ) -> RowTest {
    guard case .column(let first, let type) = left, case .column(let second, _) = right, type.isFixed else {
      return .values(left, comparison, right)
    }
    return type.isInteger ? .integers(first, comparison, second) : .floatings(first, comparison, second)
  }

  private static func membership(_ source: OperandSource, _ values: [Value]) -> RowTest {
    let present = values.filter { !$0.isNull }
    let orNil = present.count < values.count
    guard case .column(let column, let type) = source else { return .valueIn(source, values) }
    let integers = present.compactMap(\.slotInteger)
    if type.isInteger, integers.count == present.count {
      return .integerIn(column, Set(integers), orNil: orNil)
    }
    let doubles = present.compactMap(\.slotDouble)
    if type.isFixed, doubles.count == present.count {
      return .floatingIn(column, Set(doubles), orNil: orNil)
    }
    let bytes = present.compactMap(\.columnBytes)
    if bytes.count == present.count, type != .decimal {
      return .bytesIn(column, bytes.sorted { $0.lexicographicallyPrecedes($1) }, orNil: orNil)
    }
    return .valueIn(source, values)
  }

  // MARK: Columns

  func collectColumns(into columns: inout ColumnSet) {
    switch self {
    case .constant: break
    case .all(let parts), .any(let parts):
      for part in parts { part.collectColumns(into: &columns) }
    case .not(let part): part.collectColumns(into: &columns)
    case .isNil(let column), .integer(let column, _, _), .floating(let column, _, _),
      .bytes(let column, _, _), .integerIn(let column, _, _), .floatingIn(let column, _, _),
      .bytesIn(let column, _, _):
      columns.insert(column)
    case .integers(let left, _, let right), .floatings(let left, _, let right):
      columns.insert(left)
      columns.insert(right)
    case .values(let left, _, let right):
      left.collectColumns(into: &columns)
      right.collectColumns(into: &columns)
    case .valueIn(let source, _): source.collectColumns(into: &columns)
    }
  }

  // MARK: Evaluation

  func holds(_ row: RowView, number: Number, reader: any Reader) throws(BolideError) -> Bool {
    switch self {
    case .constant(let holds): return holds
    case .all(let parts):
      for part in parts where !(try part.holds(row, number: number, reader: reader)) { return false }
      return true
    case .any(let parts):
      for part in parts where try part.holds(row, number: number, reader: reader) { return true }
      return false
    case .not(let part): return !(try part.holds(row, number: number, reader: reader))
    case .isNil(let column): return row.isNil(column)
    case .integer(let column, let comparison, let value):
      if row.isNil(column) { return comparison == .notEqual }
      return comparison.holds(row.int(column), value)
    case .floating(let column, let comparison, let value):
      if row.isNil(column) { return comparison == .notEqual }
      return comparison.holds(row.double(column), value)
    case .bytes(let column, let comparison, let value):
      if row.isNil(column) { return comparison == .notEqual }
      return comparison.holds(row.variable(column).order(to: value), 0)
    case .integerIn(let column, let values, let orNil):
      return row.isNil(column) ? orNil : values.contains(row.int(column))
    case .floatingIn(let column, let values, let orNil):
      return row.isNil(column) ? orNil : values.contains(row.double(column))
    case .bytesIn(let column, let values, let orNil):
      return row.isNil(column) ? orNil : values.containsSorted(row.variable(column))
    case .integers(let left, let comparison, let right):
      return comparison.holds(row, left, right) ?? comparison.holds(row.int(left), row.int(right))
    case .floatings(let left, let comparison, let right):
      return comparison.holds(row, left, right) ?? comparison.holds(row.double(left), row.double(right))
    case .values(let left, let comparison, let right):
      return comparison.holds(
        try left.value(row, number: number, reader: reader),
        try right.value(row, number: number, reader: reader))
    case .valueIn(let source, let values):
      let value = try source.value(row, number: number, reader: reader)
      return values.contains { Comparison.equal.holds(value, $0) }
    }
  }
}

extension Comparison {
  /// Whether two values compare this way; neither is NaN or nil.
  fileprivate func holds<T: Comparable>(_ left: T, _ right: T) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// Whether two columns compare this way when one of them is nil; `nil` when neither is.
  fileprivate func holds(_ row: RowView, _ left: Int, _ right: Int) -> Bool? {
    switch (row.isNil(left), row.isNil(right)) {
    case (false, false): nil
    case (true, true): self == .equal
    default: self == .notEqual
    }
  }

  /// Whether two values of one type compare this way, nil included (rule V-5).
  package func holds(_ left: Value, _ right: Value) -> Bool {
    if left.isNull || right.isNull {
      switch self {
      case .equal: return left.isNull && right.isNull
      case .notEqual: return left.isNull != right.isNull
      default: return false
      }
    }
    return holds(ValueOrder.compare(left, right).rawValue, 0)
  }
}

extension Condition {
  /// Whether the condition holds for something whose operands `value` knows; it has been checked.
  ///
  /// - Parameter value: gives the value of a path, an object or the thing itself; literals are not asked for.
  package func holds(_ value: (Operand) -> Value) -> Bool {
    func resolve(_ operand: Operand) -> Value {
      if case .literal(let value) = operand { value } else { value(operand) }
    }
    switch self {
    case .true: return true
    case .false: return false
    case .and(let parts): return parts.allSatisfy { $0.holds(value) }
    case .or(let parts): return parts.contains { $0.holds(value) }
    case .not(let part): return !part.holds(value)
    case .compare(let left, let comparison, let right):
      return comparison.holds(resolve(left), resolve(right))
    case .in(let operand, let values):
      let operand = resolve(operand)
      return values.contains { Comparison.equal.holds(operand, $0) }
    }
  }
}

extension Value {
  /// The value as a fixed integer slot has it.
  fileprivate var slotInteger: Int64? {
    switch self {
    case .int(let number), .reference(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// The value as a fixed floating slot has it.
  fileprivate var slotDouble: Double? {
    switch self {
    case .double(let number): number
    case .float(let number): Double(number)
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  /// The value as a column of bytes has it, for types whose order is the order of their bytes.
  fileprivate var columnBytes: [UInt8]? {
    switch self {
    case .string(let text): Array(NormalizedText.normalized(text).utf8)
    case .uri(let text): Array(text.utf8)
    case .binary(let bytes): bytes
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
    default: nil
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Negative, zero or positive as these bytes come before, equal or come after others.
  fileprivate func order(to other: [UInt8]) -> Int {
    other.withUnsafeBytes { order(to: $0) }
  }

  private func order(to other: UnsafeRawBufferPointer) -> Int {
    let common = Swift.min(count, other.count)
    if common > 0, let here = baseAddress, let there = other.baseAddress {
      let order = Int(memcmp(here, there, common))
      if order != 0 { return order }
    }
    return count - other.count
  }
}

extension [[UInt8]] {
  /// Whether ascending byte strings hold one.
  fileprivate func containsSorted(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      let order = bytes.order(to: self[middle])
      if order == 0 { return true }
      if order < 0 { high = middle } else { low = middle + 1 }
    }
    return false
  }
}
