import Bolide
import BolideFeeds
import BolideStorage
import CComparators
import Foundation

/// Bolide through the interface that its users and its feeds have.
final class BolideSide: Side {
  private(set) var container: PersistentContainer
  private let path: String
  private let options: ContainerOptions
  private let backend: any Backend
  private let entity: EntityMap
  private let columns: QuakeColumns

  private static let quakes = Schema(Quake.self)
  private static let quakesAndGroups = Schema(Quake.self, Sighting.self, SightingGroup.self)

  private let schema: Schema
  /// What follows the rows, once a job asked for it.
  var list: FollowedList?

  init(_ backend: any Backend, path: String, keepsHistory: Bool, hasGroups: Bool = false) throws {
    schema = hasGroups ? Self.quakesAndGroups : Self.quakes
    self.backend = backend
    self.path = path
    options = ContainerOptions(history: keepsHistory ? .on : .off)
    container = try PersistentContainer(
      schema, at: StoreLocation(backend, Location(path: path)), options: options)
    let entity = try container.map.entity(Quake.entityName)
    self.entity = entity
    columns = try QuakeColumns { name in
      guard let column = try entity.property(name).column else {
        throw BenchmarkFailure("\(name) is no column")
      }
      return column
    }
  }

  func context() -> ManagedObjectContext { container.newContext(author: "bench") }

  // MARK: Writing

  /// Imports rows as the feeds do: built once, packed, a chunk at a time.
  private func importRows(_ count: Int, _ fill: @escaping (Int, inout RowBuilder) -> Void) throws -> Timing {
    let start = cmp_start()
    var next = 0
    let rows = RowImport(entityName: Quake.entityName) { input in
      let end = min(next + 512, count)
      while next < end {
        fill(next, &input.builder)
        input.commitRow()
        next += 1
      }
      return next < count
    }
    _ = try context().importRows(rows)
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  func importRecords(_ records: RecordSet) throws -> Timing {
    let columns = columns
    return try importRows(records.count) { columns.fill(&$1, records.records[$0]) }
  }

  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing {
    let columns = columns
    let arena = Arena()
    var quake = cmp_quake()
    return try importRows(rows) { index, builder in
      if index.isMultiple(of: 512) { arena.reset() }
      generator.fill(&quake, index: index, changed: false, arena: arena)
      columns.fill(&builder, quake)
    }
  }

  func importByClosure(_ records: RecordSet) throws -> Timing {
    let start = cmp_start()
    var next = 0
    let request = BatchInsertRequest(entity: Quake.entityName) { row in
      guard next < records.count else { return true }
      let quake = records.records[next]
      try row.set("code", .string(quake.code.string))
      try row.set("depth", .double(quake.depth))
      try row.set("felt", .int(quake.felt))
      try row.set("latitude", .double(quake.latitude))
      try row.set("longitude", .double(quake.longitude))
      try row.set("magnitude", .double(quake.magnitude))
      try row.set("magnitudeType", .string(quake.magnitude_type.string))
      try row.set("network", .string(quake.network.string))
      try row.set("place", .string(quake.place.string))
      try row.set("significance", .int(quake.significance))
      try row.set("stations", .int(quake.stations))
      try row.set("status", .string(quake.status.string))
      try row.set("time", .date(Date(timeIntervalSinceReferenceDate: quake.time)))
      next += 1
      return false
    }
    _ = try context().execute(request)
    return Timing(seconds: cmp_stop(start), rows: records.count)
  }

  func importByObjects(_ records: RecordSet) throws -> Timing {
    let start = cmp_start()
    let request = BatchInsertRequest(Quake.self, from: Array(0..<records.count)) { object, index in
      let quake = records.records[index]
      object.code = quake.code.string
      object.depth = quake.depth
      object.felt = quake.felt
      object.latitude = quake.latitude
      object.longitude = quake.longitude
      object.magnitude = quake.magnitude
      object.magnitudeType = quake.magnitude_type.string
      object.network = quake.network.string
      object.place = quake.place.string
      object.significance = quake.significance
      object.stations = quake.stations
      object.status = quake.status.string
      object.time = Date(timeIntervalSinceReferenceDate: quake.time)
    }
    _ = try context().execute(request)
    return Timing(seconds: cmp_stop(start), rows: records.count)
  }

  func importFeed(_ path: String, _ records: RecordSet) throws -> Timing {
    let start = cmp_start()
    let request = FeedImport(.usgs, from: .file(path), into: Quake.entityName)
    let result = try request.run(in: context())
    let seconds = cmp_stop(start)
    guard result.skippedCount == 0 else {
      throw BenchmarkFailure("\(result.skippedCount) records of the feed were skipped")
    }
    return Timing(seconds: seconds, rows: result.recordCount)
  }

  private func below(_ bound: Int64) -> Condition {
    .compare(.path(["significance"]), .less, .literal(.int(bound)))
  }

  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing {
    let start = cmp_start()
    let request = BatchUpdateRequest(
      entity: Quake.entityName, values: ["felt": .int(felt)], where: below(bound))
    let count = try context().execute(request).updated.count
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  func delete(significanceBelow bound: Int64) throws -> Timing {
    let start = cmp_start()
    let request = BatchDeleteRequest(entity: Quake.entityName, where: below(bound))
    let count = try context().execute(request).deleted.count
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  // MARK: Reading

  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    for time in times {
      let date = Date(timeIntervalSinceReferenceDate: time)
      let request = FetchRequest<Quake>(
        entity: Quake.entityName,
        where: .and([
          .compare(.path(["time"]), .less, .literal(.date(date))),
          .compare(.path(["magnitude"]), .greaterOrEqual, .literal(.double(magnitude))),
        ]), sort: [SortTerm("time", ascending: false)], limit: limit)
      for quake in try context().fetch(request) { hash = cmp_mix(hash, quake.rowHash) }
    }
    return Timing(seconds: cmp_stop(start), rows: times.count, checksum: hash)
  }

  func lookup(_ codes: [cmp_text]) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    let context = context()
    for code in codes {
      let request = FetchRequest<Quake>(
        entity: Quake.entityName, where: .compare(.path(["code"]), .equal, .literal(.string(code.string))))
      for quake in try context.fetch(request) { hash = cmp_mix(hash, quake.rowHash) }
    }
    return Timing(seconds: cmp_stop(start), rows: codes.count, checksum: hash)
  }

  func sorted(asObjects: Bool) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var request = FetchRequest<Quake>(entity: Quake.entityName, sort: [SortTerm("magnitude")])
    let context = context()
    guard asObjects else {
      request.propertiesToFetch = QuakeColumns.names.map { FetchColumn(.path([$0])) }
      let rows = try context.fetchRows(request)
      for row in rows { hash = cmp_mix(hash, Quake.hash(row.values)) }
      return Timing(seconds: cmp_stop(start), rows: rows.count, checksum: hash)
    }
    let objects = try context.fetch(request)
    for quake in objects { hash = cmp_mix(hash, quake.rowHash) }
    return Timing(seconds: cmp_stop(start), rows: objects.count, checksum: hash)
  }

