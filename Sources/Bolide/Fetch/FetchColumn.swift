import BolideStorage

/// A column of the rows that ``ManagedObjectContext/fetchRows(_:)`` gives: a value of each object, or of each
/// group.
public struct FetchColumn: Codable, Hashable, Sendable {
  /// The column's name in the rows.
  public var name: String
  /// The value: a path, or an aggregate.
  public var operand: Operand

  /// Names a value; by its own text unless you say otherwise.
  public init(_ operand: Operand, as name: String? = nil) {
    self.operand = operand
    self.name = name ?? operand.description
  }

  /// Reads columns such as `net,@count,depth.@avg`: paths and aggregates with commas between them.
  ///
  /// - Throws: `predicate.syntax` with a column.
  public static func list(parsing text: String) throws(BolideError) -> [FetchColumn] {
    try SortTerm.list(parsing: text, takesDirections: false).map { FetchColumn($0.operand) }
  }
}

extension FetchColumn: CustomStringConvertible {
  public var description: String { name }
}
