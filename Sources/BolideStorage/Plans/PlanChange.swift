/// A change of all rows that meet tests, in one call: what a batch update or a batch delete comes down to.
public struct PlanChange: Sendable {
  /// The table.
  public var table: TableID
  /// What a row has to meet to be changed, as it is before the call: all of them.
  public var tests: [PlanTest]
  /// What is done to the rows.
  public var action: Action
  /// The columns of each row, as they are before the call, that the caller wants to know.
  public var wanted: [Int]

  /// What is done to rows.
  public enum Action: Sendable {
    /// Columns get constants. None of them is a column of a unique index, and none is there twice.
    case set([(column: Int, value: Value)])
    /// The rows are deleted with their index entries. Links are not looked at.
    case delete
  }

  /// Describes a change.
  public init(table: TableID, tests: [PlanTest], action: Action, wanted: [Int] = []) {
    self.table = table
    self.tests = tests
    self.action = action
    self.wanted = wanted
  }

  /// The format of the rows that say what was changed.
  public func format(in layout: Layout) -> RowFormat {
    RowFormat(wanted.map { layout.tables[table].columns[$0].type })
  }
}
