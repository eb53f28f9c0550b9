import Bolide
import BolideScenario
import BolideStorage
import Foundation
import Testing

@Suite struct ScenarioPreviewTests {
  private let file = Stores.repository.appending(path: "Scenarios/fireballs/preview.scenario")

  @Test func `a scenario fills a store in memory, which can be forked`() throws {
    let container = try PersistentContainer.inMemory(scenario: file)
    let fork = try container.fork()
    let context = fork.newContext(author: "test")
    #expect(try context.count(for: FetchRequest<ManagedObject>(entity: "Fireball")) == 4)
    for group in try context.fetch(FetchRequest<ManagedObject>(entity: "FireballGroup")) {
      context.delete(group)
    }
    try context.save()
    let original = container.newContext()
    #expect(try original.count(for: FetchRequest<ManagedObject>(entity: "FireballGroup")) == 2)
    #expect(try container.check() == [])
  }

  @Test func `two of them are alike`() throws {
    let first = try PersistentContainer.inMemory(scenario: file)
    let second = try PersistentContainer.inMemory(scenario: file)
    #expect(first.storeID == second.storeID)
    #expect(try first.currentToken() == second.currentToken())
  }

  @Test func `what cannot fill a store says why`() throws {
    try withFolder { folder in
      func open(_ text: String) throws -> PersistentContainer {
        let file = folder.appending(path: "a.scenario")
        try Data(text.utf8).write(to: file)
        return try .inMemory(scenario: file)
      }
      let header = "model FireballWatch\ncontext v\n\n"
      let unreadable = #expect(throws: BolideError.self) { try open(header + "v> cuont Fireball\n") }
      #expect(unreadable?.code.name == "scenario.unreadable")
      #expect(unreadable?.details.first?.hasPrefix("a.scenario:4:4: ") == true)
      let failed = #expect(throws: BolideError.self) { try open(header + "v> count Fireball\n----\n3\n") }
      #expect(failed?.code.name == "scenario.failed")
      #expect(failed?.details == ["- 3", "+ 0"])
      let missing = #expect(throws: BolideError.self) {
        try PersistentContainer.inMemory(scenario: folder.appending(path: "none"))
      }
      #expect(missing?.code.name == "file.missing")
    }
  }
}
