import BolideStorage
import Foundation

/// The sides of comparisons.
extension ConditionParser {
  mutating func operand() throws(BolideError) -> Located {
    let operand = try locatedOperand()
    // A path with an operator that may be about members is looked up when it is known.
    if case .path = operand.operand, isAt(keyword: "CONTAINS") { return operand }
    try check(operand)
    return operand
  }

  private mutating func locatedOperand() throws(BolideError) -> Located {
    let column = token.column
    return Located(operand: try unlocatedOperand(), column: column)
  }

  /// Looks a path up.
  func check(_ operand: Located) throws(BolideError) {
    guard let scope else { return }
    _ = try located(at: operand.column) { () throws(BolideError) in try operand.operand.type(in: scope) }
  }

  mutating func unlocatedOperand() throws(BolideError) -> Operand {
    switch token.kind {
    case .value(let value):
      try advance()
      return .literal(value)
    case .number(let text):
      let column = token.column
      try advance()
      return .literal(try Self.number(text, at: column))
    case .object(let entity, let number):
      try advance()
      return .object(entity: entity, number: number)
    case .symbol("-"):
      let column = token.column
      try advance()
      if case .number(let text) = token.kind {
        try advance()
        return .literal(try Self.number("-" + text, at: column))
      }
      if try take(keyword: "INF") { return .literal(.double(-.infinity)) }
      throw unexpected("a number after `-`")
    case .name(let name):
      try advance()
      return try path(from: [name])
    case .word(let word): return try operand(word)
    case .aggregate: return try path(from: [])
    case .argument(isPath: true):
      guard case .path(let path) = try takeConstant() else { throw unexpected("a path") }
      return try self.path(from: path)
    case .variable, .argument:
      let column = token.column
      switch try takeConstant() {
      case .value(let value): return .literal(value)
      case .object(let entity, let number): return .object(entity: entity, number: number)
      case .stored(let id): return .stored(id)
      case .path(let path): return .path(path)
      case .values, .objects:
        throw BolideError(
          .predicateArgument, "column \(column): a list stands where one value is needed",
          remedy: "write IN before it", payload: TextPosition(column: column))
      }
    case .symbol, .foreign, .end: throw unexpected("a property or a value")
    }
  }

  mutating func operand(_ word: String) throws(BolideError) -> Operand {
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
    try advance()
    return try path(from: [word])
  }

  private mutating func path(from start: [String]) throws(BolideError) -> Operand {
    let (path, aggregate) = try names(after: start)
    if isAt(symbol: "("), aggregate == nil {
      throw unsupported("the function \(ConditionLexer.shown(path.joined(separator: ".")))(…)")
    }
    if isAt(symbol: ":") {
      throw unsupported("the function \(ConditionLexer.shown(path.joined(separator: "."))):")
    }
    return aggregate.map { .aggregate($0, path) } ?? .path(path)
  }

  /// A path over to-many relationships, which a parenthesis may follow.
  mutating func memberPath() throws(BolideError) -> [String] {
    let column = token.column
    let start: [String]
    switch token.kind {
    case .word(let word) where !ConditionLexer.isReserved(word): start = [word]
    case .name(let name): start = [name]
    case .argument(isPath: true): start = []
    default: throw unexpected("a path over a to-many relationship")
    }
    if !start.isEmpty {
      try advance()
    } else if case .path(let path) = try takeConstant() {
      return try names(after: path).path
    }
    let (path, aggregate) = try names(after: start)
    if let aggregate {
      throw ConditionLexer.error(
        "expected a path over a to-many relationship, found \(aggregate.rawValue)", at: column)
    }
    return path
  }

  /// Goes on after the first names of a path; an aggregate may stand after any of them.
  private mutating func names(
    after start: [String]
  ) throws(BolideError) -> (path: [String], aggregate: Aggregate?) {
    var path = start
    var aggregate: Aggregate?
    if path.isEmpty, case .aggregate(let function) = token.kind {
      aggregate = function
      try advance()
    }
    while isAt(symbol: ".") {
      try advance()
      switch token.kind {
      case .word(let next), .name(let next): path.append(next)
      case .aggregate(let function) where aggregate == nil: aggregate = function
      case .argument(isPath: true):
        guard case .path(let next) = try takeConstant() else { throw unexpected("a path") }
        path += next
        continue
      default: throw unexpected("a property after `.`")
      }
      try advance()
    }
    return (path, aggregate)
  }

  /// The value of a number: an integer, else a double if that is exact as printed, else a decimal.
  static func number(_ text: String, at column: Int) throws(BolideError) -> Value {
    if let integer = Int64(text) { return .int(integer) }
    guard let double = Double(text), double.isFinite else {
      throw ConditionLexer.error("\(ConditionLexer.shown(text)) is out of range", at: column)
    }
    if let written = Decimal(printed: text), Decimal(printed: double.description) != written {
      guard DecimalText.exactValue(of: text) == written else {
        throw ConditionLexer.error(
          "\(ConditionLexer.shown(text)) has more digits than a decimal holds", at: column)
      }
      return .decimal(written)
    }
    return .double(double == 0 ? 0 : double)
  }
}
