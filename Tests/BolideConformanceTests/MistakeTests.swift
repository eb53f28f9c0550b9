import BolideConformance
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// Runs one case.
func outcome(of id: String, on provider: some StoreProvider) async -> Outcome {
  guard let definition = Conformance.definitions.first(where: { $0.id == id }) else {
    return .unsupported("there is no case \(id)")
  }
  return await ConformanceCase(definition, on: provider).outcome()
}

struct MistakeTests {
  @Test(arguments: Mistake.all)
  func `the suite catches a mistake`(_ mistake: Mistake) async throws {
    let ids = try #require(Mistake.catches[mistake.name])
    #expect(!ids.isEmpty)
    for id in ids {
      let outcome = await outcome(of: id, on: WrappedProvider(mistake.wrapping))
      #expect(outcome.isFailure, "\(id) on a store that \(mistake.name): \(outcome)")
    }
  }

  @Test func `a store that opens read-only and says it cannot is caught`() async {
    #expect(await outcome(of: "storage/read-only-refused", on: Understating()).isFailure)
  }

  @Test func `every case catches a mistake`() {
    var caught = Set(Mistake.catches.values.joined())
    caught.insert("storage/read-only-refused")
    #if SQLite
      caught.formUnion(FileMistakes.recreating + FileMistakes.publishing)
    #else
      caught.formUnion(Conformance.definitions.filter { $0.needs.contains(.capability("durable")) }.map(\.id))
    #endif
    #expect(Set(Conformance.definitions.map(\.id)).subtracting(caught).sorted() == [])
    #expect(Set(Mistake.all.map(\.name)) == Set(Mistake.catches.keys))
  }

  @Test func `ids are unique and every case says what it shows`() {
    let definitions = Conformance.definitions
    #expect(Set(definitions.map(\.id)).count == definitions.count)
    for definition in definitions {
      #expect(definition.id.wholeMatch(of: /[a-z]+\/[a-z-]+/) != nil, "\(definition.id)")
      #expect(definition.summary.hasSuffix("."), "\(definition.id)")
    }
  }

  @Test func `a wrapper that only passes calls on changes nothing`() async {
    let recorder = CallRecorder()
    let provider = WrappedProvider(StoreWrapping(observer: recorder))
    let slow = ["storage/many-snapshots", "storage/random-transactions", "storage/scan-bounds-of-every-type"]
    for definition in Conformance.contractDefinitions where !slow.contains(definition.id) {
      let outcome = await ConformanceCase(definition, on: provider).outcome()
      #expect(!outcome.isFailure, "\(definition.id): \(outcome)")
    }
    #expect(Set(recorder.calls) == Set(StoreCall.allCases))
  }

  /// The memory store, which says that it cannot be opened read-only.
  struct Understating: StoreProvider {
    private let base = BackendProvider(MemoryBackend())

    var capabilities: Capabilities {
      Capabilities(
        isDurable: false, sharesBetweenProcesses: false, forksInConstantTime: true, opensReadOnly: false)
    }
    var backend: (any Backend)? { base.backend }
    func makeLocation() throws -> URL { try base.makeLocation() }
    func destroy(_ location: URL) throws { try base.destroy(location) }
    func open(_ location: URL, layout: Layout) throws -> any OpenStore {
      try base.open(location, layout: layout)
    }
  }
}
