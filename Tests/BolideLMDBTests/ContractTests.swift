import BolideConformance
import BolideLMDB
import BolideStorage
import Testing

/// The shared suite on this store.
@Suite struct ContractTests {
  static let provider = BackendProvider(LMDBBackend())

  @Test(arguments: Conformance.cases(for: provider))
  func `the LMDB store keeps the rules`(_ rule: ConformanceCase<BackendProvider>) async throws {
    try await rule.run()
  }
}
