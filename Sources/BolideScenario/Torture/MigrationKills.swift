import Bolide
import BolideConformance
import BolideStorage
import Foundation
import Synchronization

/// Kills a process while it migrates a store, and checks that the store is the old one whole or the new one whole (rules
/// S-1 and U-11).
///
/// Every other process ends itself at a call of the storage contract, which spread over all that a migration makes; the
/// others are killed at random instants, so that a kill meets the inside of a commit, too.
package struct MigrationKills {
  /// What a run came to.
  package struct Figures: Sendable {
    package var kills = 0
    /// How many calls of the storage contract a whole migration makes.
    package var calls: UInt64 = 0
    /// Stores that were found as they were before.
    package var unchanged = 0
    /// Stores that were found migrated.
    package var migrated = 0
    /// What was wrong.
    package var differences: [String] = []
  }

  /// Opens a store by path.
  private let location: (String) -> StoreLocation
  /// Starts a process that calls ``migrate(at:endingAt:)``.
  private let start: (_ path: String, _ call: UInt64) throws -> WorkerProcess
  private let folder: URL
  private var random: SplitMix64
  private var figures = Figures()

  /// - Parameters:
  ///   - folder: where the stores are made, each in a folder of its own.
  ///   - start: starts a process that calls ``migrate(at:endingAt:)``.
  package init(
    in folder: URL, seed: UInt64, location: @escaping (String) -> StoreLocation,
    start: @escaping (_ path: String, _ call: UInt64) throws -> WorkerProcess
  ) {
    self.folder = folder
    self.location = location
    self.start = start
    random = SplitMix64(seed: seed)
  }

  // MARK: The schemas

  private static let before = Schema(
    name: "Before",
    entities: [
      EntityDescription(
        name: "Person", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
        ]),
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "note", type: .string),
        ],
        relationships: [RelationshipDescription(name: "owner", destination: "Person", inverse: "items")]),
    ])

  /// A constraint and an index that are new, an attribute that is renamed, one that comes and one that goes, a derived one,
  /// and a to-one that becomes to-many.
  private static let after = Schema(
    name: "After",
    entities: [
      EntityDescription(
        name: "Person",
        attributes: [
          AttributeDescription(name: "fullName", type: .string, renamingID: "name"),
          AttributeDescription(
            name: "itemCount", type: .int64, isOptional: false, derivation: .count(relationship: "items")),
        ],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "owners", isToMany: true)
        ], indexes: [["fullName"]]),
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "done", type: .boolean, isOptional: false, defaultValue: .bool(false)),
        ],
        relationships: [
          RelationshipDescription(
            name: "owners", destination: "Person", inverse: "items", isToMany: true, renamingID: "owner")
        ],
        uniquenessConstraints: [["title"]]),
    ])

  private static func fill(_ container: PersistentContainer) throws {
    let context = container.newContext(author: "import")
    _ = try context.execute(
      BatchInsertRequest(
        entity: "Item",
        records: (0..<2000).map { ["title": .string("title \($0)"), "note": .string("note \($0 % 7)")] }))
    let items = try context.fetch(FetchRequest<ManagedObject>(entity: "Item"))
    for number in 0..<20 {
      let person = try context.insert("Person")
      try person.setValue(.string("person \(number)"), for: "name")
      try person.addObjects(Array(items[number * 50..<number * 50 + 50]), for: "items")
    }
    try context.save()
  }

  // MARK: The process

  /// Migrates a store, and ends the process before a call of the storage contract, if it makes so many.
  package static func migrate(at location: StoreLocation, endingAt call: UInt64) throws {
    guard WorkerProcess.say("ready") else { return }
    _ = try migrate(location, counting: CallCounter(endingAt: call))
  }

  private static func migrate(_ location: StoreLocation, counting counter: CallCounter) throws -> UInt64 {
    let backend = ForwardingBackend(location.backend, StoreWrapping(observer: counter))
    try PersistentContainer(after, at: StoreLocation(backend, location.location)).close()
    return counter.count
  }

  /// Counts calls, and kills its own process before one of them.
  private final class CallCounter: CallObserver {
    private let calls = Atomic<UInt64>(0)
    private let last: UInt64

    init(endingAt last: UInt64) { self.last = last }

    var count: UInt64 { calls.load(ordering: .relaxed) }

    func before(_ call: StoreCall) {
      if calls.wrappingAdd(1, ordering: .relaxed).newValue == last { Foundation.kill(getpid(), SIGKILL) }
    }
  }

  // MARK: The run

  /// Kills so many processes, each with a store of its own.
  ///
  /// - Parameter progress: told the number of kills after each.
  package mutating func run(kills: Int, progress: (Int) -> Void = { _ in }) throws -> Figures {
    let template = try PersistentContainer(Self.before, at: location(try path("template")))
    defer { try? template.close() }
    try Self.fill(template)
    let old = try lines(of: template)
    let whole = location(try path("whole"))
    try template.copy(to: whole)
    let begin = ContinuousClock.now
    figures.calls = try Self.migrate(whole, counting: CallCounter(endingAt: .max))
    let microseconds = begin.duration(to: .now) / .microseconds(1)
    let new = try lines(at: whole).lines
    while figures.kills < kills, figures.differences.isEmpty {
      let path = try path("kill-\(figures.kills)")
      try template.copy(to: location(path))
      if figures.kills.isMultiple(of: 2) {
        // The first ends itself before the first call, and the last one before the last.
        let share = UInt64(figures.kills / 2) * (figures.calls - 1) / UInt64(max(1, (kills - 1) / 2))
        _ = try end(try start(path, 1 + share), killingItself: true)
      } else {
        let process = try start(path, .max)
        _ = process.nextLine()
        usleep(UInt32(min(Double.random(in: 0..<1.2 * microseconds, using: &random), 900_000)))
        process.kill()
        _ = try end(process, killingItself: false)
      }
      try check(path, old: old, new: new)
      try FileManager.default.removeItem(at: URL(filePath: path).deletingLastPathComponent())
      figures.kills += 1
      progress(figures.kills)
    }
    return figures
  }

  /// A place for a store in a folder of its own.
  private func path(_ name: String) throws -> String {
    let folder = folder.appending(path: name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "store", directoryHint: .notDirectory).path
  }

  private mutating func end(_ process: WorkerProcess, killingItself: Bool) throws {
    _ = process.remainder()
    // One that is killed at an instant may be through before.
    if process.wasKilled || (!killingItself && process.hasSucceeded) { return }
    figures.differences.append("kill \(figures.kills): the process ended by itself: \(process.end)")
  }

  private func lines(of container: PersistentContainer) throws -> [String] {
    let problems = try container.check()
    let dump = Lines()
    try container.dump { dump.all.append($0) }
    return problems.map { "problem: \($0)" } + dump.all
  }

  private final class Lines { var all: [String] = [] }

  /// What a store holds, and the schema that it keeps.
  private func lines(at location: StoreLocation) throws -> (lines: [String], schema: Schema) {
    let container = try PersistentContainer(at: location)
    defer { try? container.close() }
    return (try lines(of: container), container.schema)
  }

  private mutating func check(_ path: String, old: [String], new: [String]) throws {
    let place = "kill \(figures.kills): "
    let found = try lines(at: location(path))
    switch found.schema {
    case Self.before:
      figures.unchanged += 1
      if found.lines != old { figures.differences.append(place + "the old store is not as it was") }
    case Self.after:
      figures.migrated += 1
      if found.lines != new { figures.differences.append(place + "the new store is not whole") }
    default: figures.differences.append(place + "the store keeps another schema")
    }
    // Whatever was found goes on to the new schema.
    _ = try Self.migrate(location(path), counting: CallCounter(endingAt: .max))
    if try lines(at: location(path)).lines != new {
      figures.differences.append(place + "what was left did not become the new store")
    }
  }
}
