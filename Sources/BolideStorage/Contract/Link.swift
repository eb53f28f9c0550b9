/// One pair of a link table, with the place that each side gives it.
public struct Link: Hashable, Sendable {
  /// The object on the source side.
  public var from: Number
  /// The object on the target side.
  public var to: Number
  /// The place of `to` among the links of `from`; 0 while the relationship is not ordered.
  public var order: Int64
  /// The place of `from` among the links of `to`; 0 while the relationship is not ordered.
  public var inverseOrder: Int64

  /// Pairs two numbers.
  public init(from: Number, to: Number, order: Int64 = 0, inverseOrder: Int64 = 0) {
    self.from = from
    self.to = to
    self.order = order
    self.inverseOrder = inverseOrder
  }
}

/// A side of a link table to look from.
public enum LinkSide: Sendable {
  /// From source to target.
  case forward
  /// From target to source.
  case inverse
}
