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

/// A row of values that a fetch gives instead of an object.
public struct FetchedRow: Hashable, Sendable {
  /// The names of the columns, in the order asked for.
  public let columns: [String]
  /// Their values; a to-one relationship is the number of its object.
  public let values: [Value]

  /// The value of a column; `nil` where the row has no such column.
  public subscript(_ name: String) -> Value? {
    columns.firstIndex(of: name).map { values[$0] }
  }
}
