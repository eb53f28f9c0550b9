import BolideStorage
import Foundation

/// A place in a text, for messages and editors.
public struct TextPosition: Hashable, Sendable {
  /// The column, counted in Unicode scalars from 1.
  public var column: Int
}

/// A piece of predicate text.
struct ConditionToken {
  enum Kind: Equatable {
    /// A bare word, which may be a keyword.
    case word(String)
    /// A word after `#`, which is a name whatever it says.
    case name(String)
    /// Digits with or without a point and an exponent, unsigned.
    case number(String)
    /// Any other literal.
    case value(Value)
    /// `Entity#3`.
    case object(String, Number)
    /// `@count` and its like.
    case aggregate(Aggregate)
    /// `$name`, which stands for a constant.
    case variable(String)
    /// `%@` and its like, which stand for the next argument; `%K` for a path.
    case argument(isPath: Bool)
    /// An operator or bracket.
    case symbol(String)
    /// Something known from other predicate languages, to be named in an error.
    case foreign(String)
    case end
  }

  let kind: Kind
  let column: Int
  /// The token as written.
  let text: String
}

/// Cuts predicate text into tokens.
struct ConditionLexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// Words that are no property names unless `#` stands before them.
  static func isReserved(_ word: String) -> Bool { reserved.contains(word.uppercased()) }

  private static let reserved: Set<String> = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "TRUEPREDICATE", "FALSEPREDICATE", "TRUE", "FALSE", "YES", "NO",
    "NIL", "NULL", "SELF", "INF", "ANY", "ALL", "SOME", "NONE", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
    "MATCHES", "SUBQUERY", "CAST", "TERNARY", "FUNCTION",
  ]

  private static let symbols = [
    "<=", ">=", "=<", "=>", "==", "!=", "<>", "&&", "||", "**", "(", ")", "{", "}", "[", "]", ",", ".", "=",
    "<", ">", "!", "+", "-", "*", "/", ":",
  ]

  /// The next token; `.end` again and again after the last one.
  mutating func next() throws(BolideError) -> ConditionToken {
    while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
    let start = position
    let kind = try kind()
    return ConditionToken(kind: kind, column: start + 1, text: string(start, position))
  }

  private mutating func kind() throws(BolideError) -> ConditionToken.Kind {
    guard let first = peek() else { return .end }
    if let value = uuid() ?? infiniteDate() { return .value(value) }
    if let date = try date() { return .value(date) }
    if Self.isDigit(first) { return try numberOrBytes() }
    if Self.isWordStart(first) { return try word() }
    switch first {
    case "\"", "'": return .value(.string(try quoted(first)))
    case "#": return try escapedName()
    case "$":
      position += 1
      let name = take(while: Self.isWordPart)
      if name.isEmpty { throw Self.error("expected a variable's name after `$`", at: position) }
      return .variable(name)
    case "%": return argument()
    case "@":
      let start = position
      take(while: { $0 == "@" || Self.isWordPart($0) })
      return Aggregate(rawValue: string(start, position)).map { .aggregate($0) }
        ?? .foreign("the collection operator")
    default: break
    }
    for symbol in Self.symbols where scalars[position...].starts(with: symbol.unicodeScalars) {
      position += symbol.unicodeScalars.count
      return .symbol(symbol)
    }
    throw Self.error("unexpected character \(CanonicalText.quoted(String(first)))", at: position + 1)
  }

  /// A piece of text as messages show it: the beginning of a long one.
  static func shown(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(61)
    return start.count > 60 ? String(String.UnicodeScalarView(start.dropLast())) + "…" : text
  }

  /// A syntax error at a column.
  static func error(_ message: String, at column: Int) -> BolideError {
    BolideError(
      .predicateSyntax, "column \(column): \(message)", payload: TextPosition(column: column))
  }

  // MARK: Scanning

  private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
    position + offset < scalars.count ? scalars[position + offset] : nil
  }

  private func string(_ start: Int, _ end: Int) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[start..<end])
    return String(view)
  }

  @discardableResult
  private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
    let start = position
    while let scalar = peek(), condition(scalar) { position += 1 }
    return string(start, position)
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isHex(_ scalar: Unicode.Scalar) -> Bool {
    isDigit(scalar) || ("a"..."f").contains(scalar) || ("A"..."F").contains(scalar)
  }

  private static func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    isWordStart(scalar) || isDigit(scalar) || scalar.properties.numericType != nil
      || scalar.properties.isGraphemeExtend
  }

  // MARK: Literals

  private mutating func quoted(_ quote: Unicode.Scalar) throws(BolideError) -> String {
    let start = position
    position += 1
    while let scalar = peek(), scalar != quote {
      position += scalar == "\\" ? 2 : 1
    }
    guard position < scalars.count else {
      position = scalars.count
      throw Self.error("the string that begins here does not end", at: start + 1)
    }
    position += 1
    var body = String.UnicodeScalarView()
    body.append(contentsOf: scalars[(start + 1)..<(position - 1)])
    guard let text = CanonicalText.unescaped(body[...], quote: quote) else {
      throw Self.error(
        "the string has a control character or an escape other than \\\" \\' \\\\ \\/ \\n \\r \\t \\b \\f "
          + "and \\u with four hex digits",
        at: start + 1)
    }
    return text
  }

  private mutating func uuid() -> Value? {
    let groups = [8, 4, 4, 4, 12]
    let length = 36
    guard position + length <= scalars.count else { return nil }
    var place = position
    for (index, group) in groups.enumerated() {
      guard scalars[place..<(place + group)].allSatisfy(Self.isHex) else { return nil }
      place += group
      if index < 4 {
        guard scalars[place] == "-" else { return nil }
        place += 1
      }
    }
    if place < scalars.count, Self.isWordPart(scalars[place]) { return nil }
    guard let uuid = UUID(uuidString: string(position, place)) else { return nil }
    position = place
    return .uuid(uuid)
  }

  /// A date begins with a year of four digits or more and goes on with `-MM-DD`.
  private mutating func date() throws(BolideError) -> Value? {
    var place = position
    let isSigned = peek() == "-" || peek() == "+"
    if isSigned { place += 1 }
    let yearStart = place
    while place < scalars.count, Self.isDigit(scalars[place]) { place += 1 }
    guard place - yearStart >= 4, place + 6 <= scalars.count, scalars[place] == "-",
      Self.isDigit(scalars[place + 1]), Self.isDigit(scalars[place + 2]), scalars[place + 3] == "-",
      Self.isDigit(scalars[place + 4])
    else { return nil }
    let start = position
    position = place
    let isDatePart: (Unicode.Scalar) -> Bool = {
      Self.isDigit($0) || "-+:.TZ".unicodeScalars.contains($0)
    }
    take(while: isDatePart)
    let text = string(start, position)
    guard let date = CanonicalText.date(text) else {
      throw Self.error(
        "\(Self.shown(text)) is no date; write 2020-10-23 or 2020-10-23T22:19:00Z", at: start + 1)
    }
    return .date(date)
  }

  /// `@` and seconds, as dates out of the calendar print.
  private mutating func infiniteDate() -> Value? {
    guard peek() == "@", let next = peek(1), Self.isDigit(next) || next == "-" || next == "i" else {
      return nil
    }
    let start = position
    position += 1
    take(while: { Self.isDigit($0) || "+-.einf".unicodeScalars.contains($0) })
    if let date = CanonicalText.date(string(start, position)), peek().map(Self.isWordPart) != true {
      return .date(date)
    }
    position = start
    return nil
  }

  private mutating func numberOrBytes() throws(BolideError) -> ConditionToken.Kind {
    let start = position
    if peek() == "0", peek(1) == "x" || peek(1) == "X" {
      let text = take(while: Self.isWordPart)
      guard let bytes = CanonicalText.bytes(text) else {
        throw Self.error(
          "\(Self.shown(text)) is no binary; write 0x and two hexadecimal digits a byte", at: start + 1)
      }
      return .value(.binary(bytes))
    }
    take(while: Self.isDigit)
    if peek() == ".", let next = peek(1), Self.isDigit(next) {
      position += 1
      take(while: Self.isDigit)
    }
    if peek() == "e" || peek() == "E" {
      let signed = peek(1) == "+" || peek(1) == "-"
      if let digit = peek(signed ? 2 : 1), Self.isDigit(digit) {
        position += signed ? 2 : 1
        take(while: Self.isDigit)
      }
    }
    if let next = peek(), Self.isWordPart(next) {
      let text = string(start, position) + take(while: Self.isWordPart)
      throw Self.error("\(Self.shown(text)) is neither a number nor a name", at: start + 1)
    }
    return .number(string(start, position))
  }

  // MARK: Names

  private mutating func word() throws(BolideError) -> ConditionToken.Kind {
    let start = position
    let word = take(while: Self.isWordPart)
    guard peek() == "#", let next = peek(1), Self.isDigit(next) else { return .word(word) }
    position += 1
    return .object(word, try number(from: start))
  }

  private mutating func escapedName() throws(BolideError) -> ConditionToken.Kind {
    let start = position
    position += 1
    if let next = peek(), Self.isDigit(next) { return .value(.reference(try number(from: start))) }
    let name = take(while: Self.isWordPart)
    guard !name.isEmpty else { throw Self.error("expected a name or a number after `#`", at: start + 1) }
    return .name(name)
  }

  /// The formats that stand for a value; what the value is decides, not the letter.
  private static let valueFormats: Set<String> = [
    "@", "d", "i", "u", "ld", "lu", "lld", "llu", "qd", "f", "lf", "g", "s",
  ]

  private mutating func argument() -> ConditionToken.Kind {
    position += 1
    if peek() == "@" {
      position += 1
      return .argument(isPath: false)
    }
    let format = take(while: Self.isWordPart)
    if format == "K" { return .argument(isPath: true) }
    return Self.valueFormats.contains(format) ? .argument(isPath: false) : .foreign("the format")
  }

  private mutating func number(from start: Int) throws(BolideError) -> Number {
    let digits = take(while: Self.isDigit)
    guard let number = Number(digits) else {
      throw Self.error("\(Self.shown(digits)) is no object's number: it is too large", at: start + 1)
    }
    return number
  }
}
