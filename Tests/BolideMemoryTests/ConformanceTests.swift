import BolideConformance
import BolideMemory
import Testing

struct ConformanceTests {
  @Test(arguments: Conformance.cases(for: BackendProvider(MemoryBackend())))
  func `the memory store keeps every rule`(_ rule: ConformanceCase<BackendProvider>) async throws {
    try await rule.run()
  }
}
