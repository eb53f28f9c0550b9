import Bolide
import BolidePreview
import BolideStorage
import Foundation
import Testing

@testable import BolideTesting

@Suite(.temporaryStores) struct TestStoreTests {
  @Test(arguments: TestStore.all)
  func `a container keeps its contents when it is reopened`(_ store: TestStore) async throws {
    let container = try await store.container(SampleModel.tasks.schema)
    let context = container.newContext(author: "test")
    let task = try context.insert("Task")
    try task.setValue(.string("Write it down"), for: "title")
    try context.save()
    let reopened = try await store.reopen(container)
    let fresh = reopened.newContext()
    let titles = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Task")).map { try $0.value("title") }
    #expect(titles == [.string("Write it down")])
    let error = #expect(throws: BolideError.self) { try container.currentToken() }
    #expect(error?.code == .storeClosed)
  }

  @Test(arguments: TestStore.all)
  func `two containers of one test are two stores`(_ store: TestStore) async throws {
    let first = try await store.container(SampleModel.tasks.schema)
    let second = try await store.container(SampleModel.tasks.schema)
    let context = first.newContext()
    _ = try context.insert("Task")
    try context.save()
    #expect(try second.counts().map(\.count) == [0])
    #expect(first.storeID != second.storeID)
  }

  @Test func `names pick stores, and an unknown name fails instead of running nothing`() async throws {
    let stores = [TestStore.memory, TestStore("mine") { TestStoreTests.backend }]
    #expect(TestStore.selected(from: stores, by: nil) == stores)
    #expect(TestStore.selected(from: stores, by: "mine").map(\.name) == ["mine"])
    #expect(TestStore.selected(from: stores, by: ",,").map(\.name) == [",,"])
    let unknown = TestStore.selected(from: stores, by: "mine,typo")
    #expect(unknown.map(\.name) == ["mine", "typo"])
    let error = await #expect(throws: BolideError.self) {
      _ = try await unknown[1].container(SampleModel.tasks.schema)
    }
    #expect(error?.code == .storeUnsupported)
  }

  private static var backend: any Backend { StoreLocation.inMemory.backend }
}

struct TestStoreWithoutTraitTests {
  @Test func `without the trait there is no folder`() async throws {
    let error = await #expect(throws: BolideError.self) {
      _ = try await TestStore.memory.container(SampleModel.tasks.schema)
    }
    #expect(error?.code == .storeUnsupported)
  }
}
