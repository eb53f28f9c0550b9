import BolideStorage

/// A part of an index range that one SQL statement can walk over by the index alone.
///
/// Rows compare column by column, the last one being the number. "Greater than (a, b, n)" is therefore the
/// rows with (a, b) and a greater number, then those with a and a greater b, then those with a greater a;
/// written as one comparison of tuples SQLite would lose the rows whose columns are NULL. In a piece
/// the first columns equal values, and the next one is between bounds.
struct ScanPiece: Hashable {
  /// Values of the first columns; NULL equals NULL here.
  var equal: [Value]
  /// Bounds of the column after those; such a column is not NULL.
  var lower: Limit?
  var upper: Limit?

  /// An end of the bounded column.
  struct Limit: Hashable {
    /// The value, or `nil` for the smallest that is not NULL.
    var value: Value?
    var isInclusive: Bool
  }

  /// The pieces of the rows between two bounds, ascending and without overlap.
  static func pieces(from lower: KeyRange.Bound?, to upper: KeyRange.Bound?) -> [ScanPiece] {
    let low = lower?.values ?? []
    let high = upper?.values ?? []
    let takesLow = lower?.isInclusive ?? true
    let takesHigh = upper?.isInclusive ?? true
    var common = 0
    while common < low.count, common < high.count, key(low[common]) == key(high[common]) { common += 1 }

    if common == low.count {
      guard takesLow else { return [] }
      if common == high.count { return takesHigh ? [ScanPiece(equal: low)] : [] }
      return (common..<high.count).flatMap { below(high, at: $0, isInclusive: takesHigh) }
    }
    if common == high.count {
      guard takesHigh else { return [] }
      return (common..<low.count).reversed().flatMap { above(low, at: $0, isInclusive: takesLow) }
    }
    guard key(low[common]).lexicographicallyPrecedes(key(high[common])) else { return [] }
    return (common + 1..<low.count).reversed().flatMap { above(low, at: $0, isInclusive: takesLow) }
      + between(
        low, high, at: common, takesLow: takesLow && low.count == common + 1,
        takesHigh: takesHigh && high.count == common + 1)
      + (common + 1..<high.count).flatMap { below(high, at: $0, isInclusive: takesHigh) }
  }

  /// Rows that equal `values` before `column` and are greater there; equal counts, too, in the last column.
  private static func above(_ values: [Value], at column: Int, isInclusive: Bool) -> [ScanPiece] {
    let takesEqual = isInclusive && column == values.count - 1
    let prefix = Array(values[..<column])
    if values[column].isNull {
      // NULL is lowest: "at least NULL" is every row.
      return [
        ScanPiece(equal: prefix, lower: takesEqual ? nil : Limit(value: nil, isInclusive: true))
      ]
    }
    return [ScanPiece(equal: prefix, lower: Limit(value: values[column], isInclusive: takesEqual))]
  }

  /// Rows that equal `values` before `column` and are less there; equal counts, too, in the last column.
  private static func below(_ values: [Value], at column: Int, isInclusive: Bool) -> [ScanPiece] {
    let takesEqual = isInclusive && column == values.count - 1
    let prefix = Array(values[..<column])
    let null = ScanPiece(equal: prefix + [.null])
    if values[column].isNull { return takesEqual ? [null] : [] }
    return [
      null, ScanPiece(equal: prefix, upper: Limit(value: values[column], isInclusive: takesEqual)),
    ]
  }

  private static func between(
    _ low: [Value], _ high: [Value], at column: Int, takesLow: Bool, takesHigh: Bool
  ) -> [ScanPiece] {
    let prefix = Array(low[..<column])
    let upper = Limit(value: high[column], isInclusive: takesHigh)
    guard low[column].isNull else {
      let lower = Limit(value: low[column], isInclusive: takesLow)
      return [ScanPiece(equal: prefix, lower: lower, upper: upper)]
    }
    let rest = ScanPiece(equal: prefix, lower: Limit(value: nil, isInclusive: true), upper: upper)
    return takesLow ? [ScanPiece(equal: prefix + [.null]), rest] : [rest]
  }

  private static func key(_ value: Value) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(value, to: &key)
    return key
  }
}

/// The shape of a piece's statement: pieces that differ in values alone share one.
struct ScanShape: Hashable {
  var table: TableID
  /// `nil` for a walk by number.
  var index: IndexID?
  var equalCount: Int
  /// Whether the bound is inclusive; `nil` for none.
  var lower: Bool?
  var upper: Bool?
  var backwards: Bool
  var columns: ColumnSet
}
