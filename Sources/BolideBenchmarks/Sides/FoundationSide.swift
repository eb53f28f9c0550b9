import CComparators
import Foundation

/// What both decoders take from a feature.
enum FeedQuake {
  /// How often a file is decoded in one run.
  static let passes = 3
  /// The attributes, texts first.
  static let columns = [
    "code", "net", "id", "ids", "status", "type", "magType", "place", "updated", "time", "magnitude",
    "latitude",
    "longitude", "depth",
  ]
  static let textCount = 8
}

/// Decoding with what comes with the system.
final class FoundationSide: Side {
  private struct Collection: Decodable {
    var features: [Feature]
  }

  private struct Feature: Decodable {
    struct Properties: Decodable {
      var code, net, ids, status, type, magType, place: String?
      var updated, time: Int64?
      var mag: Double?
    }

    struct Geometry: Decodable {
      var coordinates: [Double?]
    }

    var properties: Properties
    var geometry: Geometry
    var id: String?
  }

  func decode(_ path: String) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var bytes = 0
    for _ in 0..<FeedQuake.passes {
      let data = try Data(contentsOf: URL(filePath: path))
      for feature in try JSONDecoder().decode(Collection.self, from: data).features {
        hash = Self.mix(hash, feature)
      }
      bytes += data.count
    }
    return Timing(seconds: cmp_stop(start), rows: bytes, checksum: hash)
  }

  private static func mix(_ hash: UInt64, _ feature: Feature) -> UInt64 {
    var hash = hash
    let properties = feature.properties
    let texts = [
      properties.code, properties.net, feature.id, properties.ids, properties.status, properties.type,
      properties.magType, properties.place,
    ]
    for text in texts {
      var text = text ?? ""
      hash = text.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
    }
    for milliseconds in [properties.updated, properties.time] {
      let seconds = Double((milliseconds ?? 0) - FeedFile.epoch) / 1_000
      hash = cmp_mix_double(hash, seconds)
    }
    hash = cmp_mix_double(hash, properties.mag ?? 0)
    let place = feature.geometry.coordinates
    for index in [1, 0, 2] {
      hash = cmp_mix_double(hash, place.indices.contains(index) ? place[index] ?? 0 : 0)
    }
    return hash
  }

  func content() throws -> UInt64 { 0 }
  func close() throws {}
}
