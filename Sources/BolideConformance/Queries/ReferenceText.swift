import Bolide
import BolideStorage
import Foundation

/// Texts as the reference sees them: lists of scalars, folded and searched in the plainest way.
enum ReferenceText {
  /// The NFC form.
  static func normalized(_ text: String) -> String { text.precomposedStringWithCanonicalMapping }

  /// A value as a store keeps it.
  static func stored(_ value: Value) -> Value {
    if case .string(let text) = value { .string(normalized(text)) } else { value }
  }

  /// The scalars of a text under options.
  static func scalars(_ text: String, _ options: TextOptions) -> [UInt32] {
    var text = text
    if options.contains(.caseInsensitive) {
      text = text.decomposedStringWithCanonicalMapping.unicodeScalars
        .map { $0 == "ı" ? "ı" : String($0).lowercased().uppercased().lowercased() }
        .joined()
    }
    if options.contains(.diacriticInsensitive) {
      let kept = text.decomposedStringWithCanonicalMapping.unicodeScalars
        .filter { $0.properties.generalCategory != .nonspacingMark }
      text = String(String.UnicodeScalarView(kept))
    }
    // A text without options is compared as it is stored.
    return (options.isEmpty ? text : normalized(text)).unicodeScalars.map(\.value)
  }

  /// Whether two texts compare in a way.
  static func holds(_ left: String, _ comparison: Comparison, _ right: String, _ options: TextOptions) -> Bool
  {
    let a = scalars(left, options)
    let b = scalars(right, options)
    switch comparison {
    case .equal: return a == b
    case .notEqual: return a != b
    case .less: return a.lexicographicallyPrecedes(b)
    case .lessOrEqual: return !b.lexicographicallyPrecedes(a)
    case .greater: return b.lexicographicallyPrecedes(a)
    case .greaterOrEqual: return !a.lexicographicallyPrecedes(b)
    case .beginsWith: return a.starts(with: b)
    case .endsWith: return a.reversed().starts(with: b.reversed())
    case .contains: return (0...a.count).contains { a[$0...].starts(with: b) }
    case .like: return isLike(a, b)
    }
  }

  /// Whether the whole text fits a pattern: asked of every end of the text and of the pattern, the shortest first.
  private static func isLike(_ text: [UInt32], _ pattern: [UInt32]) -> Bool {
    // What the end of the pattern that was looked at before says of each end of the text; at first it is empty.
    var fits = text.indices.map { _ in false } + [true]
    var place = pattern.count
    while place > 0 {
      place -= 1
      // An odd number of backslashes before a scalar takes it as it is.
      let escapes = pattern[..<place].reversed().prefix { $0 == 92 }.count
      let isEscaped = escapes % 2 == 1
      let scalar = pattern[place]
      let after = fits
      for start in (0...text.count).reversed() {
        switch Unicode.Scalar(scalar) {
        case "*" where !isEscaped: fits[start] = after[start...].contains(true)
        case "?" where !isEscaped: fits[start] = start < text.count && after[start + 1]
        default: fits[start] = start < text.count && text[start] == scalar && after[start + 1]
        }
      }
      if isEscaped { place -= 1 }
    }
    return fits[0]
  }

  /// How two texts stand to each other: negative, zero or positive.
  static func order(_ left: String, _ right: String, _ options: TextOptions) -> Int {
    let folding = options.subtracting(.natural)
    var a = scalars(options.isEmpty ? left : normalized(left), folding)[...]
    var b = scalars(options.isEmpty ? right : normalized(right), folding)[...]
    while let x = a.first, let y = b.first {
      if options.contains(.natural), isDigit(x), isDigit(y) {
        let (m, n) = (number(&a), number(&b))
        if m.count != n.count { return m.count < n.count ? -1 : 1 }
        if m != n { return m.lexicographicallyPrecedes(n) ? -1 : 1 }
        continue
      }
      // A number stands where its first digit would, were that a 0.
      let (p, q) = options.contains(.natural) ? (isDigit(x) ? 48 : x, isDigit(y) ? 48 : y) : (x, y)
      if p != q { return p < q ? -1 : 1 }
      a.removeFirst()
      b.removeFirst()
    }
    return a.isEmpty ? (b.isEmpty ? 0 : -1) : 1
  }

  private static func isDigit(_ scalar: UInt32) -> Bool { (48...57).contains(scalar) }

  /// Takes a run of digits; its zeros at the front say nothing.
  private static func number(_ text: inout ArraySlice<UInt32>) -> ArraySlice<UInt32> {
    let digits = text.prefix(while: isDigit)
    text = text.dropFirst(digits.count)
    return digits.drop { $0 == 48 }
  }
}
