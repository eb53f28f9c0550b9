import BolideScenario
import BolideStorage
import CommandKit
import Foundation

/// What the errors of the libraries mean to someone at a command line.
enum ErrorDescription {
  /// The failure that an error comes to; nil for an error that no library declares.
  @Sendable static func failure(of error: any Error) -> Failure? {
    switch error {
    case let error as BolideError:
      Failure(exitCode(of: error.code), [diagnostic(of: error)])
    case let error as CocoaError:
      Failure(.storeFailed, code: "file.unusable", error.localizedDescription)
    default: nil
    }
  }

  static func diagnostic(of error: BolideError, at position: Diagnostic.Position? = nil) -> Diagnostic {
    var message = error.message
    if let cause = error.underlying { message += " (\(cause.domain) \(cause.code): \(cause.text))" }
    return Diagnostic(
      .error, code: error.code.name, message, at: position, details: error.details, remedy: error.remedy)
  }

  /// Errors in what the user wrote are told apart from errors of what is stored.
  private static func exitCode(of code: ErrorCode) -> ExitCode {
    switch code.name {
    case "feed.unreadable", "model.missing", "model.unreadable": return .storeFailed
    case "schema.unknown-entity", "schema.unknown-property", "feed.entity":
      return .usage
    case "schema.invalid", "schema.derivation": return .unreadableInput
    default:
      let area = code.name.prefix { $0 != "." }
      return ["feed", "predicate", "model"].contains(area) ? .unreadableInput : .storeFailed
    }
  }
}
