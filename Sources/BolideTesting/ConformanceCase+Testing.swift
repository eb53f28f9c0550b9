import BolideConformance
import Testing

/// Test logs name a case by its id and say which store it ran on.
extension ConformanceCase: CustomTestStringConvertible {
  public var testDescription: String { "\(provider.name): \(id)" }
}

extension ConformanceCase {
  /// Runs the case as ``run()`` does, and notes in the test's log why it was not run or may fail.
  public func verify(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    switch try await run() {
    case .unsupported(let reason), .knownFailure(let reason):
      Issue.record("\(id): \(reason)", severity: .warning, sourceLocation: sourceLocation)
    case .passed, .failed, .unexpectedPass: break
    }
  }
}
