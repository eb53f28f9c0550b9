import BolideStorage
import Foundation

extension Condition {
  /// Reads the text form of a condition.
  ///
  /// Keywords are case-insensitive. Literals that need an attribute's type to be exact (decimals, floats,
  /// URIs) get it when the condition is used.
  /// - Throws: `predicate.syntax` or `predicate.unsupported` with a column, `predicate.depth`.
  public init(parsing text: String) throws(BolideError) {
    var parser = try ConditionParser(text, scope: nil)
    self = try parser.condition()
  }

  /// Reads the text form of a condition and checks it in a scope at once, so that every error has a column.
  ///
  /// - Throws: as ``init(parsing:)``, and `predicate.unknown-path`, `predicate.type`.
  package init(parsing text: String, in scope: any ConditionScope) throws(BolideError) {
    var parser = try ConditionParser(text, scope: scope)
    self = try parser.condition()
  }
}

/// Reads predicate text by recursive descent, no deeper than conditions may be nested.
///
/// ```
/// or         = and { ("OR" | "||") and }
/// and        = not { ("AND" | "&&") not }
/// not        = { "NOT" | "!" } primary
/// primary    = "(" or ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison
/// comparison = operand ( operator operand | ["NOT"] "IN" set | ["NOT"] "BETWEEN" range )
/// range      = "{" operand "," operand "}" | operand "AND" operand
/// set        = "{" [ literal { "," literal } ] "}"
/// operand    = path | literal | Entity#number | "SELF"
/// path       = name { "." name }          name: a word, or `#` and any word
/// ```
struct ConditionParser {
  private var lexer: ConditionLexer
  private var token: ConditionToken
  private let scope: (any ConditionScope)?
  private var depth = 0

  init(_ text: String, scope: (any ConditionScope)?) throws(BolideError) {
    lexer = ConditionLexer(text)
    token = try lexer.next()
    self.scope = scope
  }

  /// Reads the whole text.
  mutating func condition() throws(BolideError) -> Condition {
    if token.kind == .end { throw ConditionLexer.error("the predicate is empty", at: token.column) }
    let condition = try disjunction()
    if token.kind != .end { throw unexpected("AND, OR or the end") }
    return condition
  }

  // MARK: Tokens

  @discardableResult
  private mutating func advance() throws(BolideError) -> ConditionToken {
    let passed = token
    token = try lexer.next()
    return passed
  }

  private func isAt(keyword: String) -> Bool {
    if case .word(let word) = token.kind { word.uppercased() == keyword } else { false }
  }

  private func isAt(symbol: String) -> Bool { token.kind == .symbol(symbol) }

  private mutating func take(keyword: String, symbol: String? = nil) throws(BolideError) -> Bool {
    guard isAt(keyword: keyword) || symbol.map(isAt(symbol:)) == true else { return false }
    try advance()
    return true
  }

  private mutating func expect(symbol: String, _ purpose: String) throws(BolideError) {
    guard isAt(symbol: symbol) else { throw unexpected("`\(symbol)` \(purpose)") }
    try advance()
  }

  /// The error for a token that cannot stand here; forms known from elsewhere are named as such.
  private func unexpected(_ expected: String) -> BolideError {
    let found = token.kind == .end ? "the end" : "`\(token.text)`"
    switch token.kind {
    case .foreign(let form): return unsupported("\(form), `\(token.text)`,")
    case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .symbol("**"):
      return unsupported("arithmetic with `\(token.text)`")
    case .symbol("["): return unsupported("an option or index in `[…]`")
    case .word(let word):
      if let form = Self.unsupportedWords[word.uppercased()] { return unsupported("\(form) \(word)") }
    default: break
    }
    return ConditionLexer.error("expected \(expected), found \(found)", at: token.column)
  }

  private static let unsupportedWords = [
    "ANY": "the quantifier", "ALL": "the quantifier", "SOME": "the quantifier", "NONE": "the quantifier",
    "CONTAINS": "the operator", "BEGINSWITH": "the operator", "ENDSWITH": "the operator",
    "LIKE": "the operator", "MATCHES": "the operator", "SUBQUERY": "the expression",
    "CAST": "the expression", "TERNARY": "the expression", "FUNCTION": "the expression",
  ]

  private func unsupported(_ form: String) -> BolideError {
    BolideError(
      .predicateUnsupported, "column \(token.column): \(form) is not supported",
      payload: TextPosition(column: token.column))
  }

  /// Runs a check and gives its error the column it is about.
  private func located<Result>(
    at column: Int, _ check: () throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    do {
      return try check()
    } catch {
      var error = error
      error.message = "column \(column): \(error.message)"
      error.payload = TextPosition(column: column)
      throw error
    }
  }

  private mutating func enter() throws(BolideError) {
    depth += 1
    if depth > Condition.maximumDepth {
      try located(at: token.column) { () throws(BolideError) in throw Condition.tooDeep() }
    }
  }

  // MARK: Logic

