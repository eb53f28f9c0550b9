/// Reads the tokens of one line and knows the column of each.
struct LineScanner {
  let scalars: [Unicode.Scalar]
  let line: Int
  var index: Int
  /// How many keys of references are open around the place.
  var depth = 0
  /// A key that names an object by the key of another is two deep; nobody writes more than a few.
  static let maximumDepth = 16

  init(_ text: String, line: Int) {
    scalars = Array(text.unicodeScalars)
    self.line = line
    index = 0
  }

  var isAtEnd: Bool { index >= scalars.count }
  var position: SourcePosition { SourcePosition(line: line, column: index + 1) }
  var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  func peek(_ distance: Int) -> Unicode.Scalar? {
    let place = index + distance
    return place < scalars.count ? scalars[place] : nil
  }

  func text(from start: Int, to end: Int? = nil) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[start..<(end ?? index)])
    return String(view)
  }

  /// Whether the rest of the line begins with the text.
  func starts(with text: String) -> Bool {
    var place = index
    for scalar in text.unicodeScalars {
      guard place < scalars.count, scalars[place] == scalar else { return false }
      place += 1
    }
    return true
  }

  /// Steps over the text if it is next.
  mutating func take(_ text: String) -> Bool {
    guard starts(with: text) else { return false }
    index += text.unicodeScalars.count
    return true
  }

  mutating func takeWhile(_ accepts: (Unicode.Scalar) -> Bool) -> String {
    let start = index
    while let scalar = next, accepts(scalar) { index += 1 }
    return text(from: start)
  }

  /// A name: a letter, then letters, digits, `-` and `_`.
  mutating func takeName() -> Name? {
    guard let first = next, first.isLetter else { return nil }
    let start = position
    return Name(text: takeWhile(\.isNamePart), position: start)
  }

  func problem(
    _ code: ScenarioProblem.Code, _ message: String, at column: Int? = nil
  ) -> ScenarioProblem {
    ScenarioProblem(code, message, at: SourcePosition(line: line, column: column ?? index + 1))
  }
}

extension Unicode.Scalar {
  var isLetter: Bool {
    isASCII ? ("a"..."z" ~= self || "A"..."Z" ~= self) : properties.isAlphabetic
  }
  var isUpper: Bool { isASCII ? "A"..."Z" ~= self : properties.isUppercase }
  var isDigit: Bool { "0"..."9" ~= self }
  var isHexDigit: Bool { isDigit || "a"..."f" ~= self || "A"..."F" ~= self }
  var isEntityPart: Bool { isLetter || isDigit || self == "_" }
  var isNamePart: Bool { isEntityPart || self == "-" }
  var isWordPart: Bool {
    isNamePart || self == "." || self == ":" || self == "/" || self == "@"
  }
}
