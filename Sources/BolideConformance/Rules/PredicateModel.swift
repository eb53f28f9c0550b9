import Bolide
import BolideStorage
import Foundation

/// A class with attributes of many types, for predicates of every kind.
final class Reading: ManagedObject {
  @Attribute var name = ""
  @Attribute var note: String?
  @Attribute var depth: Double?
  @Attribute var size = 0.0
  @Attribute var level: Float = 0
  @Attribute var price: Decimal?
  @Attribute var count: Int64 = 0
  @Attribute var short: Int16 = 0
  @Attribute var flag = false
  @Attribute var maybe: Bool?
  @Attribute var time: Date?
  @Attribute var key: UUID?
  @Relationship var station: ReadingStation?
}

/// What readings belong to.
final class ReadingStation: ManagedObject {
  @Attribute var name = ""
  @Attribute var height: Int32?
  @Relationship(inverse: \Reading.station) var readings: ToMany<Reading>
}

extension Reading {
  static let model = Schema(Reading.self, ReadingStation.self)

  /// Fills a store with stations, one of them without readings, and readings whose values are often equal or nil.
  static func fill(_ container: PersistentContainer, seed: UInt64) throws {
    var random = QueryRandom(seed: seed)
    let context = container.newContext(author: "readings")
    let heights: [(String, Int32?)] = [("north", 1), ("south", nil), ("", -3), ("none", 7)]
    let stations = heights.map { name, height in
      let station = ReadingStation(context: context)
      station.name = name
      station.height = height
      return station
    }
    let words = ["", "a", "ab", "abc", "b", "A", "été", "a\0b"]
    for _ in 0..<40 {
      let reading = Reading(context: context)
      reading.name = random.pick(words)
      reading.note = random.pick(words + [nil, nil])
      reading.depth = random.pick([nil, 0, 1, 2, -1, .infinity])
      reading.size = random.pick([0, 0.5, 1, 2, -2])
      reading.level = random.pick([0, 0.1, 1])
      reading.price = random.pick([nil, 0, Decimal(1) / 10, 12])
      reading.count = random.pick([0, 1, 2, 4, .max, .min])
      reading.short = random.pick([0, 1, -1, 7])
      reading.flag = Bool.random(using: &random)
      reading.maybe = random.pick([nil, true, false])
      reading.time = random.pick([nil, Date(timeIntervalSinceReferenceDate: 0), .distantPast, .distantFuture])
      reading.key = random.pick([nil, UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)), UUID()])
      if !random.chance(5) { reading.station = random.pick(Array(stations.prefix(3))) }
    }
    try context.save()
  }
}
