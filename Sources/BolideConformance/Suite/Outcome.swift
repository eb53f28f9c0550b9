/// How a case ended.
public enum Outcome: Sendable, CustomStringConvertible {
  /// The store keeps the rule.
  case passed
  /// The store breaks the rule.
  case failed(ConformanceFailure)
  /// The store does not offer what the case is about; the reason says what.
  case unsupported(String)
  /// The case fails and its provider says so, with the reason.
  case knownFailure(String)
  /// The provider says that the case fails, but it passes: its note is out of date, which is a failure.
  case unexpectedPass(String)

  /// Whether the outcome counts against the store.
  public var isFailure: Bool {
    switch self {
    case .failed, .unexpectedPass: true
    case .passed, .unsupported, .knownFailure: false
    }
  }

  /// The word for the outcome in reports.
  public var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .unsupported: "unsupported"
    case .knownFailure: "known failure"
    case .unexpectedPass: "unexpected pass"
    }
  }

  /// The reason, `nil` for a pass.
  public var reason: String? {
    switch self {
    case .passed: nil
    case .failed(let failure): failure.description
    case .unsupported(let reason), .knownFailure(let reason): reason
    case .unexpectedPass(let reason): "listed as a known failure (\(reason)), but it passes"
    }
  }

  public var description: String { reason.map { "\(word): \($0)" } ?? word }
}

/// What a case found wrong, and where in the suite it was looked for.
public struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
  /// What was expected and what was seen.
  public var message: String
  /// The suite's own source place, `File.swift:line`; empty when an error came from the store.
  public var place: String

  /// Makes a failure.
  public init(_ message: String, place: String = "") {
    self.message = message
    self.place = place
  }

  public var description: String { place.isEmpty ? message : "\(message) [\(place)]" }
}
