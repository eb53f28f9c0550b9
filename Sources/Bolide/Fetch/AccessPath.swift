import BolideStorage

/// The way on which a fetch reaches rows: along an index that narrows or orders them, or by number.
///
/// It never decides which objects are found or in what order (the condition is asked of every row, and rows
/// that do not come in order are sorted): only how many rows are looked at.
package struct AccessPath: Hashable, Sendable {
  /// The rows to walk over: all that can meet the condition, perhaps more.
  package var range: KeyRange
  /// Whether the walk goes from the end.
  package var backwards: Bool
  /// Whether the rows come in the order asked for.
  package var isOrdered: Bool

  /// All rows, by number.
  package static let byNumber = AccessPath(range: .all, backwards: false, isOrdered: false)

  private init(range: KeyRange, backwards: Bool, isOrdered: Bool) {
    self.range = range
    self.backwards = backwards
    self.isOrdered = isOrdered
  }

  /// Chooses among the indexes of an entity's table.
  ///
  /// A key that only one row can have is best, then equal columns, then the order asked for where few rows
  /// are wanted, then bounds, then order alone.
  /// - Parameter isLimited: whether the walk ends early when enough rows are found.
  package init(_ condition: BoundCondition?, order: RowOrder, isLimited: Bool, entity: EntityMap) {
    self = .byNumber
    isOrdered = order.terms.isEmpty
    var best = [0, 0, isOrdered && isLimited ? 1 : 0, 0, 0]
    for (id, index) in entity.tableLayout.indexes.enumerated() {
      let candidate = Candidate(
        id, index, limits: condition?.limits ?? [:], order: order, format: entity.format)
      let rank = candidate.rank(isLimited: isLimited)
      if best.lexicographicallyPrecedes(rank) {
        best = rank
        self = candidate.path
      }
    }
  }

  /// One index, and what of the condition and the order it can serve.
  private struct Candidate {
    private var equal: [Value] = []
    private var isPoint: Bool
    private var boundCount = 0
    private(set) var path: AccessPath

    init(
      _ id: IndexID, _ index: IndexLayout, limits: [Int: ColumnLimits], order: RowOrder, format: RowFormat
    ) {
      for column in index.columns {
        guard let value = limits[column]?.equal else { break }
        equal.append(value)
      }
      let rest = Array(index.columns.dropFirst(equal.count))
      isPoint = index.isUnique && rest.isEmpty && !equal.contains(.null)
      var lower: KeyRange.Bound?
      var upper: KeyRange.Bound?
      if !equal.isEmpty {
        lower = KeyRange.Bound(equal, isInclusive: true)
        upper = lower
      }
      if let next = rest.first, let limits = limits[next] {
        if let bound = limits.lower {
          lower = KeyRange.Bound(equal + bound.values, isInclusive: bound.isInclusive)
          boundCount += 1
        }
        if let bound = limits.upper {
          upper = KeyRange.Bound(equal + bound.values, isInclusive: bound.isInclusive)
          boundCount += 1
          // A nil is in no order with the bound.
          if limits.lower == nil { lower = KeyRange.Bound(equal + [.null], isInclusive: false) }
        }
      }
      let isOrdered =
        order.terms.map(\.column) == rest
        && order.terms.allSatisfy { $0.ascending == order.numbersAscend }
      path = AccessPath(
        range: .index(id, lower: lower, upper: upper), backwards: isOrdered && !order.numbersAscend,
        isOrdered: isOrdered)
    }

    func rank(isLimited: Bool) -> [Int] {
      [
        isPoint ? 1 : 0, equal.count, path.isOrdered && isLimited ? 1 : 0, boundCount,
        path.isOrdered ? 1 : 0,
      ]
    }
  }
}

/// What a condition demands of one column, whatever else it says.
package struct ColumnLimits: Hashable, Sendable {
  /// The one value it has to have; `.null` for none.
  package var equal: Value?
  /// What it may not be less than.
  package var lower: KeyRange.Bound?
  /// What it may not be greater than.
  package var upper: KeyRange.Bound?

  /// Adds one demand; of several of a kind the first is kept, which is enough to narrow a walk.
  mutating func add(_ comparison: Comparison, _ value: Value) {
    switch comparison {
    case .equal: equal = equal ?? value
    case .notEqual, .contains, .beginsWith, .endsWith, .like: break
    case .less, .lessOrEqual:
      upper = upper ?? KeyRange.Bound([value], isInclusive: comparison == .lessOrEqual)
    case .greater, .greaterOrEqual:
      lower = lower ?? KeyRange.Bound([value], isInclusive: comparison == .greaterOrEqual)
    }
  }
}
