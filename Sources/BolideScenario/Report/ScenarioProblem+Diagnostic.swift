import CommandKit

extension ScenarioProblem {
  /// The problem in the form in which all commands report.
  package func diagnostic(path: String) -> Diagnostic {
    Diagnostic(
      .error, code: code.rawValue, message,
      at: Diagnostic.Position(path: path, line: position.line, column: position.column))
  }
}
