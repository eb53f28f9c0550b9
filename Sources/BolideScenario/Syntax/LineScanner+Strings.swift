extension LineScanner {
  /// A JSON string.
  mutating func takeString() throws(ScenarioProblem) -> String {
    let open = index + 1
    index += 1
    var result = String.UnicodeScalarView()
    while let scalar = next {
      switch scalar {
      case "\"":
        index += 1
        return String(result)
      case "\\":
        result.append(try takeEscape(open: open))
      default:
        result.append(scalar)
        index += 1
      }
    }
    throw problem(.string, "this string has no closing quote", at: open)
  }

  private mutating func takeEscape(open: Int) throws(ScenarioProblem) -> Unicode.Scalar {
    let column = index + 1
    guard let escaped = peek(1) else {
      throw problem(.string, "this string has no closing quote", at: open)
    }
    index += 2
    switch escaped {
    case "\"", "\\", "/": return escaped
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "u": return try takeUnicodeEscape(column: column)
    default:
      throw problem(
        .string,
        "`\\\(escaped)` is no escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits",
        at: column)
    }
  }

  private mutating func takeUnicodeEscape(column: Int) throws(ScenarioProblem) -> Unicode.Scalar {
    let first = try takeFourHexDigits(column: column)
    if let scalar = Unicode.Scalar(first) { return scalar }
    if 0xD800...0xDBFF ~= first, next == "\\", peek(1) == "u" {
      index += 2
      let second = try takeFourHexDigits(column: column)
      if 0xDC00...0xDFFF ~= second,
        let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw problem(.string, "half of a surrogate pair; both halves are needed", at: column)
  }

  private mutating func takeFourHexDigits(column: Int) throws(ScenarioProblem) -> UInt32 {
    var digits = ""
    while digits.utf8.count < 4, let scalar = next, scalar.isHexDigit {
      digits.unicodeScalars.append(scalar)
      index += 1
    }
    guard digits.utf8.count == 4, let value = UInt32(digits, radix: 16) else {
      throw problem(.string, "`\\u` needs four hexadecimal digits", at: column)
    }
    return value
  }
}
