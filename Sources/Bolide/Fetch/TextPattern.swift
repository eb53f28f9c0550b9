import BolideStorage

/// What the right side of a text comparison asks of a text, made ready to be asked often.
///
/// Texts are compared scalar by scalar, by their UTF-8: no scalar's bytes begin inside another's.
package struct TextPattern: Hashable, Sendable {
  /// The comparison that was asked for.
  package let comparison: Comparison
  /// How texts are folded first.
  package let options: TextOptions
  private let bytes: [UInt8]
  private let pieces: [Piece]

  /// A part of a pattern after LIKE.
  private enum Piece: Hashable, Sendable {
    case byte(UInt8)
    case anyScalar
    case anyText
  }

  /// Prepares a comparison with a text, a string's in NFC; it may be any that holds between texts.
  package init(_ comparison: Comparison, _ text: String, _ options: TextOptions) {
    self.comparison = comparison
    self.options = options
    bytes = options.isEmpty ? Array(text.utf8) : FoldedText.bytes(of: text, options)
    pieces = comparison == .like ? Self.pieces(of: bytes) : []
  }

  /// Whether a text meets the pattern.
  package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    if options.isEmpty { return matches(folded: text) }
    return FoldedText.bytes(of: text, options).withUnsafeBytes { matches(folded: $0) }
  }

  /// Whether a text meets the pattern.
  package func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
  }

  private func matches(folded text: UnsafeRawBufferPointer) -> Bool {
    switch comparison {
    case .contains: contains(text)
    case .beginsWith: text.starts(with: bytes)
    case .endsWith: text.count >= bytes.count && text[(text.count - bytes.count)...].elementsEqual(bytes)
    case .like: isLike(text)
    case .equal: text.elementsEqual(bytes)
    case .notEqual: !text.elementsEqual(bytes)
    case .less: text.lexicographicallyPrecedes(bytes)
    case .lessOrEqual: !bytes.lexicographicallyPrecedes(text)
    case .greater: bytes.lexicographicallyPrecedes(text)
    case .greaterOrEqual: !text.lexicographicallyPrecedes(bytes)
    }
  }

  private func contains(_ text: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count else { return false }
    return bytes.withUnsafeBytes { bytes in
      for start in 0...(text.count - bytes.count) where text[start] == first {
        if UnsafeRawBufferPointer(rebasing: text[start..<(start + bytes.count)]).elementsEqual(bytes) {
          return true
        }
      }
      return false
    }
  }

  /// What follows the text that everything like a pattern begins with.
  package enum PatternRest { case nothing, anyText, more }

  /// The text that everything like the pattern begins with; `nil` for other comparisons.
  package var literalStart: (text: String, rest: PatternRest)? {
    guard comparison == .like, options.isEmpty else { return nil }
    var start: [UInt8] = []
    for piece in pieces {
      guard case .byte(let byte) = piece else { break }
      start.append(byte)
    }
    let rest: PatternRest =
      start.count == pieces.count ? .nothing : pieces[start.count...] == [.anyText] ? .anyText : .more
    return (String(decoding: start, as: UTF8.self), rest)
  }

  /// Goes on after the last `*` wherever a match fails: no deeper than that, since an earlier one could not
  /// do better.
  private func isLike(_ text: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    var piece = 0
    var retry: (place: Int, piece: Int)?
    while place < text.count {
      switch piece < pieces.count ? pieces[piece] : nil {
      case .anyText:
        piece += 1
        retry = (place, piece)
        continue
      case .anyScalar:
        place = Self.nextScalar(after: place, in: text)
        piece += 1
        continue
      case .byte(let byte) where byte == text[place]:
        place += 1
        piece += 1
        continue
      case .byte, nil: break
      }
      guard let last = retry else { return false }
      place = Self.nextScalar(after: last.place, in: text)
      piece = last.piece
      retry = (place, piece)
    }
    return pieces[piece...].allSatisfy { $0 == .anyText }
  }

  private static func nextScalar(after place: Int, in text: UnsafeRawBufferPointer) -> Int {
    var next = place + 1
    while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }

  private static func pieces(of pattern: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var isEscaped = false
    for byte in pattern {
      switch byte {
      case _ where isEscaped:
        pieces.append(.byte(byte))
        isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case UInt8(ascii: "?"): pieces.append(.anyScalar)
      case UInt8(ascii: "*"): if pieces.last != .anyText { pieces.append(.anyText) }
      default: pieces.append(.byte(byte))
      }
    }
    // A backslash at the very end stands for itself.
    if isEscaped { pieces.append(.byte(UInt8(ascii: "\\"))) }
    return pieces
  }
}
