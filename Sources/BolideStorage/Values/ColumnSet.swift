/// A set of small numbers: columns of a table, or properties of an entity.
///
/// Numbers below 64 take no memory outside the value.
public struct ColumnSet: Hashable, Sendable {
  @usableFromInline var low: UInt64
  @usableFromInline var high: [UInt64]

  /// The empty set.
  @inlinable
  public init() { self.init(low: 0) }

  /// The set of the members whose bits are set in `low`.
  @inlinable
  public init(low: UInt64) {
    self.low = low
    high = []
  }

  /// The set of the given members.
  public init(_ members: some Sequence<Int>) {
    self.init(low: 0)
    for member in members { insert(member) }
  }

  /// The set 0 ..< count.
  public static func all(_ count: Int) -> ColumnSet { ColumnSet(0..<count) }

  /// Whether the set has no member.
  public var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

  /// The number of members.
  public var count: Int { high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  /// Whether `member` is in the set.
  @inlinable @inline(__always)
  public func contains(_ member: Int) -> Bool {
    if member < 64 { return low & (1 << UInt64(member)) != 0 }
    return containsHigh(member)
  }

  @usableFromInline
  func containsHigh(_ member: Int) -> Bool {
    let word = member / 64 - 1
    return word < high.count && high[word] & (1 << UInt64(member % 64)) != 0
  }

  /// Adds `member`, which is not negative.
  @inlinable @inline(__always)
  public mutating func insert(_ member: Int) {
    if member < 64 {
      low |= 1 << UInt64(member)
    } else {
      insertHigh(member)
    }
  }

  @usableFromInline
  mutating func insertHigh(_ member: Int) {
    let word = member / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(member % 64)
  }

  /// Removes `member`.
  public mutating func remove(_ member: Int) {
    if member < 64 {
      low &= ~(1 << UInt64(member))
    } else if member / 64 - 1 < high.count {
      high[member / 64 - 1] &= ~(1 << UInt64(member % 64))
      while high.last == 0 { high.removeLast() }
    }
  }

  /// Adds the members of `other`.
  public mutating func formUnion(_ other: ColumnSet) {
    low |= other.low
    while high.count < other.high.count { high.append(0) }
    for (index, word) in other.high.enumerated() { high[index] |= word }
  }

  /// The members of this set or of `other`.
  public func union(_ other: ColumnSet) -> ColumnSet {
    var result = self
    result.formUnion(other)
    return result
  }

  /// The members of this set that `other` lacks.
  public func subtracting(_ other: ColumnSet) -> ColumnSet {
    ColumnSet(members.filter { !other.contains($0) })
  }

  /// Whether the two sets share a member.
  public func intersects(_ other: ColumnSet) -> Bool {
    low & other.low != 0 || zip(high, other.high).contains { $0 & $1 != 0 }
  }

  /// The members, ascending.
  public var members: [Int] {
    var result: [Int] = []
    result.reserveCapacity(count)
    for (word, bits) in ([low] + high).enumerated() {
      var rest = bits
      while rest != 0 {
        result.append(word * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return result
  }
}

/// A set of properties of an entity by their ids (``TableLayout/properties``).
public typealias PropertySet = ColumnSet
