import BolideStorage

extension Condition {
  /// Reads the text form of a condition.
  ///
  /// Keywords are case-insensitive. `%@` stands for the next argument, `%K` for the next argument as a path,
  /// `$name` for a variable. Literals that need an attribute's type to be exact (decimals, floats, URIs) get
  /// it when the condition is used.
  /// - Throws: `predicate.syntax`, `predicate.argument` or `predicate.unsupported` with a column,
  ///   `predicate.depth`.
  public init(
    parsing text: String, arguments: [any ConditionArgument] = [],
    variables: [String: any ConditionArgument] = [:]
  ) throws(BolideError) {
    var parser = try ConditionParser(text, scope: nil, arguments: arguments, variables: variables)
    self = try parser.condition()
  }

  /// Reads the text form of a condition and checks it in a scope at once, so that every error has a column.
  ///
  /// - Throws: as ``init(parsing:arguments:variables:)``, and `predicate.unknown-path`, `predicate.type`,
  ///   `predicate.to-many`.
  package init(
    parsing text: String, in scope: any ConditionScope, arguments: [any ConditionArgument] = [],
    variables: [String: any ConditionArgument] = [:]
  ) throws(BolideError) {
    var parser = try ConditionParser(text, scope: scope, arguments: arguments, variables: variables)
    self = try parser.condition()
  }
}

/// Reads predicate text by recursive descent, no deeper than conditions may be nested.
///
/// ```
/// or         = and { ("OR" | "||") and }
/// and        = not { ("AND" | "&&") not }
/// not        = { "NOT" | "!" } primary
/// primary    = "(" or ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | quantified | comparison
/// quantified = ("ANY" | "SOME" | "ALL" | "NONE") path ( "(" or ")" | rest )
/// comparison = operand rest
/// rest       = operator [options] operand | ["NOT"] "IN" [options] set | ["NOT"] "BETWEEN" range
/// operator   = "==" | "!=" | "<" | "<=" | ">" | ">=" | "CONTAINS" | "BEGINSWITH" | "ENDSWITH" | "LIKE"
/// options    = "[c]" | "[d]" | "[cd]"
/// range      = "{" operand "," operand "}" | operand "AND" operand | constant
/// set        = "{" [ literal { "," literal } ] "}" | constant | path        path: `Group#1 IN groups`
/// operand    = path | [path "."] aggregate ["." path] | literal | Entity#number | "SELF" | constant
/// path       = name { "." name }          name: a word, `#` and any word, or `%K`
/// aggregate  = "@count" | "@sum" | "@min" | "@max" | "@avg"
/// constant   = "$" word | "%@"
/// ```
struct ConditionParser {
  private var lexer: ConditionLexer
  private(set) var token: ConditionToken
  /// What names mean at this place; inside a quantifier it is what they mean of a member.
  private(set) var scope: (any ConditionScope)?
  var constants: ConditionConstants
  private var depth = 0

  /// An operand and where it begins.
  struct Located {
    let operand: Operand
    let column: Int
  }

  init(
    _ text: String, scope: (any ConditionScope)?, arguments: [any ConditionArgument],
    variables: [String: any ConditionArgument]
  ) throws(BolideError) {
    lexer = ConditionLexer(text)
    token = try lexer.next()
    self.scope = scope
    constants = ConditionConstants(arguments: arguments, variables: variables)
  }

  /// Reads the whole text.
  mutating func condition() throws(BolideError) -> Condition {
    if token.kind == .end { throw ConditionLexer.error("the predicate is empty", at: token.column) }
    let condition = try disjunction()
    if token.kind != .end { throw unexpected("AND, OR or the end") }
    try constants.finish(at: token.column)
    return condition
  }

  // MARK: Tokens

  @discardableResult
  mutating func advance() throws(BolideError) -> ConditionToken {
    let passed = token
    token = try lexer.next()
    return passed
  }

  func isAt(keyword: String) -> Bool {
    if case .word(let word) = token.kind { word.uppercased() == keyword } else { false }
  }

  func isAt(symbol: String) -> Bool { token.kind == .symbol(symbol) }

  mutating func take(keyword: String, symbol: String? = nil) throws(BolideError) -> Bool {
    guard isAt(keyword: keyword) || symbol.map(isAt(symbol:)) == true else { return false }
    try advance()
    return true
  }

  mutating func expect(symbol: String, _ purpose: String) throws(BolideError) {
    guard isAt(symbol: symbol) else { throw unexpected("`\(symbol)` \(purpose)") }
    try advance()
  }

  /// The error for a token that cannot stand here; forms known from elsewhere are named as such.
  func unexpected(_ expected: String) -> BolideError {
    let found = token.kind == .end ? "the end" : "`\(ConditionLexer.shown(token.text))`"
    switch token.kind {
    case .foreign(let form): return unsupported("\(form), `\(ConditionLexer.shown(token.text))`,")
    case .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .symbol("**"):
      return unsupported("arithmetic with `\(token.text)`")
    case .symbol("["): return unsupported("an index in `[…]`")
    case .word(let word):
      if let form = Self.unsupportedWords[word.uppercased()] { return unsupported("\(form) \(word)") }
    default: break
    }
    return ConditionLexer.error("expected \(expected), found \(found)", at: token.column)
  }

  private static let unsupportedWords = [
    "MATCHES": "the operator", "SUBQUERY": "the expression", "CAST": "the expression",
    "TERNARY": "the expression", "FUNCTION": "the expression",
  ]

  func unsupported(_ form: String) -> BolideError {
    BolideError(
      .predicateUnsupported, "column \(token.column): \(form) is not supported",
      payload: TextPosition(column: token.column))
  }

  /// Runs a check and gives its error the column it is about.
  func located<Result>(
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
    if let quantifier = try quantifier() { return try members(quantifier) }
    return try comparison(of: operand())
  }

  // MARK: Members

  private mutating func quantifier() throws(BolideError) -> Quantifier? {
    guard case .word(let word) = token.kind else { return nil }
    let keyword = word.uppercased()
    guard let quantifier = keyword == "SOME" ? .any : Quantifier(rawValue: keyword) else { return nil }
    try advance()
    return quantifier
  }

  private mutating func members(_ quantifier: Quantifier) throws(BolideError) -> Condition {
    let column = token.column
    let path = try memberPath()
    let outside = scope
    if let scope {
      self.scope = try located(at: column) { () throws(BolideError) in try scope.members(of: path) }
    }
    try enter()
    let condition: Condition
    if isAt(symbol: "(") {
      try advance()
      condition = try disjunction()
      try expect(symbol: ")", "to close the parenthesis")
    } else {
      // A path on the right would be one of the member's, where readers expect one of the object's.
      condition = try comparison(of: Located(operand: .itself, column: column), takesPaths: false)
    }
    depth -= 1
    scope = outside
    return .members(quantifier, path, condition)
  }
}
