/// The expected text of a step: lines with `<*>` and `<**>`, compared with what was printed.
package struct BlockPattern: Hashable, Sendable {
  package var lines: [String]

  package init(_ lines: [String]) { self.lines = lines }

  /// `<**>`: stands for any number of lines, none included.
  package static let anyLines = "<**>"
  /// `<*>`: stands for any text inside a line, none included.
  package static let anyText = "<*>"

  /// Text of data as it is printed, so that it is never taken for a wildcard.
  package static func escaped(_ text: String) -> String {
    text.replacing(anyText, with: "<\\*>")
  }

  /// Whether the printed lines are what is expected.
  ///
  /// A block that is one `error CODE` line alone compares the code and nothing else.
  package func matches(_ actual: [String]) -> Bool {
    if isErrorCodeAlone, let first = actual.first { return Self.line(lines[0], matches: first) }
    return matchesLines(actual)
  }

  /// Whether the block is `error CODE` and no more.
  package var isErrorCodeAlone: Bool {
    lines.count == 1 && lines[0].hasPrefix("error ")
  }

  /// Whether some of the text is left open.
  package var hasWildcards: Bool {
    lines.contains { $0 == Self.anyLines || $0.contains(Self.anyText) }
  }

  private func matchesLines(_ actual: [String]) -> Bool {
    // The last `<**>` is the only place to go back to: what earlier ones took is the least possible.
    var (place, line) = (0, 0)
    var retry: (place: Int, line: Int)?
    while line < actual.count {
      if place < lines.count, lines[place] == Self.anyLines {
        place += 1
        retry = (place, line)
      } else if place < lines.count, Self.line(lines[place], matches: actual[line]) {
        place += 1
        line += 1
      } else if let again = retry {
        place = again.place
        line = again.line + 1
        retry = (place, line)
      } else {
        return false
      }
    }
    return lines[place...].allSatisfy { $0 == Self.anyLines }
  }

  /// Whether one printed line is what one expected line says, byte for byte outside `<*>`.
  package static func line(_ expected: String, matches actual: String) -> Bool {
    let pieces = expected.split(separator: anyText, omittingEmptySubsequences: false)
    var rest = Array(actual.utf8)[...]
    guard let first = pieces.first, let last = pieces.last else { return actual.isEmpty }
    if pieces.count == 1 { return rest.elementsEqual(expected.utf8) }
    guard rest.starts(with: first.utf8) else { return false }
    rest.removeFirst(first.utf8.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = firstRange(of: Array(piece.utf8), in: rest) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.count >= last.utf8.count && rest.suffix(last.utf8.count).elementsEqual(last.utf8)
  }

  private static func firstRange(of piece: [UInt8], in text: ArraySlice<UInt8>) -> Range<Int>? {
    guard piece.count <= text.count else { return nil }
    for start in text.startIndex...(text.endIndex - piece.count)
    where text[start..<(start + piece.count)].elementsEqual(piece) {
      return start..<(start + piece.count)
    }
    return nil
  }
}
