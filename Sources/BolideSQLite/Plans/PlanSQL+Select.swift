import BolideStorage

extension PlanSQL {
  /// A query for a plan: its text, with the number of each row in the first result column.
  mutating func select(_ plan: Plan) throws(BolideError) -> String {
    let row = try row(of: plan.table)
    switch plan.result {
    case .rows(let columns):
      let names = row.table.members(columns).map { "\(row.name).\(row.table.columns[$0])" }
      return try select([row.number] + names, plan, of: row)
    case .values(let operands, let isDistinct):
      if isDistinct { return try selectDistinct(operands, plan, of: row) }
      var names = [row.number]
      for operand in operands { names.append(try value(operand, of: row)) }
      return try select(names, plan, of: row)
    case .groups(let operands, let aggregates):
      var names = ["0"]
      for operand in operands { names.append(try value(operand, of: row)) }
      for aggregate in aggregates { names.append(try value(aggregate, of: row)) }
      var text = "SELECT \(names.joined(separator: ", "))"
      text += try source(plan.tests, of: row)
      if !operands.isEmpty { text += " GROUP BY \(Self.places(operands.count))" }
      return text
    }
  }

  private mutating func select(
    _ names: [String], _ plan: Plan, of row: Row
  ) throws(BolideError) -> String {
    var text = "SELECT \(names.joined(separator: ", "))"
    text += try source(plan.tests, of: row)
    text += try order(plan, last: row.number, of: row)
    text += end(plan)
    return text
  }

  /// Equal rows of values as one group, which stands where its first row would.
  ///
  /// The terms are among the values (``PlanLimits`` sees to that), so all rows of a group are equal in them.
  private mutating func selectDistinct(
    _ operands: [PlanOperand], _ plan: Plan, of row: Row
  ) throws(BolideError) -> String {
    let first = "\(plan.numbersAscend ? "min" : "max")(\(row.number))"
    var names = [first]
    for operand in operands { names.append(try value(operand, of: row)) }
    var text = "SELECT \(names.joined(separator: ", "))"
    text += try source(plan.tests, of: row)
    text += " GROUP BY \(Self.places(operands.count))"
    text += try order(plan, last: first, of: row)
    text += end(plan)
    return text
  }

  /// The places of the result columns after the first.
  private static func places(_ count: Int) -> String {
    (2..<(count + 2)).map(String.init).joined(separator: ", ")
  }

  private mutating func source(_ tests: [PlanTest], of row: Row) throws(BolideError) -> String {
    let condition = try condition(tests, of: row)
    return " FROM \(row.table.name) AS \(row.name)" + (condition.map { " WHERE \($0)" } ?? "")
  }

  private mutating func order(_ plan: Plan, last: String, of row: Row) throws(BolideError) -> String {
    var terms: [String] = []
    for term in plan.order {
      var expression = try ordering(term.operand, of: row)
      if let key = term.key { expression = "\(PlanFunction.key.rawValue)(\(add(.key(key))), \(expression))" }
      terms.append(term.ascending ? expression : expression + " DESC")
    }
    terms.append(plan.numbersAscend ? last : last + " DESC")
    return " ORDER BY \(terms.joined(separator: ", "))"
  }

  private mutating func end(_ plan: Plan) -> String {
    if plan.limit == nil, plan.offset <= 0 { return "" }
    var text = " LIMIT \(add(.count(plan.limit.map { max(0, $0) } ?? -1)))"
    if plan.offset > 0 { text += " OFFSET \(add(.count(plan.offset)))" }
    return text
  }

  private mutating func value(_ aggregate: PlanAggregate, of row: Row) throws(BolideError) -> String {
    switch aggregate {
    case .count: return "count(*)"
    case .minimum(let operand): return "min(\(try value(operand, of: row)))"
    case .maximum(let operand): return "max(\(try value(operand, of: row)))"
    case .fold(let operand, let fold):
      // Without a row SQLite never calls the function, so what it gives then is a parameter.
      let nothing = add(.value(try fold.begin().result()))
      return "CASE WHEN count(*) = 0 THEN \(nothing) "
        + "ELSE \(PlanFunction.fold.rawValue)(\(add(.fold(fold))), \(kind(of: operand, row)), "
        + "\(try value(operand, of: row))) END"
    }
  }

  /// The type of an operand as a number that the fold's function knows, since SQLite has fewer types.
  private func kind(of operand: PlanOperand, _ row: Row) -> String {
    let type = operand.type(in: schema.layout, of: row.id)
    return "\(ValueType.allCases.firstIndex(of: type) ?? 0)"
  }
}

// MARK: Changes

extension PlanSQL {
  /// A query for the rows that a change is about: number, a bit for each setting that differs, the wanted columns.
  mutating func selectChanged(_ change: PlanChange) throws(BolideError) -> String {
    let row = try row(of: change.table)
    var bits: [String] = []
    if case .set(let settings) = change.action {
      for (place, setting) in settings.enumerated() {
        let name = try row.column(setting.column)
        // SQLite's << and | bind equally: each term needs its own parentheses.
        bits.append("((\(row.name).\(name) IS NOT \(add(.value(setting.value)))) << \(place))")
      }
    }
    var names = [row.number, bits.isEmpty ? "0" : bits.joined(separator: " | ")]
    for column in change.wanted { names.append("\(row.name).\(try row.column(column))") }
    return "SELECT \(names.joined(separator: ", "))" + (try source(change.tests, of: row))
      + " ORDER BY \(row.number)"
  }

  /// The statement that makes a change.
  mutating func write(_ change: PlanChange) throws(BolideError) -> String {
    let row = try row(of: change.table)
    let target = "\(row.table.name) AS \(row.name)"
    switch change.action {
    case .delete:
      let condition = try condition(change.tests, of: row)
      // Without a condition SQLite drops whole pages instead of rows.
      return "DELETE FROM " + (condition.map { "\(target) WHERE \($0)" } ?? row.table.name)
    case .set(let settings):
      var assignments: [String] = []
      var differences: [String] = []
      for (column, value) in settings {
        let name = try row.column(column)
        let parameter = add(.value(value))
        assignments.append("\(name) = \(parameter)")
        differences.append("\(row.name).\(name) IS NOT \(parameter)")
        if let order = row.table.orders[column] { assignments.append("\(order) = \(add(.order(value)))") }
      }
      let condition = try condition(change.tests, of: row).map { "\($0) AND " } ?? ""
      return "UPDATE \(target) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
        + "(\(differences.joined(separator: " OR ")))"
    }
  }
}
