import BolideConformance
import BolideMemory
import BolideStorage
import Foundation
import Testing

struct OutcomeTests {
  @Test func `a case passes, fails, is unsupported, fails as known or passes unexpectedly`() async throws {
    let passing = CaseDefinition("sample/passes", "Passes.") { _ in }
    let failing = CaseDefinition("sample/fails", "Fails.") { _ in throw ConformanceFailure("wrong") }
    let throwing = CaseDefinition("sample/throws", "Throws.") { _ in
      throw BolideError(.storeIO, "no disk")
    }
    let durable = CaseDefinition("sample/durable", "Is durable.", needs: [.capability("durable")]) { _ in }
    let absent = CaseDefinition("sample/absent", "Is not durable.", needs: [.absence("durable")]) { _ in }
    let provider = BackendProvider(
      MemoryBackend(), knownFailures: ["sample/fails": "not done yet", "sample/passes": "was broken"])
    let plain = BackendProvider(MemoryBackend())

    #expect(await ConformanceCase(passing, on: plain).outcome().word == "passed")
    #expect(await ConformanceCase(absent, on: plain).outcome().word == "passed")
    let failed = await ConformanceCase(failing, on: plain).outcome()
    #expect(failed.isFailure && failed.description == "failed: wrong")
    #expect(await ConformanceCase(throwing, on: plain).outcome().reason?.contains("no disk") == true)
    let unsupported = await ConformanceCase(durable, on: plain).outcome()
    #expect(!unsupported.isFailure && unsupported.description == "unsupported: the store is not durable")
    let known = await ConformanceCase(failing, on: provider).outcome()
    #expect(!known.isFailure && known.description == "known failure: not done yet")
    let unexpected = await ConformanceCase(passing, on: provider).outcome()
    #expect(unexpected.isFailure && unexpected.word == "unexpected pass")

    await #expect(throws: ConformanceFailure.self) { try await ConformanceCase(failing, on: plain).run() }
    await #expect(throws: ConformanceFailure.self) { try await ConformanceCase(passing, on: provider).run() }
    #expect(try await ConformanceCase(failing, on: provider).run().word == "known failure")
  }

  @Test func `a filter picks cases by parts of their ids, and fails where it picks none`() async {
    let provider = BackendProvider(MemoryBackend())
    let some = Conformance.cases(for: provider, matching: "tokens/,storage/reopen")
    #expect(some.contains { $0.id == "tokens/expired" } && some.contains { $0.id == "storage/reopen" })
    #expect(some.allSatisfy { $0.id.hasPrefix("tokens/") || $0.id == "storage/reopen" })
    let none = Conformance.cases(for: provider, matching: "typo")
    #expect(none.count == 1)
    #expect(await none.first?.outcome().isFailure == true)
  }

  @Test func `what a case opened is closed and removed`() async throws {
    let parent = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: parent) }
    let opened = CaseDefinition("sample/opens", "Opens.") { stage in
      let layout = Layout(tables: [], links: [], entities: [])
      _ = try stage.open(layout)
      _ = try stage.makeLocation()
      throw ConformanceFailure("stopped half-way")
    }
    _ = await ConformanceCase(opened, on: BackendProvider(MemoryBackend(), in: parent)).outcome()
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent.path) == [])
  }
}
