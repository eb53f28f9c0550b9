import BolideStorage

/// The way on which a fetch reaches rows: along an index that narrows or orders them, or by number.
///
/// It never decides which objects are found or in what order (the condition is asked of every row, and rows
/// that do not come in order are sorted): only how many rows are looked at.
package struct AccessPath: Hashable, Sendable {
  /// The rows to look at: all that can meet the condition, perhaps more.
  package enum Way: Hashable, Sendable {
    /// All rows, by number.
    case table
    /// The rows with these numbers, which ascend.
    case numbers([Number])
    /// The rows that have these values in the columns of a unique index, in the order of the index.
    case keys(IndexID, [[Value]])
    /// The rows in these ranges of an index, which ascend and do not meet.
    case ranges(IndexID, [KeyRange])
  }

  package let way: Way
  /// Whether the walk goes from the end.
  package let backwards: Bool
  /// Whether the rows come in the order asked for.
  package let isOrdered: Bool

  /// All rows, by number.
  package static let byNumber = AccessPath(.table, isOrdered: false)

  /// The rows with some numbers, which ascend.
  static func byNumbers(_ numbers: [Number]) -> AccessPath { AccessPath(.numbers(numbers), isOrdered: true) }

  private init(_ way: Way, backwards: Bool = false, isOrdered: Bool) {
    self.way = way
    self.backwards = backwards
    self.isOrdered = isOrdered
  }

  /// Chooses among the indexes of an entity's table.
  ///
  /// Objects that are named are best, and keys that only one row can have; then columns with one value, then
  /// columns with one of several, then the order asked for where few rows are wanted, then bounds, then order alone.
  /// - Parameters:
  ///   - isLimited: whether the walk ends early when enough rows are found.
  ///   - reader: tells how many rows there are, where that decides.
  package init(
    _ condition: BoundCondition?, order: RowOrder, isLimited: Bool, entity: EntityMap, reader: any Reader
  ) throws(BolideError) {
    let isByNumber = order.terms.isEmpty
    let table = AccessPath(.table, isOrdered: isByNumber)
    var size = TableSize(table: entity.table, reader: reader)
    if let numbers = condition?.keys(of: nil)?.values, try size.isLarge(for: numbers.count) {
      self = AccessPath(.numbers(numbers.compactMap(\.number)), isOrdered: isByNumber)
      return
    }
    var best = (path: table, rank: [0, 0, 0, isByNumber && isLimited ? 1 : 0, 0, 0])
    for (id, index) in entity.tableLayout.indexes.enumerated() {
      let candidate = Candidate(id, index, condition: condition, order: order)
      if candidate.isEmpty {
        self = AccessPath(.numbers([]), isOrdered: true)
        return
      }
      let rank = candidate.rank(isLimited: isLimited)
      if best.rank.lexicographicallyPrecedes(rank), try size.isLarge(for: candidate.lookups) {
        best = (candidate.path, rank)
      }
    }
    self = best.path
  }

  /// How many rows a table has, asked once, and only where it decides.
  private struct TableSize {
    /// Looking a row up costs about as much as reading on over so many.
    private static let lookupCost = 4
    /// So few look-ups are always worth it.
    private static let fewLookups = 16

    let table: TableID
    let reader: any Reader
    private var known: Int?

    init(table: TableID, reader: any Reader) {
      self.table = table
      self.reader = reader
    }

    /// Whether so many look-ups cost less than reading the whole table.
    mutating func isLarge(for lookups: Int) throws(BolideError) -> Bool {
      if lookups <= Self.fewLookups { return true }
      if known == nil { known = try reader.count(of: table) }
      return lookups * Self.lookupCost < known ?? 0
    }
  }

  /// One index, and what of the condition and the order it can serve.
  private struct Candidate {
    private(set) var path: AccessPath
    private(set) var isEmpty = false
    private var isUnique = false
    /// How many columns have one value, how many after them one of several, and what narrows the next one.
    private var fixed = 0
    private var several = 0
    private var narrowness = 0
    /// How many look-ups the way takes.
    private(set) var lookups = 1

    /// The most ranges that values of several columns may make together.
    private static let combinations = 1000

    init(_ id: IndexID, _ index: IndexLayout, condition: BoundCondition?, order: RowOrder) {
      var prefixes: [[Value]] = [[]]
      var rest: KeySet?
      for column in index.columns {
        guard let keys = condition?.keys(of: column) else { break }
        if keys.isEmpty { isEmpty = true }
        if prefixes.count > 1, prefixes.count * keys.count > Self.combinations { break }
        if let values = keys.values {
          prefixes = prefixes.flatMap { prefix in values.map { prefix + [$0] } }
          if values.count == 1, several == 0 { fixed += 1 } else { several += 1 }
        } else {
          narrowness = keys.narrowness
          if narrowness > 0 { rest = keys }
          break
        }
      }
      lookups = prefixes.count * (rest?.count ?? 1)
      isUnique =
        index.isUnique && fixed + several == index.columns.count && !prefixes.contains { $0.contains(.null) }
      let way: Way
      if isUnique {
        way = .keys(id, prefixes)
      } else if let rest {
        way = .ranges(id, prefixes.flatMap { rest.ranges(of: id, behind: $0) })
      } else {
        way = .ranges(id, prefixes.flatMap { KeySet.all.ranges(of: id, behind: $0) })
      }
      // What all rows have in common does not order them.
      let constant = index.columns.prefix(fixed)
      let terms = order.terms.filter { term in !(term.column.map(constant.contains) ?? false) }
      let isOrdered =
        isUnique && prefixes.count == 1
        || terms.map(\.column) == Array(index.columns.dropFirst(fixed))
          && terms.allSatisfy { $0.ascending == order.numbersAscend }
      path = AccessPath(way, backwards: isOrdered && !order.numbersAscend, isOrdered: isOrdered)
    }

    func rank(isLimited: Bool) -> [Int] {
      [
        isUnique ? 1 : 0, fixed, several, path.isOrdered && isLimited ? 1 : 0, narrowness,
        path.isOrdered ? 1 : 0,
      ]
    }
  }
}

extension Value {
  /// The number of the object that the value names.
  fileprivate var number: Number? {
    if case .reference(let number) = self { return number }
    return nil
  }
}
