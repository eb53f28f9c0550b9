import BolideMemory
import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// Rule H-2: changes are kept as ranges and read as a collection of single ones.
@Suite struct PersistentHistoryChangesTests {
  private typealias Heading = PersistentHistoryChanges.Heading

  private static let store = UUID()

  private func heading(
    _ entity: String, _ kind: ChangeKind, _ properties: [String] = [],
    tombstones: [Number: [String: Value]] = [:]
  ) -> Heading {
    Heading(
      storeID: Self.store, entityName: entity, kind: kind, updatedProperties: properties,
      tombstones: tombstones)
  }

  private func lines(_ changes: some Sequence<PersistentHistoryChange>) -> [String] {
    changes.map { "\($0.kind) \($0.objectID)\($0.updatedProperties.map { " " + $0 }.joined())" }
  }

  @Test func `no changes`() {
    let changes = PersistentHistoryChanges()
    #expect(changes.isEmpty && changes.count == 0 && changes.first == nil && changes.last == nil)
    #expect(changes.runs.isEmpty && Array(changes) == [])
    #expect(changes == [])
  }

  @Test func `parts in any order come out by entity, then number`() {
    let changes = PersistentHistoryChanges([
      (heading("Star", .update, ["mass"]), [4...4, 9...9]), (heading("Star", .insert), [10...12]),
      (heading("Moon", .delete), [2...3]), (heading("Star", .delete), [1...2, 5...6]),
    ])
    #expect(
      lines(changes) == [
        "delete Moon#2", "delete Moon#3", "delete Star#1", "delete Star#2", "update Star#4 mass",
        "delete Star#5", "delete Star#6", "update Star#9 mass", "insert Star#10", "insert Star#11",
        "insert Star#12",
      ])
    #expect(changes.runs.map(\.numbers) == [2...3, 1...2, 4...4, 5...6, 9...9, 10...12])
    #expect(changes.runs.map(\.entityName) == ["Moon", "Star", "Star", "Star", "Star", "Star"])
    #expect(changes.runs.map(\.kind) == [.delete, .delete, .update, .delete, .update, .insert])
    #expect(changes.runs[2].updatedProperties == ["mass"])
  }

  @Test func `ranges that follow each other are one`() {
    let insert = heading("Star", .insert)
    let changes = PersistentHistoryChanges([(insert, [1...4, 5...9, 11...11])])
    #expect(changes.runs.map(\.numbers) == [1...9, 11...11])
    #expect(changes.count == 10)
    let unsorted = PersistentHistoryChanges([(insert, [5...9, 11...11, 1...4])])
    #expect(unsorted.runs.map(\.numbers) == [1...9, 11...11])
    #expect(unsorted == changes)
  }

  @Test func `every position, slice and direction agrees with an array`() {
    let changes = PersistentHistoryChanges([
      (heading("Star", .insert), [3...5, 8...8]), (heading("Moon", .update, ["name"]), [1...1, 7...9]),
    ])
    let array = Array(changes)
    #expect(array.count == changes.count && changes.indices == 0..<8)
    #expect(changes.indices.map { changes[$0] } == array)
    #expect(Array(changes.reversed()) == array.reversed())
    for low in 0...8 {
      for high in low...8 {
        #expect(Array(changes[low..<high]) == Array(array[low..<high]))
        #expect(changes.distance(from: low, to: high) == high - low)
      }
    }
    #expect(changes.firstIndex { $0.objectID.number == 8 } == 2)
    #expect(changes.first == array.first && changes.last == array.last)
    #expect(lines(changes.dropFirst(6).prefix(1)) == lines([array[6]]))
  }

  @Test func `equal changes are equal, however they are ranged`() {
    let ranged = PersistentHistoryChanges([(heading("Star", .insert), [1...3])])
    let single = PersistentHistoryChanges(Array(ranged))
    #expect(ranged == single && ranged.hashValue == single.hashValue)
    #expect(single.runs.count == 1, "a change remembers the heading that it came from")
    let apart = PersistentHistoryChanges([
      (heading("Star", .insert), [1...1]), (heading("Star", .insert), [2...3]),
    ])
    #expect(apart.runs.count == 2)
    #expect(apart == ranged && apart.hashValue == ranged.hashValue)
    #expect(ranged != PersistentHistoryChanges([(heading("Star", .update), [1...3])]))
    #expect(ranged != PersistentHistoryChanges([(heading("Moon", .insert), [1...3])]))
    #expect(ranged != PersistentHistoryChanges([(heading("Star", .insert), [1...4])]))
    #expect(ranged != PersistentHistoryChanges([(heading("Star", .insert), [2...4])]))
    let buried = heading("Star", .delete, tombstones: [2: ["name": .string("Vega")]])
    #expect(
      PersistentHistoryChanges([(buried, [1...2])])
        != PersistentHistoryChanges([(heading("Star", .delete), [1...2])]))
  }

  @Test func `each deleted object has its own tombstone`() {
    let changes = PersistentHistoryChanges([
      (heading("Star", .delete, tombstones: [2: ["name": .string("Vega")]]), [1...3])
    ])
    #expect(changes.map(\.tombstone) == [[:], ["name": .string("Vega")], [:]])
  }

  @Test func `joining keeps the order of transactions`() {
    let first = PersistentHistoryChanges([(heading("Star", .insert), [5...6])])
    let second = PersistentHistoryChanges([(heading("Moon", .insert), [1...2])])
    let joined = PersistentHistoryChanges(joining: [first, PersistentHistoryChanges(), second])
    #expect(lines(joined) == ["insert Star#5", "insert Star#6", "insert Moon#1", "insert Moon#2"])
    #expect(joined.indices.map { joined[$0].objectID.number } == [5, 6, 1, 2])
  }

  @Test func `an import of many is one range of one heading`() throws {
    let schema = Schema(
      entities: [
        EntityDescription(
          name: "Note", attributes: [AttributeDescription(name: "rank", type: .int64)])
      ])
    let container = try PersistentContainer(schema, at: MemoryBackend.freshLocation())
    let context = container.newContext()
    for start in [0, 5_000] {
      let records = (1...5_000).map { ["rank": Value.int(Int64(start + $0))] }
      _ = try context.execute(BatchInsertRequest(entity: "Note", records: records))
    }
    let result = try container.history(PersistentHistoryRequest())
    #expect(result.transactions.map(\.changes.runs.count) == [1, 1])
    #expect(result.transactions.map(\.changes.count) == [5_000, 5_000])
    #expect(result.changes.count == 10_000 && result.changes.runs.count == 2)
    #expect(result.changes.map(\.objectID.number) == Array(1...10_000))
    #expect(result.objectIDs.count == 10_000)
  }
}
