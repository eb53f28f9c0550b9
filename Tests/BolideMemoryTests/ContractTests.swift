import BolideConformance
import BolideMemory
import Testing

struct ContractTests {
  @Test(
    arguments: Conformance.cases(
      for: BackendProvider(MemoryBackend()), among: Conformance.contractDefinitions))
  func `the memory store keeps the storage contract`(_ rule: ConformanceCase<BackendProvider>) async throws {
    try await rule.run()
  }
}
