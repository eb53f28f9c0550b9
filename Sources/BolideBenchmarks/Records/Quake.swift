import Bolide
import BolideStorage
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

  /// The hash of a fetched row of all attributes by name.
  static func hash(_ values: [Value]) -> UInt64 {
    func text(_ hash: UInt64, _ place: Int) -> UInt64 {
      if case .string(let text) = values[place] { mix(hash, text) } else { 0 }
    }
    func number(_ hash: UInt64, _ place: Int) -> UInt64 {
      switch values[place] {
      case .double(let value): cmp_mix_double(hash, value)
      case .int(let value): cmp_mix(hash, UInt64(bitPattern: value))
      case .date(let value): cmp_mix_double(hash, value.timeIntervalSinceReferenceDate)
      default: 0
      }
    }
    var hash = text(1, 0)
    for place in [5, 3, 4, 1, 2, 9, 10] { hash = number(hash, place) }
    for place in [8, 7, 6, 11] { hash = text(hash, place) }
    return number(hash, 12)
  }

  private static func mix(_ hash: UInt64, _ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
  }
}
