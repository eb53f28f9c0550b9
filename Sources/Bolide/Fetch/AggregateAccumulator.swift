import BolideStorage
import Foundation

/// What an aggregate makes of values that come one by one, in any order (rules V-7 and V-8).
package struct AggregateAccumulator: Sendable {
  private enum State: Sendable {
    case count
    case integers(Int128)
    case doubles(ExactSum)
    case decimals(ExactDecimalSum)
    case extreme(Value)
    /// The extreme of values of fixed size, as the word of its index key; none before the first value.
    case fixedExtreme(UInt64)
  }

  private let aggregate: Aggregate
  private let type: ValueType
  private var state: State
  /// How many objects, or values that are not nil, there were.
  private var count = 0

  /// Begins an aggregate of values of a type that it takes.
  package init(_ aggregate: Aggregate, of type: ValueType) {
    self.aggregate = aggregate
    self.type = type
    switch (aggregate, type) {
    case (.count, _): state = .count
    case (.minimum, _), (.maximum, _): state = type.isFixed ? .fixedExtreme(0) : .extreme(.null)
    case (_, .decimal): state = .decimals(ExactDecimalSum())
    case (.sum, .int16), (.sum, .int32), (.sum, .int64): state = .integers(0)
    default: state = .doubles(ExactSum())
    }
  }

  /// Adds a value; nil counts only where objects are counted.
  package mutating func add(_ value: Value) {
    if aggregate == .count {
      count += 1
      return
    }
    if value.isNull { return }
    count += 1
    switch state {
    case .count: break
    case .integers(let sum):
      if case .int(let number) = value { state = .integers(sum + Int128(number)) }
    case .doubles(var sum):
      // Without the copy in the state the digits are changed in place.
      state = .count
      switch value {
      case .int(let number): sum.add(number)
      case .double(let number): sum.add(number)
      case .float(let number): sum.add(Double(number))
      default: break
      }
      state = .doubles(sum)
    case .decimals(var sum):
      state = .count
      if case .decimal(let number) = value { sum.add(number) }
      state = .decimals(sum)
    case .extreme(let best):
      let isBetter =
        aggregate == .minimum ? ValueOrder.precedes(value, best) : ValueOrder.precedes(best, value)
      if best.isNull || isBetter { state = .extreme(value) }
    case .fixedExtreme(let best): compare(FixedOrder.word(of: value), best)
    }
  }

  /// Adds the value in a column of a row, which has the type that was said at the beginning.
  mutating func add(_ row: RowView, _ column: Int) {
    switch state {
    case .count: count += 1
    case .integers(let sum):
      if row.isNil(column) { return }
      count += 1
      state = .integers(sum + Int128(row.int(column)))
    case .fixedExtreme(let best):
      if row.isNil(column) { return }
      count += 1
      compare(FixedOrder.word(of: row, column), best)
    case .doubles, .decimals, .extreme: add(row.value(column))
    }
  }

  /// Keeps the better of a value, which was counted, and the best before it.
  private mutating func compare(_ value: UInt64, _ best: UInt64) {
    if count == 1 || (aggregate == .minimum ? value < best : best < value) { state = .fixedExtreme(value) }
  }

  /// The result for what was added.
  ///
  /// - Throws: `aggregate.overflow` where the result's type cannot hold it.
  package func result() throws(BolideError) -> Value {
    switch state {
    case .count: return .int(Int64(count))
    case .extreme(let best): return best
    case .fixedExtreme(let best): return count == 0 ? .null : FixedOrder.value(of: best, type)
    case .integers(let sum):
      guard let sum = Int64(exactly: sum) else { throw overflow("64-bit integers") }
      return .int(sum)
    case .doubles(let sum):
      if aggregate == .average, count == 0 { return .null }
      guard let number = sum.rounded(dividedBy: aggregate == .average ? count : 1) else {
        throw BolideError(.aggregateOverflow, "\(aggregate.rawValue) has infinities of both signs in it")
      }
      return .double(number)
    case .decimals(let sum):
      if aggregate == .average, count == 0 { return .null }
      guard let number = aggregate == .average ? sum.average(of: count) : sum.exact() else {
        throw overflow("decimals")
      }
      return .decimal(number)
    }
  }

  private func overflow(_ range: String) -> BolideError {
    BolideError(.aggregateOverflow, "\(aggregate.rawValue) is beyond the range of \(range)")
  }
}

/// Values of fixed size as the words of index keys, which stand to each other as the values do.
private enum FixedOrder {
  static func word(of row: RowView, _ column: Int) -> UInt64 {
    switch row.format.types[column] {
    case .double, .float, .date: IndexKey.word(of: row.double(column))
    default: IndexKey.word(of: row.int(column))
    }
  }

  static func word(of value: Value) -> UInt64 {
    switch value {
    case .bool(let flag): IndexKey.word(of: Int64(flag ? 1 : 0))
    case .int(let value), .reference(let value): IndexKey.word(of: value)
    case .double(let value): IndexKey.word(of: value)
    case .float(let value): IndexKey.word(of: Double(value))
    case .date(let date): IndexKey.word(of: date.timeIntervalSinceReferenceDate)
    default: 0
    }
  }

  static func value(of word: UInt64, _ type: ValueType) -> Value {
    switch type {
    case .int16, .int32, .int64: .int(IndexKey.int(of: word))
    case .boolean: .bool(IndexKey.int(of: word) != 0)
    case .reference: .reference(IndexKey.int(of: word))
    case .double: .double(IndexKey.double(of: word))
    case .float: .float(Float(IndexKey.double(of: word)))
    case .date: .date(Date(timeIntervalSinceReferenceDate: IndexKey.double(of: word)))
    case .string, .uri, .binary, .decimal, .uuid: .null
    }
  }
}
