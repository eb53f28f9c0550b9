import BolideStorage
import Foundation

/// The layout that the contract's cases share.
///
/// `Quake` has a single and a composite unique index and two plain ones, `Sample` a column and an index
/// of every type, `Group` is the other side of the links.
enum ContractLayout {
  static let quake = TableLayout(
    name: "Quake",
    columns: [
      ColumnLayout(name: "code", type: .string), ColumnLayout(name: "net", type: .string),
      ColumnLayout(name: "serial", type: .int32), ColumnLayout(name: "magnitude", type: .double),
      ColumnLayout(name: "time", type: .date), ColumnLayout(name: "place", type: .string),
    ],
    indexes: [
      IndexLayout(name: "code", columns: [0], isUnique: true),
      IndexLayout(name: "net_serial", columns: [1, 2], isUnique: true),
      IndexLayout(name: "magnitude", columns: [3], isUnique: false),
      IndexLayout(name: "place_time", columns: [5, 4], isUnique: false),
    ],
    properties: ["code", "net", "serial", "magnitude", "time", "place", "groups"],
    preserved: [0, 3])

  static let group = TableLayout(
    name: "Group", columns: [ColumnLayout(name: "name", type: .string)], indexes: [],
    properties: ["name", "quakes"], preserved: [])

  static let sample = TableLayout(
    name: "Sample", columns: ValueType.allCases.map { ColumnLayout(name: "a_\($0.rawValue)", type: $0) },
    indexes: ValueType.allCases.indices.map {
      IndexLayout(name: "by_\(ValueType.allCases[$0].rawValue)", columns: [$0], isUnique: false)
    },
    properties: ValueType.allCases.map { "a_\($0.rawValue)" }, preserved: [])

  static let layout = Layout(
    tables: [quake, group, sample],
    links: [
      LinkLayout(name: "Quake_groups", source: 0, sourceName: "quake", target: 1, targetName: "group")
    ],
    entities: [
      EntityLayout(name: "Quake", table: 0), EntityLayout(name: "Group", table: 1),
      EntityLayout(name: "Sample", table: 2),
    ])

  static let quakes = TableProbe(0, quake)
  static let groups = TableProbe(1, group)
  static let samples = TableProbe(2, sample)
  /// The link table between quakes and groups.
  static let memberships: LinkID = 0

  /// The values of a quake's row.
  static func row(
    _ code: String?, net: String? = nil, serial: Int64? = nil, magnitude: Double? = nil,
    time: Double? = nil, place: String? = nil
  ) -> [Value] {
    [
      code.map(Value.string) ?? .null, net.map(Value.string) ?? .null, serial.map(Value.int) ?? .null,
      magnitude.map(Value.double) ?? .null,
      time.map { Value.date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null,
      place.map(Value.string) ?? .null,
    ]
  }

  /// Values of each type in ascending order, nil first, extremes included; all distinct.
  static func ascendingValues(of type: ValueType) -> [Value] {
    let values: [Value] =
      switch type {
      case .int16: [Int64(Int16.min), -256, -1, 0, 1, 255, 256, Int64(Int16.max)].map(Value.int)
      case .int32: [Int64(Int32.min), -65536, -1, 0, 1, 255, 256, Int64(Int32.max)].map(Value.int)
      case .int64:
        [
          Int64.min, -(1 << 53) - 1, -256, -1, 0, 1, 255, 256, 1 << 31, (1 << 32) + 1, (1 << 53) + 1,
          Int64.max,
        ]
        .map(Value.int)
      case .decimal:
        [
          "-123456789012345678901234567890", "-10", "-9.99", "-0.001", "0", "0.0001", "0.001", "1", "1.5",
          "9",
          "10", "123456789.123456789", "99999999999999999999999999999999999999",
        ]
        .compactMap { Decimal(string: $0).map(Value.decimal) }
      case .double:
        [
          -Double.infinity, -Double.greatestFiniteMagnitude, -1.5, -Double.leastNonzeroMagnitude, 0,
          Double.leastNonzeroMagnitude, 1, 1.0.nextUp, 1e300, Double.infinity,
        ].map(Value.double)
      case .float:
        [-Float.infinity, -1.5, -Float.leastNonzeroMagnitude, 0, 1, Float(1).nextUp, Float.infinity]
          .map(Value.float)
      case .boolean: [.bool(false), .bool(true)]
      case .date:
        [-63_114_076_800, -978_307_200.000001, -1, 0, 0.000001, 628_473_540.123, 64_092_211_200]
          .map { Value.date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .string: texts.map(Value.string)
      case .uri: ["", "bolide:a", "bolide:a\u{0}", "bolide:b", "https://example.org/é"].map(Value.uri)
      case .uuid:
        [
          "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001",
          "7FFFFFFF-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
          "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        ].compactMap { UUID(uuidString: $0).map(Value.uuid) }
      case .binary:
        [[], [0], [0, 0], [0, 0xFF], [1], [1, 0], [1, 1], [0xFE], [0xFF], [0xFF, 0], [0xFF, 0xFF]]
          .map(Value.binary)
      case .reference: [1, 2, 255, 256, 1 << 40, Int64.max].map(Value.reference)
      }
    return [.null] + values
  }

  private static let texts = [
    "", "\u{0}", "\u{0}\u{0}", "\u{1}", "É0", "a", "a\u{0}", "a\u{0}b", "a\u{0}c", "ab", "b", "nc731", "é",
    "é1",
    "\u{FFFD}", "😀", "😀\u{0}", "\u{10FFFF}",
  ].sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) }
}
