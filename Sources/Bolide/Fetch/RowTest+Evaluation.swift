import BolideStorage
import Foundation

extension RowTest {
  /// Whether the test holds for a row.
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
    case .text(let column, let pattern):
      if row.isNil(column) { return pattern.comparison == .notEqual }
      return pattern.matches(row.variable(column))
    case .texts(let left, let comparison, let right, let options):
      return comparison.holds(
        try left.value(row, number: number, reader: reader),
        try right.value(row, number: number, reader: reader), options)
    case .textIn(let source, let texts, let options, let orNil):
      guard let text = try source.value(row, number: number, reader: reader).text else { return orNil }
      return texts.contains(FoldedText.bytes(of: text, options))
    case .members(let quantifier, let walk, let test, let columns):
      // ANY and NONE look for one that meets the test, ALL for one that does not.
      let wanted = quantifier != .all
      var isFound = false
      try walk.forEach(row, number: number, reader: reader, columns: columns) {
        (member, number) throws(BolideError) in
        isFound = try test.holds(member ?? row, number: number, reader: reader) == wanted
        return !isFound
      }
      return quantifier == .any ? isFound : !isFound
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
      guard let left = left.text, let right = right.text else { return false }
      return TextPattern(self, right, options).matches(NormalizedText.normalized(left))
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
