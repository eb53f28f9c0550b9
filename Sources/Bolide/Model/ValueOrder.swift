import BolideStorage
import Foundation

/// The exact order of the values of one type (rules V-1, V-2 and V-4).
package enum ValueOrder {
  /// Whether one value comes before another; nil is lowest.
  ///
  /// Values of different types are ordered by type, so that the order is total all the same; floats are
  /// compared with doubles exactly.
  package static func precedes(_ left: Value, _ right: Value) -> Bool {
    compare(left, right) == .orderedAscending
  }

  /// How two values stand to each other.
  package static func compare(_ left: Value, _ right: Value) -> ComparisonResult {
    switch (left, right) {
    case (.null, .null): .orderedSame
    case (.bool(let a), .bool(let b)): order(a ? 1 : 0, b ? 1 : 0)
    case (.int(let a), .int(let b)), (.reference(let a), .reference(let b)): order(a, b)
    case (.double(let a), .double(let b)): order(a, b)
    case (.float(let a), .float(let b)): order(a, b)
    case (.float(let a), .double(let b)): order(Double(a), b)
    case (.double(let a), .float(let b)): order(a, Double(b))
    case (.decimal(let a), .decimal(let b)): order(a, b)
    case (.date(let a), .date(let b)):
      order(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
    case (.string(let a), .string(let b)): order(a, b)
    case (.uri(let a), .uri(let b)): orderBytes(a.utf8, b.utf8)
    case (.binary(let a), .binary(let b)): orderBytes(a, b)
    case (.uuid(let a), .uuid(let b)):
      withUnsafeBytes(of: a.uuid) { a in withUnsafeBytes(of: b.uuid) { b in orderBytes(a, b) } }
    default: order(rank(left), rank(right))
    }
  }

  private static func order<T: Comparable>(_ left: T, _ right: T) -> ComparisonResult {
    left < right ? .orderedAscending : right < left ? .orderedDescending : .orderedSame
  }

  private static func orderBytes(
    _ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>
  ) -> ComparisonResult {
    left.lexicographicallyPrecedes(right)
      ? .orderedAscending : right.lexicographicallyPrecedes(left) ? .orderedDescending : .orderedSame
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .bool: 1
    case .int: 2
    case .double: 3
    case .float: 4
    case .decimal: 5
    case .date: 6
    case .string: 7
    case .uuid: 8
    case .uri: 9
    case .binary: 10
    case .reference: 11
    }
  }
}
