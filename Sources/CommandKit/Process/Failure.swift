/// Why a command ended: what to tell its user, and the status to end with.
package struct Failure: Error, Sendable, Equatable {
  package let exitCode: ExitCode
  package let diagnostics: [Diagnostic]

  package init(_ exitCode: ExitCode, _ diagnostics: [Diagnostic]) {
    self.exitCode = exitCode
    self.diagnostics = diagnostics
  }

  package init(_ exitCode: ExitCode, code: String, _ message: String, remedy: String? = nil) {
    self.init(exitCode, [Diagnostic(.error, code: code, message, remedy: remedy)])
  }

  static func usage(_ name: String, _ message: String, remedy: String? = nil) -> Failure {
    Failure(.usage, code: "usage.\(name)", message, remedy: remedy)
  }
}
