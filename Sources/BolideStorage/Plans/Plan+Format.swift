extension Plan {
  /// The format of the rows that answer the plan.
  public func format(in layout: Layout) -> RowFormat {
    switch result {
    case .rows: layout.tables[table].format
    case .values(let operands, _): RowFormat(operands.map { $0.type(in: layout, of: table) })
    case .groups(let operands, let aggregates):
      RowFormat(
        operands.map { $0.type(in: layout, of: table) }
          + aggregates.map { $0.type(in: layout, of: table) })
    }
  }
}

extension PlanOperand {
  /// The type of the values that rows of a table have.
  public func type(in layout: Layout, of table: TableID) -> ValueType {
    switch self {
    case .number: .reference
    case .column(let column): layout.tables[table].columns[column].type
    case .joined(let join, let operand): operand.type(in: layout, of: join.target)
    // Nil fits any type; rows need one.
    case .constant(let value): value.type ?? .int64
    }
  }
}

extension PlanJoin {
  /// The table that the way leads to.
  public var target: TableID {
    switch self {
    case .reference(_, let table), .inverse(_, let table): table
    }
  }
}

extension PlanAggregate {
  /// The type of the result.
  public func type(in layout: Layout, of table: TableID) -> ValueType {
    switch self {
    case .count: .int64
    case .minimum(let operand), .maximum(let operand): operand.type(in: layout, of: table)
    case .fold(_, let fold): fold.type
    }
  }
}
