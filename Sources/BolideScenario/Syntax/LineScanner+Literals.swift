extension LineScanner {
  /// A token without quotes: date, uuid, duration, binary, number, `true`, `false`, `null` or word.
  mutating func takeBareToken() throws(ScenarioProblem) -> Literal.Kind {
    let column = index + 1
    let token = takeWhile { $0 != " " && $0 != "," && $0 != "]" }
    let scalars = Array(token.unicodeScalars)
    if DateShape.looksLikeDate(scalars) {
      if let reason = DateShape.problem(scalars) { throw problem(.date, reason, at: column) }
      return .date(token)
    }
    if Self.looksLikeUUID(scalars) {
      guard !scalars.contains(where: { "A"..."F" ~= $0 }) else {
        throw problem(.uuid, "a uuid is written in lower case", at: column)
      }
      return .uuid(token)
    }
    if let duration = try Self.duration(scalars, token, failing: { problem(.duration, $0, at: column) }) {
      return .duration(duration)
    }
    if token.hasPrefix("0x") {
      guard let bytes = Self.bytes(scalars.dropFirst(2)) else {
        throw problem(.binary, "binary is `0x` and pairs of hexadecimal digits", at: column)
      }
      return .binary(bytes)
    }
    if Self.isNumber(scalars) { return .number(token) }
    switch token {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    default: return .word(try word(token, scalars, column: column))
    }
  }

  private func word(
    _ token: String, _ scalars: [Unicode.Scalar], column: Int
  ) throws(ScenarioProblem) -> String {
    let body = scalars.first == "-" ? scalars.dropFirst() : scalars[...]
    guard let first = body.first else {
      throw problem(.value, "`\(token)` is no value", at: column)
    }
    if first.isDigit || first == "+" || scalars.first == "+" {
      throw problem(
        .number, "`\(token)` is no number; a name that starts with a digit is quoted", at: column)
    }
    guard first.isLetter || first == "@" else {
      throw problem(.value, "unexpected `\(first)`; quote what is not a plain word", at: column)
    }
    if let place = scalars.dropFirst().firstIndex(where: { !$0.isWordPart }) {
      let found = scalars[place]
      let hint =
        found == "="
        ? "`=` follows an option's name: a letter, then letters, digits, `-` and `_`"
        : "unexpected `\(found)` in a word; quote what is not a plain word"
      throw problem(.value, hint, at: column + place)
    }
    return token
  }

  private static func looksLikeUUID(_ scalars: [Unicode.Scalar]) -> Bool {
    guard scalars.count == 36 else { return false }
    return scalars.enumerated().allSatisfy { place, scalar in
      [8, 13, 18, 23].contains(place) ? scalar == "-" : scalar.isHexDigit
    }
  }

  private static func duration(
    _ scalars: [Unicode.Scalar], _ token: String, failing: (String) -> ScenarioProblem
  ) throws(ScenarioProblem) -> ScenarioDuration? {
    guard let sign = scalars.first, sign == "+" || sign == "-" else { return nil }
    let digits = scalars.dropFirst().prefix(while: \.isDigit)
    let unit = scalars.dropFirst(1 + digits.count)
    guard !digits.isEmpty, let first = unit.first, first.isLetter else { return nil }
    // A number such as -1e5 has a letter there too.
    if isNumber(scalars) { return nil }
    let milliseconds: Int64
    switch String(String.UnicodeScalarView(unit)) {
    case "ms": milliseconds = 1
    case "s": milliseconds = 1000
    case "m": milliseconds = 60_000
    case "h": milliseconds = 3_600_000
    case "d": milliseconds = 86_400_000
    default: throw failing("`\(token)` is no duration; the units are ms, s, m, h and d")
    }
    let count = Int64(String(String.UnicodeScalarView(digits)))
    guard let (product, overflow) = count?.multipliedReportingOverflow(by: milliseconds), !overflow else {
      throw failing("`\(token)` is too long a duration")
    }
    return ScenarioDuration(milliseconds: sign == "-" ? -product : product)
  }

  private static func bytes(_ digits: ArraySlice<Unicode.Scalar>) -> [UInt8]? {
    guard digits.count.isMultiple(of: 2), digits.allSatisfy(\.isHexDigit) else { return nil }
    var result: [UInt8] = []
    var place = digits.startIndex
    while place < digits.endIndex {
      let pair = String(String.UnicodeScalarView(digits[place..<(place + 2)]))
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      result.append(byte)
      place += 2
    }
    return result
  }

  /// Whether the token is a number as JSON writes them.
  private static func isNumber(_ scalars: [Unicode.Scalar]) -> Bool {
    var rest = scalars[...]
    if rest.first == "-" { rest.removeFirst() }
    let whole = rest.prefix(while: \.isDigit)
    guard !whole.isEmpty, whole.count == 1 || whole.first != "0" else { return false }
    rest.removeFirst(whole.count)
    if rest.first == "." {
      rest.removeFirst()
      let fraction = rest.prefix(while: \.isDigit)
      guard !fraction.isEmpty else { return false }
      rest.removeFirst(fraction.count)
    }
    if rest.first == "e" || rest.first == "E" {
      rest.removeFirst()
      if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
      let exponent = rest.prefix(while: \.isDigit)
      guard !exponent.isEmpty else { return false }
      rest.removeFirst(exponent.count)
    }
    return rest.isEmpty
  }
}

/// The one form of a date: `2020-10-23T22:19:00Z`, with a fraction of a second if need be.
private enum DateShape {
  static func looksLikeDate(_ scalars: [Unicode.Scalar]) -> Bool {
    scalars.count >= 8 && scalars[..<4].allSatisfy(\.isDigit) && scalars[4] == "-"
      && scalars[5...6].allSatisfy(\.isDigit) && scalars[7] == "-" && scalars.count != 36
  }

  /// Why the token is no date, or nil.
  static func problem(_ scalars: [Unicode.Scalar]) -> String? {
    let form = "a date is written 2020-10-23T22:19:00Z, with a fraction of a second if need be"
    let pattern = Array("dddd-dd-ddTdd:dd:dd".unicodeScalars)
    guard scalars.count > pattern.count, scalars.last == "Z" else { return form }
    for (scalar, expected) in zip(scalars, pattern) {
      guard expected == "d" ? scalar.isDigit : scalar == expected else { return form }
    }
    let fraction = scalars[pattern.count..<(scalars.count - 1)]
    if let point = fraction.first {
      guard point == ".", fraction.count > 1, fraction.dropFirst().allSatisfy(\.isDigit) else { return form }
    }
    func number(_ range: Range<Int>) -> Int {
      scalars[range].reduce(0) { $0 * 10 + Int($1.value) - 48 }
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    guard 1...12 ~= month else { return "there is no month \(month)" }
    guard 1...days(in: month, of: year) ~= day else { return "there is no day \(day) in that month" }
    guard number(11..<13) < 24, number(14..<16) < 60, number(17..<19) < 60 else {
      return "there is no such time of day"
    }
    return nil
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2:
      year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
