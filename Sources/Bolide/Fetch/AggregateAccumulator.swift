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
    /// The extreme of values of fixed size, as a number that orders as they do; none before the first value.
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
    case .fixedExtreme(let best): compare(FixedOrder.number(of: value), best)
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
      compare(FixedOrder.number(of: row, column), best)
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

/// Values of fixed size as unsigned numbers that stand to each other as the values do.
private enum FixedOrder {
  private static let sign: UInt64 = 1 << 63

  static func number(of row: RowView, _ column: Int) -> UInt64 {
    switch row.format.types[column] {
    case .double, .float, .date: number(of: row.double(column))
    default: number(of: row.int(column))
    }
  }

  static func number(of value: Value) -> UInt64 {
    switch value {
    case .bool(let flag): number(of: Int64(flag ? 1 : 0))
    case .int(let value), .reference(let value): number(of: value)
    case .double(let value): number(of: value)
    case .float(let value): number(of: Double(value))
    case .date(let date): number(of: date.timeIntervalSinceReferenceDate)
    default: 0
    }
  }

  static func value(of number: UInt64, _ type: ValueType) -> Value {
    let integer = Int64(bitPattern: number ^ sign)
    let floating = Double(bitPattern: number & sign == 0 ? ~number : number ^ sign)
    return switch type {
    case .int16, .int32, .int64: .int(integer)
    case .boolean: .bool(integer != 0)
    case .reference: .reference(integer)
    case .double: .double(floating)
    case .float: .float(Float(floating))
    case .date: .date(Date(timeIntervalSinceReferenceDate: floating))
    case .string, .uri, .binary, .decimal, .uuid: .null
    }
  }

  private static func number(of value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ sign }

  private static func number(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits & sign == 0 ? bits | sign : ~bits
  }
}
