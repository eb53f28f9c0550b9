import BolideStorage
import CComparators

/// Makes record `i` of a seeded series, the same on every machine and in any order.
///
/// Each record depends on the seed and its index alone, so that a series can be streamed, made again with a
/// part of it changed, or cut short, without keeping it.
struct QuakeGenerator: Sendable {
  let seed: UInt64

  /// One record in fifty is different in a changed series: two percent.
  static let changedEvery = 50
  /// `significance` is uniform below this, so half of it selects about half of the records.
  static let significanceBound: Int64 = 1_000
  /// About one record in ten is at least this strong.
  static let strong = 5.83
  /// The span of `time`, in milliseconds since 2001.
  static let firstMillisecond: UInt64 = 600_000_000_000
  static let milliseconds: UInt64 = 200_000_000_000

  private static let networks: [StaticString] = ["ak", "ci", "hv", "nc", "nn", "pr", "us", "uw"]
  private static let scales: [StaticString] = ["md", "ml", "mb", "mww", "mwr"]
  private static let states: [StaticString] = ["automatic", "reviewed", "deleted"]
  private static let directions: [StaticString] = ["N", "NNE", "ENE", "E", "SSE", "SW", "WNW", "NW"]
  private static let towns: [StaticString] = [
    "Amberford", "Brightwater", "Cinder Cove", "Dunmarrow", "Elder Falls", "Fernhollow", "Graystone Bay",
    "Hazelmoor", "Ironvale", "Juniper Flats", "Kestrel Point", "Lowen", "Marsh End", "Northam", "Otter Creek",
    "Pinewick",
  ]

  /// Fills `quake` with record `index`, its texts placed in `arena`.
  func fill(_ quake: inout cmp_quake, index: Int, changed: Bool, arena: Arena) {
    var random = SplitMix64(seed: seed &+ UInt64(index) &* 0x2545_F491_4F6C_DD1D)
    let strength = random.unit()
    quake.magnitude = (strength * strength * strength * 800).rounded() / 100
    // Integers first: rounding a small negative gives -0.0, which no store keeps.
    quake.latitude = Double(Int64(random.below(180_001)) - 90_000) / 1_000
    quake.longitude = Double(Int64(random.below(360_001)) - 180_000) / 1_000
    quake.depth = (random.unit() * 70_000).rounded() / 100
    quake.felt = Int64(random.below(500))
    quake.significance = Int64(random.below(UInt64(Self.significanceBound)))
    quake.stations = Int64(random.below(200))
    quake.time = Double(Self.firstMillisecond + random.below(Self.milliseconds)) / 1_000

    let network = Self.networks[Int(random.below(8))]
    quake.network = arena.text { $0.append(network) }
    quake.code = arena.text {
      $0.append(network)
      $0.append(hex: Self.scatter(UInt32(truncatingIfNeeded: index)))
    }
    quake.place = arena.text {
      $0.append(decimal: random.below(200))
      $0.append(" km ")
      $0.append(Self.directions[Int(random.below(8))])
      $0.append(" of ")
      $0.append(Self.towns[Int(random.below(16))])
    }
    quake.magnitude_type = arena.text { $0.append(Self.scales[Int(random.below(5))]) }
    quake.status = arena.text { $0.append(Self.states[Int(random.below(3))]) }
    if changed, index % Self.changedEvery == 7 {
      quake.magnitude += 0.25
      quake.felt += 1_000
      quake.status = arena.text { $0.append("reviewed again") }
    }
  }

  /// Times to ask pages for, spread over the later half of the span.
  func pageTimes(_ count: Int) -> [Double] {
    var random = SplitMix64(seed: seed ^ 0x7061_6765)
    return (0..<count).map { _ in
      Double(Self.firstMillisecond + Self.milliseconds - random.below(Self.milliseconds / 2)) / 1_000
    }
  }

  /// Indexes of records to look up, with repetition.
  func lookups(_ count: Int, of records: Int) -> [Int] {
    var random = SplitMix64(seed: seed ^ 0x6C6F_6F6B)
    return (0..<count).map { _ in Int(random.below(UInt64(records))) }
  }

  /// A permutation of the 32-bit numbers, so that keys are unique and arrive in no order.
  private static func scatter(_ index: UInt32) -> UInt32 {
    var word = index &* 0x9E37_79B1
    word ^= word >> 15
    word = word &* 0x85EB_CA77
    return word ^ word >> 13
  }
}

extension SplitMix64 {
  fileprivate mutating func below(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  fileprivate mutating func unit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
