import BolideStorage

/// The keys that a column of rows can have, as ranges: what an index is asked for.
///
/// Keys are those of ``IndexKey``, nil the lowest; the ranges ascend and do not touch.
package struct KeySet: Sendable {
  /// A place between keys: before or after all rows that have a value.
  struct Cut: Sendable {
    /// The value's key; at the end one above all others.
    let key: [UInt8]
    let isAfter: Bool
    /// Not looked at where the place is the end.
    let value: Value

    /// No value is below nil.
    static let start = before(.null)
    // Keys begin with 0 or 1.
    static let end = Cut(key: [0xFF], isAfter: true, value: .null)

    static func before(_ value: Value) -> Cut { Cut(key: key(of: value), isAfter: false, value: value) }

    static func after(_ value: Value) -> Cut { Cut(key: key(of: value), isAfter: true, value: value) }

    static func key(of value: Value) -> [UInt8] {
      var key: [UInt8] = []
      IndexKey.append(value, to: &key)
      return key
    }

    var isStart: Bool { isBesideNil && !isAfter }

    /// Whether the place is before or after nil.
    var isBesideNil: Bool { key == Self.start.key }

    var isEnd: Bool { key.first == 0xFF }

    func precedes(_ other: Cut) -> Bool {
      key.withUnsafeBytes { one in
        other.key.withUnsafeBytes { another in
          if RowOrder.precedes(one, another) { return true }
          return !isAfter && other.isAfter && !RowOrder.precedes(another, one)
        }
      }
    }
  }

  /// Where ranges begin and end, in turns, ascending.
  private let cuts: [Cut]

  private init(cuts: [Cut]) { self.cuts = cuts }

  /// The keys between two places; none where the second is not behind the first.
  init(from start: Cut, to end: Cut) { cuts = start.precedes(end) ? [start, end] : [] }

  /// The keys of some values.
  init(_ values: [Value]) {
    let starts = values.map(Cut.before).sorted { $0.precedes($1) }
    var cuts: [Cut] = []
    cuts.reserveCapacity(2 * starts.count)
    for cut in starts where cuts.last?.key != cut.key {
      cuts += [cut, Cut(key: cut.key, isAfter: true, value: cut.value)]
    }
    self.cuts = cuts
  }

  static let all = KeySet(cuts: [.start, .end])
  static let none = KeySet(cuts: [])

  // MARK: Sets of keys

  /// All other keys.
  var complement: KeySet {
    var cuts = cuts
    if cuts.first?.isStart == true { cuts.removeFirst() } else { cuts.insert(.start, at: 0) }
    if cuts.last?.isEnd == true { cuts.removeLast() } else { cuts.append(.end) }
    return KeySet(cuts: cuts)
  }

  /// The keys that are in one of some sets.
  static func union(_ sets: [KeySet]) -> KeySet { keys(inAtLeast: 1, of: sets) }

  /// The keys that are in all of some sets.
  static func intersection(_ sets: [KeySet]) -> KeySet { keys(inAtLeast: sets.count, of: sets) }

  private static func keys(inAtLeast count: Int, of sets: [KeySet]) -> KeySet {
    if sets.count == 1 { return sets[0] }
    var edges: [(cut: Cut, step: Int)] = []
    for set in sets {
      for (place, cut) in set.cuts.enumerated() { edges.append((cut, place.isMultiple(of: 2) ? 1 : -1)) }
    }
    edges.sort { $0.cut.precedes($1.cut) }
    var cuts: [Cut] = []
    var depth = 0
    var next = 0
    while next < edges.count {
      let cut = edges[next].cut
      let isInside = depth >= count
      while next < edges.count, !cut.precedes(edges[next].cut) {
        depth += edges[next].step
        next += 1
      }
      if isInside != (depth >= count) { cuts.append(cut) }
    }
    return KeySet(cuts: cuts)
  }

  // MARK: What an index makes of them

  var isEmpty: Bool { cuts.isEmpty }

  /// How many ranges there are.
  var count: Int { cuts.count / 2 }

  /// The values, where each range is one.
  var values: [Value]? {
    var values: [Value] = []
    values.reserveCapacity(count)
    for place in stride(from: 0, to: cuts.count, by: 2) {
      guard Self.isOneValue(cuts[place], cuts[place + 1]) else { return nil }
      values.append(cuts[place].value)
    }
    return values
  }

  private static func isOneValue(_ start: Cut, _ end: Cut) -> Bool {
    !start.isAfter && end.isAfter && start.key == end.key
  }

  /// How much a walk over the ranges alone spares: bounds at either end that are not those of all values, or 1 for
  /// gaps of more than a value.
  var narrowness: Int {
    guard let first = cuts.first, let last = cuts.last else { return 2 }
    // What is greater than nil is nearly everything.
    let bounds = (first.isBesideNil ? 0 : 1) + (last.isEnd ? 0 : 1)
    if bounds > 0 { return bounds }
    let hasGap = stride(from: 1, to: cuts.count - 1, by: 2).contains { place in
      !(cuts[place].key == cuts[place + 1].key && !cuts[place].isAfter)
    }
    return hasGap ? 1 : 0
  }

  /// The ranges of an index whose first columns have certain values, and the next one a key of the set.
  func ranges(of index: IndexID, behind values: [Value]) -> [KeyRange] {
    let whole = values.isEmpty ? nil : KeyRange.Bound(values, isInclusive: true)
    return stride(from: 0, to: cuts.count, by: 2).map { place in
      let (start, end) = (cuts[place], cuts[place + 1])
      return .index(
        index,
        lower: start.isStart ? whole : KeyRange.Bound(values + [start.value], isInclusive: !start.isAfter),
        upper: end.isEnd ? whole : KeyRange.Bound(values + [end.value], isInclusive: end.isAfter))
    }
  }
}
