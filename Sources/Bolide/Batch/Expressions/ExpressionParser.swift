import BolideStorage

/// Reads the text of a ``RowExpression`` by recursive descent.
///
/// ```
/// sum      = product { ("+" | "-") product }
/// product  = factor { ("*" | "/") factor }
/// factor   = { "-" } primary
/// primary  = "(" sum ")" | function [":"] "(" [ sum { "," sum } ] ")" | path | literal
/// path     = [ name { "." name } "." ] aggregate [ "." name ] | name { "." name }
/// ```
struct ExpressionParser {
  private var lexer: ConditionLexer
  private var token: ConditionToken
  private var depth = 0

  init(_ text: String) throws(BolideError) {
    lexer = ConditionLexer(text)
    token = try lexer.next()
  }

  /// Reads the whole text.
  mutating func whole() throws(BolideError) -> RowExpression {
    if token.kind == .end { throw ConditionLexer.error("the expression is empty", at: token.column) }
    let expression = try sum()
    if token.kind != .end { throw unexpected("an operator or the end") }
    return expression
  }

  // MARK: Tokens

  private mutating func advance() throws(BolideError) { token = try lexer.next() }

  private func isAt(_ symbol: String) -> Bool { token.kind == .symbol(symbol) }

  private mutating func expect(_ symbol: String, _ purpose: String) throws(BolideError) {
    guard isAt(symbol) else { throw unexpected("`\(symbol)` \(purpose)") }
    try advance()
  }

  private func unexpected(_ expected: String) -> BolideError {
    let found = token.kind == .end ? "the end" : "`\(token.text.prefix(60))`"
    return ConditionLexer.error("expected \(expected), found \(found)", at: token.column)
  }

  private mutating func enter() throws(BolideError) {
    depth += 1
    if depth > RowExpression.maximumDepth {
      throw ConditionLexer.error(
        "the expression is nested more than \(RowExpression.maximumDepth) deep", at: token.column)
    }
  }

  // MARK: Arithmetic

  private mutating func sum() throws(BolideError) -> RowExpression {
    let outside = depth
    try enter()
    var result = try product()
    while let symbol = try takeOperator(isProduct: false) {
      // Chains are nested to the left: each link is a level.
      try enter()
      result = .arithmetic(result, symbol, try product())
    }
    depth = outside
    return result
  }

  private mutating func product() throws(BolideError) -> RowExpression {
    let outside = depth
    var result = try factor()
    while let symbol = try takeOperator(isProduct: true) {
      try enter()
      result = .arithmetic(result, symbol, try factor())
    }
    depth = outside
    return result
  }

  private mutating func takeOperator(isProduct: Bool) throws(BolideError) -> ArithmeticOperator? {
    guard case .symbol(let symbol) = token.kind, let found = ArithmeticOperator(rawValue: symbol),
      found.isProduct == isProduct
    else { return nil }
    try advance()
    return found
  }

  private mutating func factor() throws(BolideError) -> RowExpression {
    guard isAt("-") else { return try primary() }
    try advance()
    if case .number(let text) = token.kind {
      let column = token.column
      try advance()
      return .operand(.literal(try ConditionParser.number("-" + text, at: column)))
    }
    if case .word(let word) = token.kind, word.uppercased() == "INF" {
      try advance()
      return .operand(.literal(.double(-.infinity)))
    }
    let outside = depth
    try enter()
    let part = try factor()
    depth = outside
    return .negated(part)
  }

  // MARK: Values

  private mutating func primary() throws(BolideError) -> RowExpression {
    switch token.kind {
    case .symbol("("):
      try advance()
      let inner = try sum()
      try expect(")", "to close the parenthesis")
      return inner
    case .value(let value):
      try advance()
      return .operand(.literal(value))
    case .number(let text):
      let column = token.column
      try advance()
      return .operand(.literal(try ConditionParser.number(text, at: column)))
    case .word(let word): return try named(word)
    case .name(let name):
      try advance()
      return .operand(try path(from: [name]))
    default: throw unexpected("an attribute, a value or a function")
    }
  }

  private mutating func named(_ word: String) throws(BolideError) -> RowExpression {
    let constant: Value? =
      switch word.uppercased() {
      case "TRUE", "YES": .bool(true)
      case "FALSE", "NO": .bool(false)
      case "NIL", "NULL": .null
      case "INF": .double(.infinity)
      default: nil
      }
    let column = token.column
    if let constant {
      try advance()
      return .operand(.literal(constant))
    }
    if ConditionLexer.isReserved(word) { throw unexpected("an attribute, a value or a function") }
    try advance()
    if isAt("(") || isAt(":") { return try call(word, at: column) }
    return .operand(try path(from: [word]))
  }

  private mutating func call(_ name: String, at column: Int) throws(BolideError) -> RowExpression {
    guard let function = ExpressionFunction(named: name) else {
      let names = ExpressionFunction.allCases.map(\.rawValue)
      throw ConditionLexer.error(
        "there is no function \(name)" + SchemaName.hint(for: name, among: names), at: column)
    }
    if isAt(":") { try advance() }
    try expect("(", "after the function \(name)")
    var arguments: [RowExpression] = []
    if !isAt(")") {
      arguments.append(try sum())
      while isAt(",") {
        try advance()
        arguments.append(try sum())
      }
    }
    try expect(")", "or `,` after an argument")
    guard function.argumentCount.contains(arguments.count) else {
      throw ConditionLexer.error(
        "\(name) \(function.argumentWords), and \(arguments.count) are given", at: column)
    }
    return .call(function, arguments)
  }

  private mutating func path(from start: [String]) throws(BolideError) -> Operand {
    var path = start
    var aggregate: Aggregate?
    while isAt(".") {
      try advance()
      switch token.kind {
      case .word(let next), .name(let next): path.append(next)
      case .aggregate(let function) where aggregate == nil: aggregate = function
      default: throw unexpected("an attribute after `.`")
      }
      try advance()
    }
    return aggregate.map { .aggregate($0, path) } ?? .path(path)
  }
}

extension ExpressionFunction {
  /// How many arguments the function takes, in words.
  var argumentWords: String {
    switch argumentCount {
    case 0...0: "takes no arguments"
    case 1...1: "takes one argument"
    case 3...3: "takes three arguments"
    default: "takes at least one argument"
    }
  }
}
