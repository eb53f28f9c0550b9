/// A request to one table that a store may answer by its own means, whole: with SQL, or by an index that it keeps.
///
/// A plan holds no rule and no name. Columns go by their ids, constants have the types of what they are compared
/// with, and whatever the layer above has its own mind about (folded texts, exact sums) comes as code to call:
/// ``ValueTest``, ``ValueKey`` and ``ValueFold``. What each part of a plan means is said with it, and a store that
/// takes a plan (``Reader/accepts(_:)``) answers exactly that. Values order and equal each other as ``IndexKey``
/// has them; nil equals nil and is lowest.
public struct Plan: Sendable {
  /// The table whose rows are looked at.
  public var table: TableID
  /// What a row has to meet: all of them; so every row meets none.
  public var tests: [PlanTest]
  /// What the rows are ordered by, the most significant first. Rows that are equal in all terms go by number.
  public var order: [PlanTerm]
  /// Whether equal rows, and all rows without terms, go by ascending number.
  public var numbersAscend: Bool
  /// How many of the ordered rows are skipped.
  public var offset: Int
  /// The most rows wanted; `nil` for all.
  public var limit: Int?
  /// What is wanted of the rows.
  public var result: PlanResult

  /// Asks for rows of a table; all of them, whole and by number, unless you say more.
  public init(
    table: TableID, tests: [PlanTest] = [], order: [PlanTerm] = [], numbersAscend: Bool = true,
    offset: Int = 0, limit: Int? = nil, result: PlanResult
  ) {
    self.table = table
    self.tests = tests
    self.order = order
    self.numbersAscend = numbersAscend
    self.offset = offset
    self.limit = limit
    self.result = result
  }
}

/// What a plan wants of the rows that it selects.
public enum PlanResult: Sendable {
  /// The rows themselves, in the table's format; columns that are not named may be filled or nil.
  case rows(ColumnSet)
  /// A row of these values for each row, under its number.
  ///
  /// Where they are distinct, equal rows of values are given once, where the first of them would stand, and the
  /// offset and the limit are about what is left. Numbers then mean nothing.
  case values([PlanOperand], isDistinct: Bool)
  /// A row for each group of rows that have the operands in common: those, then the aggregates of the group.
  ///
  /// Without operands all rows are one group, also where there are none. Groups come in any order: such a plan has
  /// no terms, no offset and no limit. Numbers mean nothing.
  case groups(by: [PlanOperand], [PlanAggregate])
}

/// A value that a row has.
public indirect enum PlanOperand: Hashable, Sendable {
  /// The same value for every row.
  case constant(Value)
  /// The row's own number.
  case number
  /// The row's value in a column.
  case column(Int)
  /// What another row has, one that this row leads to; nil where there is none.
  case joined(PlanJoin, PlanOperand)
}

/// A way from a row to one other.
public enum PlanJoin: Hashable, Sendable {
  /// To the row of a table whose number a reference column holds.
  case reference(Int, to: TableID)
  /// To the row of a table that holds this row's number in the one column of an index; of several to the one with
  /// the lowest number.
  case inverse(IndexID, of: TableID)
}

/// What a row is asked. The answer is always yes or no: a nil is a value like others here, not an unknown.
public indirect enum PlanTest: Sendable {
  case constant(Bool)
  /// Whether all hold; yes for none.
  case all([PlanTest])
  /// Whether one holds; no for none.
  case any([PlanTest])
  /// Whether the other does not hold.
  case not(PlanTest)
  /// Whether two operands of one type compare in a way. Integers of all widths are one type here, and so are doubles
  /// and floats.
  case compare(PlanOperand, PlanComparison, PlanOperand)
  /// Whether the operand equals one of the values; nil equals ``Value/null``.
  case isIn(PlanOperand, [Value])
  /// Whether the operand, a text, is not nil and its UTF-8 begins with these bytes.
  case beginsWith(PlanOperand, [UInt8])
  /// What a test makes of the operand, a text.
  case meets(PlanOperand, ValueTest)
}

/// A way to compare two values.
public enum PlanComparison: Hashable, Sendable, CaseIterable {
  /// Nil equals nil alone.
  case equal, notEqual
  /// No where one side is nil.
  case less, lessOrEqual, greater, greaterOrEqual
}

/// A criterion of an order.
public struct PlanTerm: Sendable {
  /// What is compared.
  public var operand: PlanOperand
  /// Whether low values, and nil before them, come first.
  public var ascending: Bool
  /// Makes of a text the bytes to compare instead, by their order; nil stays nil.
  public var key: ValueKey?

  /// Orders by an operand.
  public init(_ operand: PlanOperand, ascending: Bool = true, key: ValueKey? = nil) {
    self.operand = operand
    self.ascending = ascending
    self.key = key
  }
}

/// What becomes of the values of a group.
public enum PlanAggregate: Sendable {
  /// How many rows there are, an `int64`.
  case count
  /// The lowest value that is not nil; nil where there is none.
  case minimum(PlanOperand)
  /// The highest value.
  case maximum(PlanOperand)
  /// What a fold makes of the values that are not nil, in any order.
  case fold(PlanOperand, ValueFold)
}

/// How much of a plan a store takes.
public enum Acceptance: Hashable, Sendable {
  /// All of it.
  case whole
  /// Some tests: it takes the plan without the tests at these places, if the numbers of rows alone are wanted
  /// (``PlanResult/values(_:isDistinct:)`` without operands), all of them, ascending. The caller does the rest.
  case rows(leaving: [Int])
  /// Nothing: the caller reads rows and does all by itself.
  case none
}
