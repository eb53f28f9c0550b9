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
  }

  private let aggregate: Aggregate
  private var state: State
  /// How many objects, or values that are not nil, there were.
  private var count = 0

  /// Begins an aggregate of values of a type that it takes.
  package init(_ aggregate: Aggregate, of type: ValueType) {
    self.aggregate = aggregate
    switch (aggregate, type) {
    case (.count, _): state = .count
    case (.minimum, _), (.maximum, _): state = .extreme(.null)
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
    }
  }

  /// The result for what was added.
  ///
  /// - Throws: `aggregate.overflow` where the result's type cannot hold it.
  package func result() throws(BolideError) -> Value {
    switch state {
    case .count: return .int(Int64(count))
    case .extreme(let best): return best
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
