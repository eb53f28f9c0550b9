import AcmeStore
import BolideConformance
import BolideStorage
import Foundation
import Testing

struct AcmeProvider: StoreProvider {
  func makeLocation() throws -> URL {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  }
  func open(_ folder: URL, layout: Layout) throws -> any OpenStore {
    try AcmeStore(folder: folder, layout: layout)
  }
  func destroy(_ folder: URL) throws { try FileManager.default.removeItem(at: folder) }
}

@Test(arguments: Conformance.cases(for: AcmeProvider()))
func `Acme keeps Bolide's rules`(_ rule: ConformanceCase<AcmeProvider>) async throws {
  try await rule.run()
}