  private mutating func disjunction() throws(BolideError) -> Condition {
    var parts = [try conjunction()]
    while try take(keyword: "OR", symbol: "||") { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(BolideError) -> Condition {
    var parts = [try negation()]
    while try take(keyword: "AND", symbol: "&&") { parts.append(try negation()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation() throws(BolideError) -> Condition {
    let outside = depth
    var negations = 0
    while try take(keyword: "NOT", symbol: "!") {
      negations += 1
      try enter()
    }
    var condition = try primary()
    for _ in 0..<negations { condition = .not(condition) }
    depth = outside
    return condition
  }

  private mutating func primary() throws(BolideError) -> Condition {
    if isAt(symbol: "(") {
      try enter()
      try advance()
      let condition = try disjunction()
      try expect(symbol: ")", "to close the parenthesis")
      depth -= 1
      return condition
    }
    if try take(keyword: "TRUEPREDICATE") { return .true }
    if try take(keyword: "FALSEPREDICATE") { return .false }
    return try comparison()
  }

  // MARK: Comparisons

  private static let comparisons: [String: Comparison] = [
    "==": .equal, "=": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual,
  ]

  private mutating func comparison() throws(BolideError) -> Condition {
    let left = try operand()
    if case .symbol(let symbol) = token.kind, let comparison = Self.comparisons[symbol] {
      try advance()
      return try compare(left, comparison, try operand())
    }
    let isNegated = try take(keyword: "NOT")
    let condition: Condition
    if try take(keyword: "IN") {
      condition = try checked(.in(left.operand, try set()), at: left.column)
    } else if try take(keyword: "BETWEEN") {
      condition = try range(of: left)
    } else if isNegated {
      throw unexpected("IN or BETWEEN")
    } else {
      throw unexpected("a comparison such as == or <")
    }
    return isNegated ? .not(condition) : condition
  }

  private func compare(
    _ left: Located, _ comparison: Comparison, _ right: Located
  ) throws(BolideError) -> Condition {
    try checked(.compare(left.operand, comparison, right.operand), at: right.column)
  }

  private func checked(_ condition: Condition, at column: Int) throws(BolideError) -> Condition {
    guard let scope else { return condition }
    return try located(at: column) { () throws(BolideError) in try condition.checked(in: scope) }
  }

  private mutating func range(of operand: Located) throws(BolideError) -> Condition {
    let isBraced = isAt(symbol: "{")
    if isBraced { try advance() }
    let lower = try self.operand()
    if isBraced {
      try expect(symbol: ",", "between the bounds")
    } else if !(try take(keyword: "AND")) {
      throw unexpected("AND and the upper bound")
    }
    let upper = try self.operand()
    if isBraced { try expect(symbol: "}", "after the bounds") }
    return .and([
      try compare(operand, .greaterOrEqual, lower), try compare(operand, .lessOrEqual, upper),
    ])
  }

  private mutating func set() throws(BolideError) -> [Value] {
    try expect(symbol: "{", "and the values")
    var values: [Value] = []
    if isAt(symbol: "}") {
      try advance()
      return values
    }
    repeat {
      let element = try operand()
      guard case .literal(let value) = element.operand else {
        throw ConditionLexer.error(
          "expected a value, found \(element.operand)", at: element.column)
      }
      values.append(value)
      if isAt(symbol: "}") {
        try advance()
        return values
      }
      try expect(symbol: ",", "or `}`")
    } while true
  }

  // MARK: Operands

  /// An operand and where it begins.
  private struct Located {
    let operand: Operand
    let column: Int
  }

  private mutating func operand() throws(BolideError) -> Located {
    let column = token.column
    let operand = try unlocatedOperand()
    if let scope, case .path = operand {
      _ = try located(at: column) { () throws(BolideError) in try operand.type(in: scope) }
    }
    return Located(operand: operand, column: column)
  }

  private mutating func unlocatedOperand() throws(BolideError) -> Operand {
    switch token.kind {
    case .value(let value):
      try advance()
      return .literal(value)
    case .number(let text):
      let column = token.column
      try advance()
      return .literal(try number(text, at: column))
    case .object(let entity, let number):
      try advance()
      return .object(entity: entity, number: number)
    case .symbol("-"):
      let column = token.column
      try advance()
      if case .number(let text) = token.kind {
        try advance()
        return .literal(try number("-" + text, at: column))
      }
      if try take(keyword: "INF") { return .literal(.double(-.infinity)) }
      throw unexpected("a number after `-`")
    case .name(let name): return try path(from: name)
    case .word(let word): return try operand(word)
    case .symbol, .foreign, .end: throw unexpected("a property or a value")
    }
  }

  private mutating func operand(_ word: String) throws(BolideError) -> Operand {
    let keyword: Operand? =
      switch word.uppercased() {
      case "TRUE", "YES": .literal(.bool(true))
      case "FALSE", "NO": .literal(.bool(false))
      case "NIL", "NULL": .literal(.null)
      case "INF": .literal(.double(.infinity))
      case "SELF": .itself
      default: nil
      }
    if let keyword {
      try advance()
      if keyword == .itself, isAt(symbol: ".") { throw unexpected("a comparison: SELF has no path") }
      return keyword
    }
    if ConditionLexer.isReserved(word) { throw unexpected("a property or a value") }
    return try path(from: word)
  }

  private mutating func path(from name: String) throws(BolideError) -> Operand {
    try advance()
    var path = [name]
    while isAt(symbol: ".") {
      try advance()
      switch token.kind {
      case .word(let next), .name(let next): path.append(next)
      default: throw unexpected("a property after `.`")
      }
      try advance()
    }
    if isAt(symbol: "(") { throw unsupported("the function \(path.joined(separator: "."))(…)") }
    if isAt(symbol: ":") { throw unsupported("the function \(path.joined(separator: ".")):") }
    return .path(path)
  }

  /// The value of a number: an integer, else a double if that is exact as printed, else a decimal.
  private func number(_ text: String, at column: Int) throws(BolideError) -> Value {
    if let integer = Int64(text) { return .int(integer) }
    guard let double = Double(text), double.isFinite else {
      throw ConditionLexer.error("\(text) is out of range", at: column)
    }
    if let written = Decimal(printed: text), Decimal(printed: double.description) != written {
      return .decimal(written)
    }
    return .double(double == 0 ? 0 : double)
  }
}
