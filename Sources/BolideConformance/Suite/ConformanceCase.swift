import BolideStorage

/// One rule to be shown on one provider's store.
///
/// ```swift
/// @Test(arguments: Conformance.cases(for: AcmeProvider()))
/// func `Acme keeps Bolide's rules`(_ rule: ConformanceCase<AcmeProvider>) async throws {
///   try await rule.run()
/// }
/// ```
public struct ConformanceCase<Provider: StoreProvider>: Sendable, Identifiable, CustomStringConvertible {
  /// The rule.
  public let definition: CaseDefinition
  /// Where its stores come from.
  public let provider: Provider

  /// Pairs a rule with a provider.
  public init(_ definition: CaseDefinition, on provider: Provider) {
    self.definition = definition
    self.provider = provider
  }

  /// The rule's stable name.
  public var id: String { definition.id }

  public var description: String { definition.id }

  /// Runs the case and throws if it counts against the store.
  @discardableResult
  public func run() async throws -> Outcome {
    let outcome = await outcome()
    guard outcome.isFailure else { return outcome }
    throw ConformanceFailure("\(provider.name) \(id): \(definition.summary) \(outcome.reason ?? "")")
  }

  /// Runs the case and says how it ended.
  ///
  /// - Parameter seed: varies what is random in the case; with the same seed a run repeats.
  public func outcome(seed: UInt64 = 0) async -> Outcome {
    if let reason = definition.unmetNeed(of: provider) { return .unsupported(reason) }
    let known = provider.knownFailures[id]
    let stage = CaseStage(provider, caseID: id, seed: seed)
    var failure: ConformanceFailure?
    do {
      try await definition.body(stage)
      try stage.verify()
    } catch let error as ConformanceFailure {
      failure = error
    } catch let error as BolideError {
      failure = ConformanceFailure("unexpected error: \(error.revealingDescription)")
    } catch {
      failure = ConformanceFailure("unexpected error: \(error)")
    }
    do {
      try stage.strike()
    } catch {
      failure = failure ?? ConformanceFailure("cleaning up: \(error)")
    }
    switch (failure, known) {
    case (nil, nil): return .passed
    case (nil, let reason?): return .unexpectedPass(reason)
    case (let failure?, nil): return .failed(failure)
    case (.some, let reason?): return .knownFailure(reason)
    }
  }
}
