/// The one layout of a scenario file: single blanks, single blank lines, nothing at the ends of lines.
///
/// Tokens, expected blocks and payloads keep their bytes.
package enum ScenarioFormat {
  /// The problems that formatting mends; any other must be mended by hand first.
  package static let mended: Set<ScenarioProblem.Code> = [
    .tab, .carriageReturn, .trailingBlank, .spacing, .comment,
  ]

  /// The formatted bytes of a file; one that holds other problems than the mended ones stays as it is.
  package static func format(_ bytes: [UInt8]) -> [UInt8] {
    let problems = ScenarioParser.parse(bytes, path: "").problems
    guard problems.allSatisfy({ mended.contains($0.code) || $0.code == .emptyBlock }) else { return bytes }
    let ranges = TextLines.ranges(of: bytes)
    var result: [String] = []
    var isBlock = false
    for (number, range) in ranges.enumerated() {
      let raw = String(decoding: bytes[range], as: UTF8.self)
      var line = withoutEnd(raw)
      if PayloadHeader.name(in: line) != nil {
        while result.last == "" { result.removeLast() }
        let head = result.map { $0 + "\n" }.joined() + (result.isEmpty ? "" : "\n") + line + "\n"
        let rest = number + 1 < ranges.count ? bytes[ranges[number + 1].lowerBound...] : []
        return Array(head.utf8) + rest
      }
      if line.isEmpty {
        isBlock = false
        if let last = result.last, !last.isEmpty { result.append("") }
        continue
      }
      if !isBlock { line = line == "----" ? line : spaced(line) }
      isBlock = isBlock || line == "----"
      result.append(line)
    }
    while result.last == "" { result.removeLast() }
    return Array(result.map { $0 + "\n" }.joined().utf8)
  }

  private static func withoutEnd(_ line: String) -> String {
    var scalars = Array(line.unicodeScalars)
    while let last = scalars.last, last == " " || last == "\t" || last == "\r" { scalars.removeLast() }
    return String(String.UnicodeScalarView(scalars))
  }

  /// Single blanks between tokens; texts in quotes, backticks and braces and predicates stay.
  private static func spaced(_ line: String) -> String {
    if line.hasPrefix("#") {
      let text = line.dropFirst()
      return text.isEmpty || text.hasPrefix(" ") ? line : "# " + text
    }
    let scanner = LineScanner(line, line: 1)
    let indent = line.hasPrefix("  ") ? 2 : 0
    var result = Array(scanner.scalars.prefix(indent))
    var closing: [Unicode.Scalar] = []
    var place = indent
    while place < scanner.scalars.count {
      let scalar = scanner.scalars[place]
      place += 1
      if let end = closing.last, end == "\"" || end == "`" {
        result.append(scalar)
        if scalar == "\\", end == "\"", place < scanner.scalars.count {
          result.append(scanner.scalars[place])
          place += 1
        } else if scalar == end {
          closing.removeLast()
        }
        continue
      }
      if closing.isEmpty, scalar == " " || scalar == "\t" {
        if result.count > indent, result.last != " " { result.append(" ") }
        if scanner.text(from: place, to: min(place + 6, scanner.scalars.count)) == "where " {
          let predicate = scanner.scalars[(place + 6)...].drop { $0 == " " || $0 == "\t" }
          return text(result + "where ".unicodeScalars + predicate)
        }
        continue
      }
      switch scalar {
      case "\"", "`": closing.append(scalar)
      case "{": closing.append("}")
      case "}" where closing.last == "}": closing.removeLast()
      default: break
      }
      result.append(scalar)
    }
    return text(result)
  }

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
