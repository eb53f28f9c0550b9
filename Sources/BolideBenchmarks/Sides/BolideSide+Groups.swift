import Bolide
import BolidePreview
import CComparators
import Foundation

/// Small stores that are opened often, and what grows besides rows.
extension BolideSide {
  private static let sightings = Schema(Sighting.self, SightingGroup.self)

  func preview(openings: Int, sightings: Int, groups: Int) throws -> Timing {
    var total = Timing(seconds: 0, rows: openings)
    // The first one also finds out what the classes declare.
    try Self.preview(sightings, groups).close()
    for _ in 0..<openings {
      let start = cmp_start()
      let preview = try Self.preview(sightings, groups)
      total.seconds += cmp_stop(start)
      total.checksum = try Self.contentHash(of: preview)
      try preview.close()
    }
    return total
  }

  private static func preview(_ sightings: Int, _ groups: Int) throws -> PersistentContainer {
    try .inMemory(Self.sightings) { context in
      let made = (0..<groups).map { index in
        let group = SightingGroup(context: context)
        group.name = "Group \(index)"
        return group
      }
      for index in 0..<sightings {
        let sighting = Sighting(context: context)
        sighting.fill(index)
        sighting.groups.insert(made[index % groups])
      }
    }
  }

  private static func contentHash(of container: PersistentContainer) throws -> UInt64 {
    let context = container.newContext()
    var hash: UInt64 = 0
    let sightings = FetchRequest<Sighting>(entity: Sighting.entityName, sort: [SortTerm("time")])
    for sighting in try context.fetch(sightings) {
      hash = cmp_mix_double(hash, sighting.time.timeIntervalSinceReferenceDate)
      hash = cmp_mix_double(hash, sighting.energy)
    }
    let groups = FetchRequest<SightingGroup>(entity: SightingGroup.entityName, sort: [SortTerm("name")])
    for group in try context.fetch(groups) {
      var name = group.name
      hash = name.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
      hash = cmp_mix(hash, UInt64(bitPattern: group.sightingCount))
    }
    return hash
  }

  func importGroups(_ count: Int) throws -> Timing {
    let start = cmp_start()
    try insertGroups(count)
    let seconds = cmp_stop(start)
    let stored = try context().count(for: FetchRequest<SightingGroup>(entity: SightingGroup.entityName))
    guard stored == count else { throw BenchmarkFailure("\(stored) groups of \(count) are stored") }
    return Timing(seconds: seconds, rows: count)
  }

  private func insertGroups(_ count: Int) throws {
    let request = BatchInsertRequest(SightingGroup.self, from: Array(0..<count)) { group, index in
      group.name = "Group \(index)"
    }
    _ = try context().execute(request)
  }

  func joinGroups(_ count: Int) throws -> Timing {
    try insertGroups(count)
    let start = cmp_start()
    let context = context()
    let groups = try context.fetch(FetchRequest<SightingGroup>(entity: SightingGroup.entityName))
    let sighting = Sighting(context: context)
    sighting.fill(0)
    for group in groups { sighting.groups.insert(group) }
    try context.save()
    let seconds = cmp_stop(start)
    let request = FetchRequest<SightingGroup>(
      entity: SightingGroup.entityName,
      where: .compare(.path(["sightingCount"]), .equal, .literal(.int(1))))
    let joined = try self.context().count(for: request)
    guard joined == count else { throw BenchmarkFailure("\(joined) groups of \(count) count the sighting") }
    return Timing(seconds: seconds, rows: count)
  }

  /// How many transactions are read again at the end.
  private static let readAgain = 100
  /// A context keeps what it saved, so a new one takes over now and then.
  private static let savesOfContext = 1_000

  func saveOneByOne(_ count: Int) throws -> Timing {
    let start = cmp_start()
    var context = context()
    var token = try container.currentToken()
    let last = max(0, count - Self.readAgain)
    for index in 0..<count {
      if index.isMultiple(of: Self.savesOfContext) { context = self.context() }
      if index == last { token = try container.currentToken() }
      Sighting(context: context).fill(index)
      try context.save()
    }
    let read = try container.history(PersistentHistoryRequest(after: .token(token))).transactions
    let seconds = cmp_stop(start)
    guard read.count == count - last, read.allSatisfy({ $0.changes.count == 1 }) else {
      throw BenchmarkFailure("history gives \(read.count) transactions, not \(count - last)")
    }
    return Timing(seconds: seconds, rows: count)
  }

  func startProgram(times: Int) throws -> Timing {
    guard let folder = Bundle.main.executableURL?.deletingLastPathComponent() else {
      throw BenchmarkFailure("the folder of this program is not known")
    }
    let program = folder.appending(path: "bolide").path
    var total = Timing(seconds: 0, rows: times)
    // The first one brings the file into memory.
    for turn in 0...times {
      var seconds = 0.0
      guard cmp_spawn(program, "--help", &seconds) == 0 else {
        throw BenchmarkFailure(
          "\(program) does not run; build it with: swift build -c release --product bolide")
      }
      if turn > 0 { total.seconds += seconds }
    }
    return total
  }
}
