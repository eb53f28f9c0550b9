import Bolide
import BolideStorage
import CComparators
import Foundation

/// Bolide through the interface that its users and its feeds have.
final class BolideSide: Side {
  private let container: PersistentContainer
  private let backend: any Backend
  private let entity: EntityMap
  private let columns: QuakeColumns

  init(_ backend: any Backend, path: String, keepsHistory: Bool) throws {
    self.backend = backend
    container = try PersistentContainer(
      Schema(Quake.self), at: StoreLocation(backend, Location(path: path)),
      options: ContainerOptions(history: keepsHistory ? .on : .off))
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
    let start = cmp_now()
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
    return Timing(seconds: cmp_now() - start, rows: count)
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
    let start = cmp_now()
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
    return Timing(seconds: cmp_now() - start, rows: records.count)
  }

  func importByObjects(_ records: RecordSet) throws -> Timing {
    let start = cmp_now()
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
    return Timing(seconds: cmp_now() - start, rows: records.count)
  }

  private func below(_ bound: Int64) -> Condition {
    .compare(.path(["significance"]), .less, .literal(.int(bound)))
  }

  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing {
    let start = cmp_now()
    let request = BatchUpdateRequest(
      entity: Quake.entityName, values: ["felt": .int(felt)], where: below(bound))
    let count = try context().execute(request).updated.count
    return Timing(seconds: cmp_now() - start, rows: count)
  }

  func delete(significanceBelow bound: Int64) throws -> Timing {
    let start = cmp_now()
    let request = BatchDeleteRequest(entity: Quake.entityName, where: below(bound))
    let count = try context().execute(request).deleted.count
    return Timing(seconds: cmp_now() - start, rows: count)
  }

  // MARK: Reading

  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing {
    let start = cmp_now()
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
    return Timing(seconds: cmp_now() - start, rows: times.count, checksum: hash)
  }

  func lookup(_ codes: [cmp_text]) throws -> Timing {
    let start = cmp_now()
    var hash: UInt64 = 0
    let context = context()
    for code in codes {
      let request = FetchRequest<Quake>(
        entity: Quake.entityName, where: .compare(.path(["code"]), .equal, .literal(.string(code.string))))
      for quake in try context.fetch(request) { hash = cmp_mix(hash, quake.rowHash) }
    }
    return Timing(seconds: cmp_now() - start, rows: codes.count, checksum: hash)
  }

  func sorted(asObjects: Bool) throws -> Timing {
    guard asObjects else { throw BenchmarkFailure("Bolide has no fetch of rows yet") }
    let start = cmp_now()
    var hash: UInt64 = 0
    let request = FetchRequest<Quake>(entity: Quake.entityName, sort: [SortTerm("magnitude")])
    let context = context()
    let objects = try context.fetch(request)
    for quake in objects { hash = cmp_mix(hash, quake.rowHash) }
    return Timing(seconds: cmp_now() - start, rows: objects.count, checksum: hash)
  }

  func changes() throws -> Timing {
    let start = cmp_now()
    var hash: UInt64 = 0
    let changes = try container.history(PersistentHistoryRequest(after: .start)).changes
    for change in changes {
      hash = cmp_mix(hash, UInt64(change.objectID.number))
      hash = cmp_mix(hash, UInt64(change.kind.rawValue))
    }
    return Timing(seconds: cmp_now() - start, rows: changes.count, checksum: hash)
  }

  // MARK: The store

  func copy(to path: String) throws -> Timing {
    let start = cmp_now()
    let fork = try container.fork(to: StoreLocation(backend, Location(path: path)))
    let seconds = cmp_now() - start
    let sum = try content(of: fork)
    try fork.close()
    return Timing(seconds: seconds, rows: 1, checksum: sum)
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
