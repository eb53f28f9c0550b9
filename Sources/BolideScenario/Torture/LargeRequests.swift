import Bolide
import BolideStorage
import Foundation

/// One request each that inserts, updates and deletes many objects, with links and history (case L15 at full size): each is
/// one transaction, and the memory of the process keeps below a limit whatever their number.
package struct LargeRequests {
  /// What a run came to.
  package struct Figures: Sendable {
    package var rows = 0
    /// How long each request took, in seconds.
    package var insertion: Double = 0
    package var update: Double = 0
    package var deletion: Double = 0
    /// The largest size of the store's file with its log, in bytes.
    package var storeSize = 0
    /// The most memory that the process has had, with what of the store's file it had mapped, in bytes.
    package var peak = 0
    /// What was wrong.
    package var differences: [String] = []
  }

  /// What the process may take.
  package static let memoryLimit = 512 << 20
  /// Links are made by saves of so many.
  private static let share = 10_000
  private static let schema = Schema(
    name: "Large",
    entities: [
      EntityDescription(
        name: "Entry",
        attributes: [
          AttributeDescription(name: "code", type: .int64, isOptional: false),
          AttributeDescription(name: "text", type: .string),
        ],
        relationships: [
          RelationshipDescription(
            name: "groups", destination: "Group", inverse: "entries", isToMany: true)
        ], uniquenessConstraints: [["code"]]),
      EntityDescription(
        name: "Group",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(
            name: "entryCount", type: .int64, isOptional: false, derivation: .count(relationship: "entries")),
        ],
        relationships: [
          RelationshipDescription(name: "entries", destination: "Entry", inverse: "groups", isToMany: true)
        ]),
    ])

  private let container: PersistentContainer
  private var figures = Figures()

  /// Runs the three requests over so many objects, all of them members of one group.
  package static func run(rows: Int, at location: StoreLocation) throws -> Figures {
    var run = LargeRequests(container: try PersistentContainer(schema, at: location))
    defer { try? run.container.close() }
    try run.all(rows)
    return run.figures
  }

  private mutating func all(_ rows: Int) throws {
    figures.rows = rows
    let context = container.newContext(author: "user")
    var code = 0
    figures.insertion = try timed {
      _ = try context.execute(
        BatchInsertRequest(entity: "Entry") { row in
          if code == rows { return true }
          code += 1
          try row.set("code", .int(Int64(code)))
          try row.set("text", .string("entry number \(code)"))
          return false
        })
    }
    try link(rows)
    figures.update = try timed {
      _ = try context.execute(BatchUpdateRequest(entity: "Entry", values: ["text": .string("updated")]))
    }
    try noteSize()
    try expect(members: rows, after: "the update")
    figures.deletion = try timed { _ = try context.execute(BatchDeleteRequest(entity: "Entry")) }
    try noteSize()
    try expect(members: 0, after: "the deletion")
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      figures.peak = Int(usage.ru_maxrss) * 1024
    #else
      getrusage(RUSAGE_SELF, &usage)
      figures.peak = Int(usage.ru_maxrss)
    #endif
    if figures.peak > Self.memoryLimit {
      figures.differences.append("the process took \(figures.peak) bytes, more than \(Self.memoryLimit)")
    }
    try compare(rows)
  }

  private func timed(_ body: () throws -> Void) rethrows -> Double {
    let begin = ContinuousClock.now
    try body()
    return begin.duration(to: .now) / .seconds(1)
  }

  private mutating func noteSize() throws {
    let statistics = try container.statistics()
    figures.storeSize = max(figures.storeSize, statistics.storeBytes + statistics.logBytes)
  }

  /// Makes every object a member of one group.
  private func link(_ rows: Int) throws {
    var request = FetchRequest<ManagedObject>(entity: "Entry", sort: [SortTerm(path: ["code"])])
    request.limit = Self.share
    let context = container.newContext(author: "user")
    try context.insert("Group").setValue(.string("all"), for: "name")
    try context.save()
    for first in stride(from: 0, to: rows, by: Self.share) {
      try context.reset()
      request.offset = first
      let groups = try context.fetch(FetchRequest<ManagedObject>(entity: "Group"))
      _ = try groups.first?.addObjects(try context.fetch(request), for: "entries")
      try context.save()
    }
  }

  private mutating func expect(members: Int, after event: String) throws {
    let context = container.newContext()
    let group = try context.fetch(FetchRequest<ManagedObject>(entity: "Group")).first
    let count = try group?.value("entryCount")
    if count != .int(Int64(members)) {
      figures.differences.append(
        "after \(event) the group counts \(String(describing: count)), not \(members)")
    }
  }

  /// Each request is one transaction of all objects; the deletion changes the group, too.
  private mutating func compare(_ rows: Int) throws {
    let head = try container.currentToken().number
    for (number, expected) in [(1, rows), (head - 1, rows), (head, rows + 1)] {
      let result = try container.history(PersistentHistoryRequest(after: .number(number - 1), limit: 1))
      let count = result.transactions.first?.changes.count ?? 0
      if count != expected {
        figures.differences.append("transaction \(number) has \(count) changes, not \(expected)")
      }
    }
    figures.differences += try container.check()
  }
}
