import BolideStorage
import Foundation

/// A layout as the fireball sample has it: sightings with a unique time, groups, and links between them.
enum FireballWatch {
  static let fireball = TableLayout(
    name: "Fireball",
    columns: [
      ColumnLayout(name: "altitude", type: .double), ColumnLayout(name: "dateTimeStamp", type: .date),
      ColumnLayout(name: "id", type: .uuid), ColumnLayout(name: "impactEnergy", type: .decimal),
      ColumnLayout(name: "isSeen", type: .boolean), ColumnLayout(name: "place", type: .string),
      ColumnLayout(name: "thumbnail", type: .binary), ColumnLayout(name: "url", type: .uri),
    ],
    indexes: [
      IndexLayout(name: "dateTimeStamp", columns: [1], isUnique: true),
      IndexLayout(name: "impactEnergy", columns: [3], isUnique: false),
      IndexLayout(name: "place_altitude", columns: [5, 0], isUnique: false),
    ],
    properties: [
      "altitude", "dateTimeStamp", "id", "impactEnergy", "isSeen", "place", "thumbnail", "url", "groups",
    ],
    preserved: [1, 3])

  static let group = TableLayout(
    name: "FireballGroup",
    columns: [ColumnLayout(name: "fireballCount", type: .int64), ColumnLayout(name: "name", type: .string)],
    indexes: [IndexLayout(name: "name", columns: [1], isUnique: true)],
    properties: ["fireballCount", "name", "fireballs"], preserved: [])

  static let layout = Layout(
    tables: [fireball, group],
    links: [
      LinkLayout(name: "Fireball_groups", source: 0, sourceName: "fireball", target: 1, targetName: "group")
    ],
    entities: [EntityLayout(name: "Fireball", table: 0), EntityLayout(name: "FireballGroup", table: 1)])

  /// A sighting whose values follow from its index.
  static func sighting(_ index: Int) -> [Value] {
    [
      .double(Double(index) / 4), .date(Date(timeIntervalSinceReferenceDate: Double(index) * 1.5)),
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, UInt8(index % 256)))),
      .decimal(Decimal(index) - Decimal(string: "0.5", locale: nil)!), .bool(index % 2 == 0),
      index % 3 == 0 ? .null : .string("place \(index % 5)"), .binary([0, UInt8(index % 256)]),
      .uri("https://example.org/\(index)"),
    ]
  }
}
