/// One thing to tell the user: what is wrong, where, and what to do about it.
package struct Diagnostic: Sendable, Equatable {
  package enum Severity: String, Sendable {
    case error, warning, note
  }

  /// A place in a file; line and column start at 1.
  package struct Position: Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let line: Int?
    package let column: Int?

    package init(path: String, line: Int? = nil, column: Int? = nil) {
      self.path = path
      self.line = line
      self.column = column
    }

    package var description: String {
      [path, line.map(String.init), line == nil ? nil : column.map(String.init)]
        .compactMap(\.self).joined(separator: ":")
    }
  }

  package let severity: Severity
  /// The stable name of the condition, `area.name`.
  package let code: String?
  package let message: String
  package let position: Position?
  package let remedy: String?
  /// Lines that belong to the message: conflicts, an excerpt, context.
  package let details: [String]

  package init(
    _ severity: Severity, code: String? = nil, _ message: String, at position: Position? = nil,
    details: [String] = [], remedy: String? = nil
  ) {
    self.severity = severity
    self.code = code
    self.message = message
    self.position = position
    self.remedy = remedy
    self.details = details
  }

  /// The text form: `path:line:col: error code: message`, then details and `to fix: …`, each indented.
  package func text(on terminal: TerminalTraits) -> String {
    let color: Style =
      switch severity {
      case .error: .red
      case .warning: .yellow
      case .note: .cyan
      }
    let head = severity.rawValue + (code.map { " \($0)" } ?? "")
    let place = position.map { Style.bold.apply(PrintableText("\($0): ").description, on: terminal) } ?? ""
    var lines = ["\(place)\(color.apply(head, on: terminal)): \(PrintableText(message))"]
    lines += details.map { "  \(PrintableText($0))" }
    if let remedy { lines.append("  to fix: \(PrintableText(remedy))") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The machine-readable form.
  package var json: JSONValue {
    var members: [String: JSONValue] = [
      "severity": .string(severity.rawValue), "message": .string(message),
    ]
    members["code"] = code.map(JSONValue.string)
    members["remedy"] = remedy.map(JSONValue.string)
    members["path"] = (position?.path).map(JSONValue.string)
    members["line"] = (position?.line).map(JSONValue.integer)
    members["column"] = (position?.column).map(JSONValue.integer)
    if !details.isEmpty { members["details"] = .array(details.map(JSONValue.string)) }
    return .object(members)
  }
}
