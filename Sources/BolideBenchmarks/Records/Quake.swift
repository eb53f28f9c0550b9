import Bolide
import CComparators
import Foundation

/// The record as an object of a typed class.
final class Quake: ManagedObject {
  @Attribute(.unique) var code = ""
  @Attribute var depth = 0.0
  @Attribute var felt: Int64 = 0
  @Attribute var latitude = 0.0
  @Attribute var longitude = 0.0
  @Attribute(.indexed) var magnitude = 0.0
  @Attribute var magnitudeType = ""
  @Attribute var network = ""
  @Attribute var place = ""
  @Attribute var significance: Int64 = 0
  @Attribute var stations: Int64 = 0
  @Attribute var status = ""
  @Attribute(.indexed) var time = Date(timeIntervalSinceReferenceDate: 0)

  /// The hash of what the getters give, as the comparator makes it of its rows.
  var rowHash: UInt64 {
    var hash = Self.mix(1, code)
    hash = cmp_mix_double(hash, magnitude)
    hash = cmp_mix_double(hash, latitude)
    hash = cmp_mix_double(hash, longitude)
    hash = cmp_mix_double(hash, depth)
    hash = cmp_mix(hash, UInt64(bitPattern: felt))
    hash = cmp_mix(hash, UInt64(bitPattern: significance))
    hash = cmp_mix(hash, UInt64(bitPattern: stations))
    hash = Self.mix(hash, place)
    hash = Self.mix(hash, network)
    hash = Self.mix(hash, magnitudeType)
    hash = Self.mix(hash, status)
    return cmp_mix_double(hash, time.timeIntervalSinceReferenceDate)
  }

  private static func mix(_ hash: UInt64, _ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
  }
}
