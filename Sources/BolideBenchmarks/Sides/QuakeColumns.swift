import BolideStorage
import CComparators

/// The record as a row: which column is where, how it is filled, and how it is hashed.
struct QuakeColumns: Sendable {
  let code, depth, felt, latitude, longitude, magnitude, magnitudeType, network, place: Int
  let significance, stations, status, time: Int

  /// The names of the attributes, in the order a schema sorts them.
  static let names = [
    "code", "depth", "felt", "latitude", "longitude", "magnitude", "magnitudeType", "network", "place",
    "significance", "stations", "status", "time",
  ]

  /// Finds each column by its name.
  init(_ column: (String) throws -> Int) rethrows {
    code = try column("code")
    depth = try column("depth")
    felt = try column("felt")
    latitude = try column("latitude")
    longitude = try column("longitude")
    magnitude = try column("magnitude")
    magnitudeType = try column("magnitudeType")
    network = try column("network")
    place = try column("place")
    significance = try column("significance")
    stations = try column("stations")
    status = try column("status")
    time = try column("time")
  }

  /// The type of an attribute.
  static func type(_ name: String) -> ValueType {
    switch name {
    case "code", "magnitudeType", "network", "place", "status": .string
    case "felt", "significance", "stations": .int64
    case "time": .date
    default: .double
    }
  }

  /// Gives a builder every value of a record.
  func fill(_ row: inout RowBuilder, _ quake: cmp_quake) {
    row.set(code, utf8: UnsafeRawBufferPointer(quake.code.buffer))
    row.set(depth, double: quake.depth)
    row.set(felt, int: quake.felt)
    row.set(latitude, double: quake.latitude)
    row.set(longitude, double: quake.longitude)
    row.set(magnitude, double: quake.magnitude)
    row.set(magnitudeType, utf8: UnsafeRawBufferPointer(quake.magnitude_type.buffer))
    row.set(network, utf8: UnsafeRawBufferPointer(quake.network.buffer))
    row.set(place, utf8: UnsafeRawBufferPointer(quake.place.buffer))
    row.set(significance, int: quake.significance)
    row.set(stations, int: quake.stations)
    row.set(status, utf8: UnsafeRawBufferPointer(quake.status.buffer))
    row.set(time, double: quake.time)
  }

  /// The hash of a row, as the comparator makes it of its own.
  func hash(_ row: RowView) -> UInt64 {
    var quake = cmp_quake()
    quake.code = text(row, code)
    quake.depth = row.double(depth)
    quake.felt = row.int(felt)
    quake.latitude = row.double(latitude)
    quake.longitude = row.double(longitude)
    quake.magnitude = row.double(magnitude)
    quake.magnitude_type = text(row, magnitudeType)
    quake.network = text(row, network)
    quake.place = text(row, place)
    quake.significance = row.int(significance)
    quake.stations = row.int(stations)
    quake.status = text(row, status)
    quake.time = row.double(time)
    return cmp_hash_quake(&quake)
  }

  private func text(_ row: RowView, _ column: Int) -> cmp_text {
    let bytes = row.variable(column)
    return cmp_text(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: CChar.self), length: UInt32(bytes.count))
  }
}
