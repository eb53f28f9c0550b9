import CComparators

/// A dictionary of structs by their key: what someone keeps who needs neither order nor history.
final class DictionarySide: Side {
  private struct Record {
    var code: String
    var magnitude, latitude, longitude, depth: Double
    var felt, significance, stations: Int64
    var place, network, magnitudeType, status: String
    var time: Double

    init(_ quake: cmp_quake) {
      code = quake.code.string
      magnitude = quake.magnitude
      latitude = quake.latitude
      longitude = quake.longitude
      depth = quake.depth
      felt = quake.felt
      significance = quake.significance
      stations = quake.stations
      place = quake.place.string
      network = quake.network.string
      magnitudeType = quake.magnitude_type.string
      status = quake.status.string
      time = quake.time
    }

    var hash: UInt64 {
      var hash = Self.mix(1, code)
      for number in [magnitude, latitude, longitude, depth] { hash = cmp_mix_double(hash, number) }
      for number in [felt, significance, stations] { hash = cmp_mix(hash, UInt64(bitPattern: number)) }
      for text in [place, network, magnitudeType, status] { hash = Self.mix(hash, text) }
      return cmp_mix_double(hash, time)
    }

    private static func mix(_ hash: UInt64, _ text: String) -> UInt64 {
      var text = text
      return text.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
    }
  }

  private var records: [String: Record] = [:]

  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing {
    let start = cmp_start()
    let stream = QuakeStream(generator, rows: rows)
    let piece = UnsafeMutablePointer<cmp_quake>.allocate(capacity: 512)
    piece.initialize(repeating: cmp_quake(), count: 512)
    defer { piece.deallocate() }
    while true {
      let count = stream.fill(piece, room: 512)
      if count == 0 { break }
      for place in 0..<count {
        let record = Record(piece[place])
        records[record.code] = record
      }
    }
    return Timing(seconds: cmp_stop(start), rows: rows)
  }

  func content() throws -> UInt64 { records.values.reduce(0) { $0 &+ $1.hash } }
  func close() throws {}
}