  func changes() throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    let changes = try container.history(PersistentHistoryRequest(after: .start)).changes
    for run in changes.runs {
      let kind = UInt64(run.kind.rawValue)
      for number in run.numbers { hash = cmp_mix(cmp_mix(hash, UInt64(number)), kind) }
    }
    return Timing(seconds: cmp_stop(start), rows: changes.count, checksum: hash)
  }

  // MARK: The store

  func copy(to path: String, times: Int) throws -> Timing {
    var total = Timing(seconds: 0, rows: times)
    for turn in 0..<times {
      let place = turn == 0 ? path : "\(path)-\(turn)"
      let start = cmp_start()
      let fork = try container.fork(to: StoreLocation(backend, Location(path: place)))
      total.seconds += cmp_stop(start)
      if total.checksum == 0 { total.checksum = try content(of: fork) }
      try fork.close()
    }
    return total
  }

  func reopen(finding codes: [cmp_text]) throws -> Timing {
    var total = Timing(seconds: 0, rows: codes.count)
    for code in codes {
      try container.close()
      let start = cmp_start()
      container = try PersistentContainer(
        schema, at: StoreLocation(backend, Location(path: path)), options: options)
      let found = try lookup([code])
      total.seconds += cmp_stop(start)
      total.checksum = cmp_mix(total.checksum, found.checksum)
    }
    return total
  }

  func content() throws -> UInt64 { try content(of: container) }

  private func content(of container: PersistentContainer) throws -> UInt64 {
    try container.coordinator.read { reader in
      var sum: UInt64 = 0
      let scan = EntityScan(map: container.map, reader: reader, entity: entity, condition: nil)
      try scan.forEach(columns: .all(entity.format.columnCount)) { row, _ in sum &+= columns.hash(row) }
      return sum
    }
  }

  func close() throws { try container.close() }
}
