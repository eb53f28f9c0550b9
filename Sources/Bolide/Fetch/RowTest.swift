import BolideStorage
import Foundation

/// A test of one row.
indirect enum RowTest: Sendable {
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
  /// A column of texts against a constant that it is searched for, or compared with under options.
  case text(Int, TextPattern)
  /// A text against another that is not known beforehand.
  case texts(OperandSource, Comparison, OperandSource, TextOptions)
  /// The texts are folded.
  case textIn(OperandSource, Set<[UInt8]>, TextOptions, orNil: Bool)
  case members(Quantifier, MemberWalk, RowTest, columns: ColumnSet)

  init(_ condition: Condition, scope: EntityScope) throws(BolideError) {
    switch condition {
    case .true: self = .constant(true)
    case .false: self = .constant(false)
    case .and(let parts): self = .all(try Self.tests(parts, scope))
    case .or(let parts): self = .any(try Self.tests(parts, scope))
    case .not(let part): self = .not(try RowTest(part, scope: scope))
    case .compare(let left, let comparison, let right, let options):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      if comparison.needsText || !options.isEmpty {
        self = Self.comparingTexts(left, comparison, right, options)
      } else if case .literal(let value) = right {
        self = Self.comparing(left, comparison, value)
      } else if case .literal(let value) = left, let mirrored = comparison.mirrored {
        self = Self.comparing(right, mirrored, value)
      } else {
        self = Self.comparing(left, comparison, right)
      }
    case .in(let operand, let values, let options):
      let source = try OperandSource(operand, scope: scope)
      self =
        options.isEmpty
        ? Self.membership(source, values)
        : .textIn(
          source, Set(values.compactMap(\.text).map { FoldedText.bytes(of: $0, options) }), options,
          orNil: values.contains(.null))
    case .members(let quantifier, let path, let condition):
      let (walk, rest) = try MemberWalk.split(path, scope: scope)
      let test = try RowTest(condition.moved(behind: rest), scope: EntityScope(walk.target, in: scope.map))
      var columns = ColumnSet()
      test.collectColumns(into: &columns)
      if columns.isEmpty, test.needsRow { columns.insert(0) }
      self = .members(quantifier, walk, test, columns: columns)
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
    if value.isNull, comparison != .equal, comparison != .notEqual { return .constant(false) }
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

  private static func comparingTexts(
    _ left: OperandSource, _ comparison: Comparison, _ right: OperandSource, _ options: TextOptions
  ) -> RowTest {
    if case .column(let column, _) = left, case .literal(let value) = right {
      if let text = value.text { return .text(column, TextPattern(comparison, text, options)) }
      return comparing(left, comparison, value)
    }
    return .texts(left, comparison, right, options)
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

  /// Whether the test looks at more than the number of the object.
  private var needsRow: Bool {
    switch self {
    case .constant: false
    case .all(let parts), .any(let parts): parts.contains(where: \.needsRow)
    case .not(let part): part.needsRow
    case .values(.number, _, .literal), .valueIn(.number, _): false
    default: true
    }
  }

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
    case .valueIn(let source, _), .textIn(let source, _, _, _): source.collectColumns(into: &columns)
    case .text(let column, _): columns.insert(column)
    case .texts(let left, _, let right, _):
      left.collectColumns(into: &columns)
      right.collectColumns(into: &columns)
    case .members(_, let walk, _, _): if let column = walk.column { columns.insert(column) }
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
