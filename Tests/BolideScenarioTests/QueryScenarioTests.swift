import Bolide
import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideScenario
import BolideStorage
import Foundation
import Testing

@testable import BolideConformance

/// What the fuzzer finds is shown as a scenario that replays.
@Suite struct QueryScenarioTests {
  /// A store that hides an object from every scan.
  final class HidesNumberThree: ForwardingSnapshot, @unchecked Sendable {
    override func scan(
      _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
      columns: ColumnSet, into batch: inout RowBatch
    ) throws(BolideError) {
      var all = RowBatch(batch.format)
      try super.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &all)
      for index in 0..<all.count where all.numbers[index] != 3 {
        _ = all.withRow(at: index) { batch.append($0, number: all.numbers[index]) }
      }
    }
  }

  private static let wrong = ForwardingBackend(
    MemoryBackend(), StoreWrapping(snapshot: { HidesNumberThree($0, $1) }))

  private func replay(_ text: String, on stores: [ReplayStore]) throws -> ScenarioResult {
    try withFolder { folder in
      let file = folder.appending(path: "query.scenario")
      try Data(text.utf8).write(to: file)
      let scratch = folder.appending(path: "scratch")
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      return try Replay(ReplayOptions(stores: stores, scratch: scratch)).run(.init(path: file.path))
    }
  }

  private static var all: [ReplayStore] {
    [.memory, ReplayStore(SQLiteBackend()), ReplayStore(LMDBBackend())]
  }

  @Test func `a store that answers wrongly is caught, and shown as a small scenario`() throws {
    let fuzzer = QueryFuzzer(seed: 1) { schema, body in
      let location = StoreLocation(Self.wrong, Location(path: UUID().uuidString))
      let container = try PersistentContainer(schema, at: location)
      defer { try? container.close() }
      try body([("wrong", container)])
    }
    let difference = #expect(throws: QueryFuzzer.Difference.self) { _ = try fuzzer.run(requests: 500) }
    let found = try #require(difference)
    #expect(found.store == "wrong" && found.seed == 1)
    #expect(found.expected != found.seen)
    // Three objects are the fewest that have a third one.
    let inserts = found.scenario.split(separator: "\n").count { $0.contains("= insert ") }
    #expect(inserts == 3, "\(found.scenario)")
    #expect(!found.request.contains("where"), "\(found.request)")
    let right = try replay(found.scenario, on: Self.all)
    #expect(right.hasPassed, "\(right.outcome)\n\(found.scenario)")
    let store = ReplayStore("wrong", capabilities: Self.wrong.capabilities.named) { folder in
      StoreLocation(Self.wrong, Location(path: folder.path))
    }
    let wrong = try replay(found.scenario, on: [store])
    #expect(wrong.failure != nil, "\(wrong.outcome)")
  }

  @Test(arguments: 1...24)
  func `any request can be shown as a scenario`(seed: Int) throws {
    var world = QueryWorld(seed: UInt64(seed), objectCount: seed % 3 * 6)
    if seed % 2 == 0 {
      var random = QueryRandom(seed: UInt64(seed))
      world.addEdits(&random)
    }
    var generator = QueryGenerator(world: world.edited, seed: UInt64(seed))
    generator.makesBatches = world.edits.isEmpty
    var shown = 0
    for _ in 0..<60 where shown < 4 {
      let request = generator.next()
      var reference = ReferenceEvaluator(world)
      let expected = reference.lines(request)
      if reference.hasOverflow || request.hasNaN { continue }
      // Those of all kinds that are rare are shown wherever they come.
      if shown >= 2, !request.isBatch, request.includesSubentities { continue }
      shown += 1
      let text = QueryScenario.text(request, world, expected: expected)
      let result = try replay(text, on: Self.all)
      #expect(result.hasPassed, "\(result.outcome)\n\(text)")
      if request.isBatch {
        world = reference.world.without([])
        generator.world = world
      }
    }
    #expect(shown > 1)
  }
}
