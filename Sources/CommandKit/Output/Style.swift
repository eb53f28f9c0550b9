/// The few ways a piece of text can stand out.
package enum Style: String, Sendable, CaseIterable {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"

  /// The text in this style where the stream shows color, else the text as it is.
  package func apply(_ text: String, on terminal: TerminalTraits) -> String {
    guard terminal.usesColor, !text.isEmpty else { return text }
    return "\u{1b}[\(rawValue)m\(text)\u{1b}[0m"
  }
}
