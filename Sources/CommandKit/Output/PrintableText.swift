/// Text that cannot do harm on a terminal: control characters other than line ends and tabs are shown as escapes.
///
/// Messages quote names and values that came out of files, and a file may hold anything.
package struct PrintableText: CustomStringConvertible, Sendable {
  package let description: String

  package init(_ text: String) {
    guard text.unicodeScalars.contains(where: Self.isHarmful) else {
      description = text
      return
    }
    var result = ""
    for scalar in text.unicodeScalars {
      if Self.isHarmful(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    description = result
  }

  private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
  }
}
