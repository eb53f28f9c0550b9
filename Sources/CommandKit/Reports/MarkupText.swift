/// Text as content or attribute value of XML and HTML.
struct MarkupText: CustomStringConvertible {
  let description: String

  init(_ text: String) {
    var result = ""
    for scalar in PrintableText(text).description.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // Neither format may hold these, not even as references.
      case "\u{fffe}", "\u{ffff}": result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    description = result
  }
}
