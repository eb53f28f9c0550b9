import BolideStorage

/// A plan as SQL: a text without a single value in it, and what its parameters stand for.
///
/// Every test is written so that it holds or not, whatever is NULL: negations are moved to the leaves, equality is
/// `IS` where a NULL may be on both sides, and what could come out as NULL is asked whether it is TRUE. A comparison
/// that is not negated stands bare, since only then SQLite looks for an index.
struct PlanSQL {
  /// What a parameter stands for.
  enum Parameter {
    /// A value as a column has it.
    case value(Value)
    /// The bytes whose order is the order of a decimal.
    case order(Value)
    case bytes([UInt8])
    case count(Int)
    case list(ValueList)
    case test(ValueTest)
    case key(ValueKey)
    case fold(ValueFold)
  }

  private(set) var parameters: [Parameter] = []
  let schema: StoredSchema
  private var rowNames = 0

  init(_ schema: StoredSchema) { self.schema = schema }

  /// A table in a statement, under the name of its row.
  struct Row {
    let id: TableID
    let table: StoredTable
    let name: String

    var number: String { "\(name).\(SQLNames.number)" }
  }

  /// A new row of a table.
  mutating func row(of table: TableID) throws(BolideError) -> Row {
    defer { rowNames += 1 }
    return Row(id: table, table: try schema.table(table), name: "r\(rowNames)")
  }

  mutating func add(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "?\(parameters.count)"
  }

  // MARK: Values

  /// The value of an operand, as columns have it.
  mutating func value(_ operand: PlanOperand, of row: Row) throws(BolideError) -> String {
    switch operand {
    case .constant(let value): return add(.value(value))
    case .number: return row.number
    case .column(let column): return "\(row.name).\(try row.column(column))"
    case .joined(let join, let operand):
      let other = try self.row(of: join.target)
      return try reach(other, from: row, by: join, for: try value(operand, of: other))
    }
  }

  /// What orders the values of an operand: they themselves, or the bytes of decimals.
  mutating func ordering(_ operand: PlanOperand, of row: Row) throws(BolideError) -> String {
    switch operand {
    case .constant(.decimal(let value)): return add(.order(.decimal(value)))
    case .column(let column):
      let name = try row.column(column)
      guard row.table.format.types[column] == .decimal else { return "\(row.name).\(name)" }
      if let order = row.table.orders[column] { return "\(row.name).\(order)" }
      return "\(PlanFunction.order.rawValue)(\(row.name).\(name))"
    case .joined(let join, let operand):
      let other = try self.row(of: join.target)
      return try reach(other, from: row, by: join, for: try ordering(operand, of: other))
    case .constant, .number: return try value(operand, of: row)
    }
  }

  private func reach(
    _ other: Row, from row: Row, by join: PlanJoin, for expression: String
  ) throws(BolideError) -> String {
    switch join {
    case .reference(let column, _):
      return "(SELECT \(expression) FROM \(other.table.name) AS \(other.name) "
        + "WHERE \(other.number) = \(row.name).\(try row.column(column)))"
    case .inverse(let index, _):
      guard let column = try other.table.index(index).columns.first else {
        throw .misuse("An index is empty")
      }
      return "(SELECT \(expression) FROM \(other.table.name) AS \(other.name) "
        + "INDEXED BY \(other.table.indexes[index]) WHERE \(other.name).\(try other.column(column)) = \(row.number) "
        + "ORDER BY \(other.number) LIMIT 1)"
    }
  }

  // MARK: Tests

  /// All tests, as what follows WHERE; `nil` for none.
  mutating func condition(_ tests: [PlanTest], of row: Row) throws(BolideError) -> String? {
    if tests.isEmpty { return nil }
    var parts: [String] = []
    for test in tests { parts.append(try sql(test, of: row, negated: false)) }
    return parts.joined(separator: " AND ")
  }

