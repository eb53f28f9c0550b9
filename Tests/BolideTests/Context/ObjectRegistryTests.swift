import BolideMemory
import BolideStorage
import Foundation
import Synchronization
import Testing

@testable import Bolide

private final class Star: ManagedObject {
  @Attribute(.unique) var name = ""
  @Attribute var mass: Int64 = 0

  /// Asked by an object that ends.
  nonisolated(unsafe) static var whenEnding: ((Star) -> Void)?
  deinit { Self.whenEnding?(self) }
}

/// A context knows the objects that somebody holds, and no others.
@Suite(.serialized) struct ObjectRegistryTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try PersistentContainer(Schema(Star.self), at: MemoryBackend.freshLocation())
    context = container.newContext()
  }

  private func fill(_ count: Int) throws {
    let records = (1...count).map {
      ["name": Value.string("star \($0)"), "mass": .int(Int64($0))]
    }
    _ = try container.newContext().execute(BatchInsertRequest(entity: "Star", records: records))
  }

  private func id(_ number: Number) -> ManagedObjectID {
    ManagedObjectID(storeID: container.storeID, entityName: "Star", number: number)
  }

  private var taken: Int { context.registry.usage(of: 0).taken }

  @Test func `an object that nobody holds is gone from its context, and read anew`() throws {
    try fill(1)
    weak var held: Star?
    do {
      let star = try #require(try context.fetch(FetchRequest(Star.self)).first)
      held = star
      #expect(context.registeredObject(for: id(1)) === star)
      #expect(try context.fetch(FetchRequest(Star.self)).first === star)
      #expect(taken == 1)
    }
    #expect(held == nil)
    #expect(taken == 0)
    #expect(context.registeredObject(for: id(1)) == nil)
    #expect(context.registeredObjects.isEmpty)
    let other = container.newContext()
    try #require(try other.fetch(FetchRequest(Star.self)).first).mass = 7
    try other.save()
    #expect(try context.fetch(FetchRequest(Star.self)).first?.mass == 7)
  }

  @Test func `edits keep an object until they are saved or dropped`() throws {
    try fill(1)
    try #require(try context.fetch(FetchRequest(Star.self)).first).mass = 8
    #expect(taken == 1)
    #expect(context.registeredObject(for: id(1))?.isUpdated == true)
    context.rollback()
    #expect(taken == 0)
    context.retainsRegisteredObjects = true
    _ = try context.fetch(FetchRequest(Star.self))
    #expect(taken == 1)
    context.retainsRegisteredObjects = false
    #expect(taken == 0)
  }

  @Test func `a saved object is found by its permanent id alone`() throws {
    let star = Star(context: context)
    star.name = "Vega"
    let temporary = star.objectID
    #expect(context.registeredObject(for: temporary) === star)
    try context.save()
    #expect(context.registeredObject(for: star.objectID) === star)
    #expect(context.registeredObject(for: temporary) == nil)
    #expect(taken == 1)
    let elsewhere = ManagedObjectID(storeID: UUID(), entityName: "Star", number: star.objectID.number)
    #expect(context.registeredObject(for: elsewhere) == nil)
  }

  @Test func `after a reset old objects end without taking new ones along`() throws {
    try fill(3)
    var old = try context.fetch(FetchRequest(Star.self))
    try context.reset()
    #expect(old.allSatisfy { $0.context == nil } && taken == 0)
    let new = try context.fetch(FetchRequest(Star.self))
    #expect(zip(old, new).allSatisfy { $0 !== $1 })
    old = []
    #expect(context.registeredObjects.map(ObjectIdentifier.init) == new.map(ObjectIdentifier.init))
  }

  @Test func `objects outlive their context`() throws {
    try fill(2)
    var context: ManagedObjectContext? = container.newContext()
    var stars = try context?.fetch(FetchRequest(Star.self)) ?? []
    context = nil
    #expect(stars.map(\.mass) == [1, 2])
    #expect(stars.allSatisfy { $0.context == nil })
    stars = []
  }

  @Test func `an object that ends is not handed out`() throws {
    try fill(1)
    var seen: [Bool] = []
    let context = context
    Star.whenEnding = { star in
      Star.whenEnding = nil
      let address = ObjectIdentifier(star)
      seen.append(context.registeredObject(for: star.objectID) == nil)
      let other = try? context.fetch(FetchRequest(Star.self)).first
      seen.append(other.map { ObjectIdentifier($0) != address && $0.mass == 1 } ?? false)
    }
    _ = try context.fetch(FetchRequest(Star.self))
    #expect(seen == [true, true])
    #expect(taken == 0)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `many objects come and go`(_ seed: UInt64) throws {
    try fill(3_000)
    var random = SplitMix64(seed: seed)
    var held: [Number: Star] = [:]
    for star in try context.fetch(FetchRequest(Star.self)) { held[star.objectID.number] = star }
    #expect(taken == 3_000)
    for round in 0..<20_000 {
      // The ends of the numbers are asked for most, so that neighbors come and go.
      let number = Number.random(in: 1...(round.isMultiple(of: 2) ? 3_000 : 40), using: &random)
      if held.removeValue(forKey: number) != nil {
        #expect(context.registeredObject(for: id(number)) == nil, "seed \(seed), round \(round)")
      } else {
        held[number] = context.object(with: id(number)) as? Star
      }
      let other = Number.random(in: 1...3_000, using: &random)
      #expect(context.registeredObject(for: id(other)) === held[other], "seed \(seed), round \(round)")
    }
    #expect(taken == held.count, "seed \(seed)")
    #expect(context.registeredObjects.map(\.objectID.number) == held.keys.sorted(), "seed \(seed)")
    held.removeAll()
    #expect(taken == 0)
    #expect(context.registry.usage(of: 0).slots <= 1024, "room is given back")
  }

  /// Objects on their way to be released somewhere else.
  private final class Parcel: @unchecked Sendable {
    private let stars: [Star]
    init(_ stars: [Star]) { self.stars = stars }
  }

  /// Where parcels wait for whoever lets them go.
  private final class Depot: Sendable {
    private let state = Mutex<(waiting: [Parcel], isClosed: Bool)>(([], false))

    func add(_ parcel: Parcel) { state.withLock { $0.waiting.append(parcel) } }
    func close() { state.withLock { $0.isClosed = true } }

    func release() async {
      while true {
        let (parcel, isClosed) = state.withLock { ($0.waiting.popLast(), $0.isClosed) }
        if parcel != nil { continue }
        if isClosed { return }
        await Task.yield()
      }
    }
  }

  @Test func `objects may end on other threads while their context looks them up`() async throws {
    try fill(60)
    let depot = Depot()
    let releasing = [0, 1].map { _ in Task.detached { await depot.release() } }
    for round in 0..<1_500 {
      let stars = try context.fetch(FetchRequest(Star.self))
      #expect(stars.reduce(0) { $0 + $1.mass } == 60 * 61 / 2, "round \(round)")
      depot.add(Parcel(stars))
    }
    depot.close()
    for task in releasing { await task.value }
    #expect(taken == 0)
  }
}
