import BolideConformance
import BolideSQLite
import BolideStorage
import Testing

/// The shared suite on this store.
@Suite struct ContractTests {
  static let provider = BackendProvider(SQLiteBackend())

  @Test(arguments: Conformance.cases(for: provider))
  func `the SQLite store keeps the rules`(_ rule: ConformanceCase<BackendProvider>) async throws {
    try await rule.run()
  }
}
