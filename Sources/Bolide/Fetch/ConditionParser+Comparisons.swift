import BolideStorage

/// Comparisons, memberships and ranges.
extension ConditionParser {
  private static let comparisons: [String: Comparison] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private mutating func comparisonOperator() throws(BolideError) -> Comparison? {
    let comparison: Comparison? =
      switch token.kind {
      case .symbol(let symbol): Self.comparisons[symbol]
      case .word(let word): Comparison(rawValue: word.uppercased())
      default: nil
      }
    if comparison != nil { try advance() }
    return comparison
  }

  mutating func comparison(
    of left: Located, takesPaths: Bool = true
  ) throws(BolideError) -> Condition {
    if let comparison = try comparisonOperator() {
      let options = try textOptions()
      return try compare(left, comparison, try rightOperand(takesPaths), options)
    }
    let isNegated = try take(keyword: "NOT")
    let condition: Condition
    if try take(keyword: "IN") {
      condition = try membership(of: left)
    } else if try take(keyword: "BETWEEN") {
      condition = try range(of: left, takesPaths: takesPaths)
    } else if isNegated {
      throw unexpected("IN or BETWEEN")
    } else {
      throw unexpected("a comparison such as == or <")
    }
    return isNegated ? .not(condition) : condition
  }

  private mutating func rightOperand(_ takesPaths: Bool) throws(BolideError) -> Located {
    let column = token.column
    if takesPaths { return try operand() }
    let right = try unlocatedOperand()
    switch right {
    case .literal, .object, .stored: return Located(operand: right, column: column)
    case .path, .itself, .aggregate:
      throw BolideError(
        .predicateUnsupported,
        "column \(column): members are compared with constants here, not with \(right)",
        remedy: "compare two properties of one member in parentheses: ANY items (price > cost)",
        payload: TextPosition(column: column))
    }
  }

  private mutating func textOptions() throws(BolideError) -> TextOptions {
    guard isAt(symbol: "[") else { return [] }
    try advance()
    guard case .word(let letters) = token.kind, let options = TextOptions(letters: letters),
      !options.contains(.natural)
    else { throw unexpected("c, d or cd") }
    try advance()
    try expect(symbol: "]", "after the options")
    return options
  }

  private func compare(
    _ left: Located, _ comparison: Comparison, _ right: Located, _ options: TextOptions = []
  ) throws(BolideError) -> Condition {
    // `groups CONTAINS Group#1` asks for a member, since an object is in no text.
    if comparison == .contains, case .path(let path) = left.operand, right.operand.isObject {
      return try isMember(right, of: path, at: left.column)
    }
    if case .path = left.operand { try check(left) }
    return try checked(.compare(left.operand, comparison, right.operand, options), at: right.column)
  }

  private func isMember(
    _ object: Located, of path: [String], at column: Int
  ) throws(BolideError) -> Condition {
    try checked(.members(.any, path, .compare(.itself, .equal, object.operand)), at: column)
  }

  func checked(_ condition: Condition, at column: Int) throws(BolideError) -> Condition {
    guard let scope else { return condition }
    return try located(at: column) { () throws(BolideError) in try condition.checked(in: scope) }
  }

  private mutating func range(of operand: Located, takesPaths: Bool) throws(BolideError) -> Condition {
    let bounds: [Located]
    let column = token.column
    if let constant = try constant() {
      guard case .values(let values) = constant else {
        throw BolideError(
          .predicateArgument, "column \(column): objects have no order, so BETWEEN takes no list of them",
          payload: TextPosition(column: column))
      }
      guard values.count == 2 else {
        throw BolideError(
          .predicateArgument, "column \(column): BETWEEN takes two bounds, not \(values.count)",
          payload: TextPosition(column: column))
      }
      bounds = values.map { Located(operand: .literal($0), column: column) }
    } else {
      let isBraced = isAt(symbol: "{")
      if isBraced { try advance() }
      let lower = try rightOperand(takesPaths)
      if isBraced {
        try expect(symbol: ",", "between the bounds")
      } else if !(try take(keyword: "AND")) {
        throw unexpected("AND and the upper bound")
      }
      bounds = [lower, try rightOperand(takesPaths)]
      if isBraced { try expect(symbol: "}", "after the bounds") }
    }
    return .and([
      try compare(operand, .greaterOrEqual, bounds[0]), try compare(operand, .lessOrEqual, bounds[1]),
    ])
  }

  private mutating func membership(of left: Located) throws(BolideError) -> Condition {
    if left.operand.isObject {
      let column = token.column
      switch token.kind {
      case .word, .name:
        if case .path(let path) = try unlocatedOperand() { return try isMember(left, of: path, at: column) }
      default: break
      }
    }
    let options = try textOptions()
    let column = token.column
    let values: [Value]
    let objects: [Located]
    switch try constant() {
    case .values(let list): (values, objects) = (list, [])
    case .objects(let ids, let list):
      (values, objects) = (list, ids.map { Located(operand: .stored($0), column: column) })
    default: (values, objects) = try set()
    }
    // An object is compared by name, so that its entity counts.
    var parts: [Condition] = []
    for object in objects {
      parts.append(try checked(.compare(left.operand, .equal, object.operand, options), at: object.column))
    }
    if !values.isEmpty || objects.isEmpty {
      parts.append(try checked(.in(left.operand, values, options), at: left.column))
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  /// The elements of a list: values, and objects that are named with their entities.
  private mutating func set() throws(BolideError) -> (values: [Value], objects: [Located]) {
    try expect(symbol: "{", "and the values")
    var values: [Value] = []
    var objects: [Located] = []
    if isAt(symbol: "}") {
      try advance()
      return (values, objects)
    }
    repeat {
      let element = try operand()
      switch element.operand {
      case .literal(let value): values.append(value)
      case .object, .stored: objects.append(element)
      default:
        throw ConditionLexer.error("expected a value, found \(element.operand)", at: element.column)
      }
      if isAt(symbol: "}") {
        try advance()
        return (values, objects)
      }
      try expect(symbol: ",", "or `}`")
    } while true
  }

  /// A list that a variable or argument stands for; `nil`, and nothing read, where none is next.
  mutating func constant() throws(BolideError) -> ConditionConstant? {
    switch try constants.peek(token) {
    case .values, .objects: return try takeConstant()
    default: return nil
    }
  }

  mutating func takeConstant() throws(BolideError) -> ConditionConstant {
    guard let constant = try constants.peek(token) else { throw unexpected("a value") }
    constants.pass(token)
    try advance()
    return constant
  }
}
