import BolideStorage
import Foundation

/// A test that looks at nothing but the row. Comparing a column of fixed size or of bytes allocates nothing.
indirect enum LocalTest: Sendable {
  case constant(Bool)
  case all([LocalTest])
  case any([LocalTest])
  case not(LocalTest)
  /// The object's own number against a constant.
  case number(Comparison, Number)
  case numberIn(Set<Number>)
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
  /// A column of texts against a constant that it is searched for, or compared with under options.
  case text(Int, TextPattern)

  /// Whether the test holds for a row.
  func holds(_ row: RowView, number: Number) -> Bool {
    switch self {
    case .constant(let holds): return holds
    case .all(let parts): return parts.allSatisfy { $0.holds(row, number: number) }
    case .any(let parts): return parts.contains { $0.holds(row, number: number) }
    case .not(let part): return !part.holds(row, number: number)
    case .number(let comparison, let value): return comparison.holds(number, value)
    case .numberIn(let values): return values.contains(number)
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
    case .text(let column, let pattern):
      if row.isNil(column) { return pattern.comparison == .notEqual }
      return pattern.matches(row.variable(column))
    }
  }

  /// Those of some places in a batch whose rows meet the test: one part of it after the other over all of them.
  func places(_ candidates: [Int], in rows: RowBatch.Rows, numbers: [Number]) -> [Int] {
    switch self {
    case .all(let parts):
      var left = candidates
      for part in parts where !left.isEmpty { left = part.places(left, in: rows, numbers: numbers) }
      return left
    case .integer(let column, let comparison, let value):
      return comparison.places(candidates, in: rows, column, value) { Int64(bitPattern: $0) }
    case .floating(let column, let comparison, let value):
      return comparison.places(candidates, in: rows, column, value) { Double(bitPattern: $0) }
    default:
      return candidates.filter { holds(rows[$0], number: numbers[$0]) }
    }
  }

  /// Adds the columns that the test looks at.
  func collectColumns(into columns: inout ColumnSet) {
    switch self {
    case .constant, .number, .numberIn: break
    case .all(let parts), .any(let parts):
      for part in parts { part.collectColumns(into: &columns) }
    case .not(let part): part.collectColumns(into: &columns)
    case .isNil(let column), .integer(let column, _, _), .floating(let column, _, _),
      .bytes(let column, _, _), .integerIn(let column, _, _), .floatingIn(let column, _, _),
      .bytesIn(let column, _, _), .text(let column, _):
      columns.insert(column)
    case .integers(let left, _, let right), .floatings(let left, _, let right):
      columns.insert(left)
      columns.insert(right)
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
    case .contains, .beginsWith, .endsWith, .like: false
    }
  }

  /// Those of some places whose rows compare this way with a constant in a fixed column.
  @inline(__always)
  fileprivate func places<T: Comparable>(
    _ candidates: [Int], in rows: RowBatch.Rows, _ column: Int, _ value: T, _ read: (UInt64) -> T
  ) -> [Int] {
    switch self {
    case .equal: rows.places(candidates, fixed: column, takesNil: false) { read($0) == value }
    case .notEqual: rows.places(candidates, fixed: column, takesNil: true) { read($0) != value }
    case .less: rows.places(candidates, fixed: column, takesNil: false) { read($0) < value }
    case .lessOrEqual: rows.places(candidates, fixed: column, takesNil: false) { read($0) <= value }
    case .greater: rows.places(candidates, fixed: column, takesNil: false) { read($0) > value }
    case .greaterOrEqual: rows.places(candidates, fixed: column, takesNil: false) { read($0) >= value }
    case .contains, .beginsWith, .endsWith, .like: []
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
  package func holds(_ left: Value, _ right: Value, _ options: TextOptions = []) -> Bool {
    if left.isNull || right.isNull {
      switch self {
      case .equal: return left.isNull && right.isNull
      case .notEqual: return left.isNull != right.isNull
      default: return false
      }
    }
    if needsText || !options.isEmpty {
      guard let left = left.comparedText, let right = right.comparedText else { return false }
      return TextPattern(self, right, options).matches(left)
    }
    return holds(ValueOrder.compare(left, right).rawValue, 0)
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