  /// A test, or its negation, in a form that AND and OR can stand beside.
  private mutating func sql(_ test: PlanTest, of row: Row, negated: Bool) throws(BolideError) -> String {
    switch test {
    case .constant(let holds): return holds == negated ? "0" : "1"
    case .not(let test): return try sql(test, of: row, negated: !negated)
    case .all(let tests): return try join(tests, of: row, by: negated ? "OR" : "AND", negated: negated)
    case .any(let tests): return try join(tests, of: row, by: negated ? "AND" : "OR", negated: negated)
    case .compare(let left, let comparison, let right):
      return try compare(left, comparison, right, of: row, negated: negated)
    case .isIn(let operand, let values): return try isIn(operand, values, of: row, negated: negated)
    case .beginsWith(let operand, let bytes):
      return Self.surely(try begins(operand, bytes, of: row), negated: negated)
    case .meets(let operand, let test):
      // The function's answer is never NULL.
      let call = "\(PlanFunction.test.rawValue)(\(add(.test(test))), \(try value(operand, of: row)))"
      return negated ? "NOT \(call)" : call
    }
  }

  private mutating func join(
    _ tests: [PlanTest], of row: Row, by word: String, negated: Bool
  ) throws(BolideError) -> String {
    if tests.isEmpty { return word == "AND" ? "1" : "0" }
    var parts: [String] = []
    for test in tests { parts.append(try sql(test, of: row, negated: negated)) }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " \(word) ")))"
  }

  /// An expression that may be NULL, for no; where its negation is wanted that has to be said.
  private static func surely(_ expression: String, negated: Bool) -> String {
    negated ? "(\(expression)) IS NOT TRUE" : expression
  }

  private mutating func compare(
    _ left: PlanOperand, _ comparison: PlanComparison, _ right: PlanOperand, of row: Row, negated: Bool
  ) throws(BolideError) -> String {
    let symbol: String
    switch comparison {
    case .equal, .notEqual:
      let isEqual = (comparison == .equal) != negated
      let (one, other) = (try value(left, of: row), try value(right, of: row))
      // A constant that is not NULL makes `=` yes for what `IS` is yes for, and SQLite knows more of it.
      if isEqual, left.isPresentConstant || right.isPresentConstant { return "\(one) = \(other)" }
      return "\(one) \(isEqual ? "IS" : "IS NOT") \(other)"
    case .less: symbol = "<"
    case .lessOrEqual: symbol = "<="
    case .greater: symbol = ">"
    case .greaterOrEqual: symbol = ">="
    }
    let expression = "\(try ordering(left, of: row)) \(symbol) \(try ordering(right, of: row))"
    return Self.surely(expression, negated: negated)
  }

  private mutating func begins(
    _ operand: PlanOperand, _ bytes: [UInt8], of row: Row
  ) throws(BolideError) -> String {
    let text = try value(operand, of: row)
    guard !bytes.isEmpty else { return "\(text) IS NOT NULL" }
    let lower = "\(text) >= \(add(.bytes(bytes)))"
    var end = bytes
    while end.last == 0xFF { end.removeLast() }
    guard let last = end.popLast() else { return lower }
    end.append(last + 1)
    return "(\(lower) AND \(try value(operand, of: row)) < \(add(.bytes(end))))"
  }

  /// How many values stand in the text, so that few texts are needed; more are a table.
  private static let listSizes = [1, 2, 4, 8]

  private mutating func isIn(
    _ operand: PlanOperand, _ values: [Value], of row: Row, negated: Bool
  ) throws(BolideError) -> String {
    let present = values.contains(.null) ? values.filter { !$0.isNull } : values
    var parts: [String] = []
    if let last = present.last {
      let list: String
      if let size = Self.listSizes.first(where: { present.count <= $0 }) {
        let padded = present + repeatElement(last, count: size - present.count)
        list = padded.map { add(.value($0)) }.joined(separator: ", ")
      } else {
        list = "SELECT value FROM \(ValueTable.name)(\(add(.list(ValueList(present)))))"
      }
      parts.append(Self.surely("\(try value(operand, of: row)) IN (\(list))", negated: negated))
    }
    if present.count < values.count {
      parts.append("\(try value(operand, of: row)) IS \(negated ? "NOT " : "")NULL")
    }
    if parts.isEmpty { return negated ? "1" : "0" }
    return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: negated ? " AND " : " OR ")))"
  }
}

extension PlanSQL.Row {
  /// The SQL name of a column.
  func column(_ column: Int) throws(BolideError) -> String {
    guard table.columns.indices.contains(column) else {
      throw .misuse("\(table.layout.name) has no column \(column)")
    }
    return table.columns[column]
  }
}

extension PlanOperand {
  fileprivate var isPresentConstant: Bool {
    if case .constant(let value) = self { return !value.isNull }
    return false
  }
}
