import Bolide
import BolideConformance
import BolideMemory
import BolideStorage
import Foundation
import Testing

private final class Sighting: ManagedObject {
  @Attribute(.unique) var code = ""
  @Attribute(.indexed) var energy = 0.0
  @Relationship(inverse: \Album.sightings) var albums: ToMany<Album>
}

private final class Album: ManagedObject {
  @Attribute var name = ""
  @Relationship var sightings: ToMany<Sighting>
}

private final class Note: ManagedObject {
  @Attribute(.unique) var code = ""
  @Attribute(.indexed) var rank: Int64 = 0
}

/// What calls across the storage contract a job takes, and how many rows cross: nothing may grow faster than the job.
@Suite struct WorkTests {
  private let recorder = CallRecorder()
  private let container: PersistentContainer

  init() throws {
    let backend = ForwardingBackend(MemoryBackend(), StoreWrapping(observer: recorder))
    container = try PersistentContainer(
      Schema(Sighting.self, Album.self, Note.self), at: StoreLocation(backend, Location(path: "work")))
  }

  /// The calls that a job makes, by how often.
  private func calls(_ body: () throws -> Void) throws -> [StoreCall: Int] {
    let before = recorder.calls.count
    try body()
    return recorder.calls[before...].reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private func total(_ calls: [StoreCall: Int]) -> Int { calls.values.reduce(0, +) }

  private func fill(_ count: Int, from first: Int = 1) throws {
    let records = (first..<(first + count)).map {
      ["code": Value.string("n\($0)"), "rank": .int(Int64($0 % 100))]
    }
    _ = try container.newContext().execute(BatchInsertRequest(entity: "Note", records: records))
  }

  @Test func `a sighting comes to many albums and leaves them in few calls`() throws {
    var counts: [[Int]] = []
    for size in [150, 600] {
      let context = container.newContext()
      let sighting = Sighting(context: context)
      sighting.code = "\(size)"
      let albums = (0..<size).map { _ in Album(context: context) }
      let adding = try calls {
        for album in albums { sighting.albums.insert(album) }
        #expect(sighting.albums.count == size)
        try context.save()
      }
      let other = container.newContext()
      let stored = try #require(other.object(with: sighting.objectID) as? Sighting)
      let reading = try calls { #expect(stored.albums.count == size) }
      let removing = try calls {
        for album in Array(stored.albums.dropFirst(10)) { stored.albums.remove(album) }
        #expect(stored.albums.count == 10)
        try other.save()
      }
      let deleting = try calls {
        other.delete(stored)
        try other.save()
      }
      #expect(adding[.link] == 1 && removing[.unlink] == 1)
      counts.append([adding, reading, removing, deleting].map(total))
    }
    for (small, large) in zip(counts[0], counts[1]) {
      #expect(large <= small + 30, "four times as many albums: \(counts)")
    }
  }

  @Test func `ids of many new members become permanent together`() throws {
    let context = container.newContext()
    let sighting = Sighting(context: context)
    sighting.code = "permanent"
    let albums = (0..<300).map { _ in Album(context: context) }
    sighting.albums.formUnion(albums)
    try context.obtainPermanentIDs(for: albums as [ManagedObject] + [sighting])
    #expect(Set(sighting.albums.map(\.objectID)) == Set(albums.map(\.objectID)))
    #expect(albums.allSatisfy { !$0.objectID.isTemporary && sighting.albums.contains($0) })
    try context.save()
    let other = try #require(container.newContext().fetch(FetchRequest(Sighting.self)).first)
    #expect(other.code == "permanent")
  }

  @Test func `deleting many objects is a call for some hundreds`() throws {
    try fill(2_000)
    let context = container.newContext()
    let notes = try context.fetch(FetchRequest(Note.self))
    for note in notes.prefix(1_000) { context.delete(note) }
    let saving = try calls { try context.save() }
    #expect(total(saving) <= 20, "\(saving)")
    let batch = try calls { _ = try context.execute(BatchDeleteRequest(entity: "Note")) }
    #expect(batch[.delete] == 1 && total(batch) <= 12, "\(batch)")
    #expect(try container.newContext().fetch(FetchRequest(Note.self)).isEmpty)
  }

  @Test func `a look-up, a count and an opening do not depend on how many rows there are`() throws {
    var counts: [[Int]] = []
    for first in [1, 2_001] {
      try fill(2_000, from: first)
      let context = container.newContext()
      let request = FetchRequest<ManagedObject>(
        entity: "Note", where: .compare(.path(["code"]), .equal, .literal(.string("n\(first + 7)"))))
      var found = 0
      let finding = try calls { found = try context.fetch(request).count }
      #expect(found == 1)
      #expect(finding == [.snapshot: 1, .find: 1], "\(finding)")
      let counting = try calls { _ = try context.count(for: FetchRequest(Note.self)) }
      #expect(counting == [.snapshot: 1, .count: 1], "\(counting)")
      let opening = try calls {
        _ = try PersistentContainer(container.schema, at: container.location)
      }
      counts.append([finding, counting, opening].map(total))
    }
    #expect(counts[0] == counts[1])
  }

  @Test func `history of many transactions is read and merged once each`() throws {
    let context = container.newContext(author: "writer")
    let reader = container.newContext()
    let note = Note(context: context)
    note.code = "a"
    try context.save()
    let token = try container.currentToken()
    let held = try #require(try reader.fetch(FetchRequest(Note.self)).first)
    for rank in 1...600 {
      note.rank = Int64(rank)
      try context.save()
    }
    let reading = try calls {
      let found = try container.history(PersistentHistoryRequest(after: .token(token)))
      #expect(found.changes.count == 600)
    }
    #expect(reading[.runs] == 600 && reading[.transactions, default: 0] <= 4, "\(reading)")
    #expect(total(reading) <= 620, "\(reading)")
    let transactions = try container.history(PersistentHistoryRequest(after: .token(token))).transactions
    let merging = try calls {
      for transaction in transactions { _ = try reader.mergeChanges(from: transaction) }
    }
    #expect(held.rank == 600)
    #expect(total(merging) <= 600 * 4, "\(merging)")
  }
}
