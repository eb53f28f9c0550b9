import Bolide
import BolideStorage
import Foundation

/// The schemas that the cases of the rules share.
enum RuleModel {
  /// Sightings in groups: a unique date, what a feed carries, what a person adds, a derived count.
  static let watch = Schema(name: "Watch", entities: [fireball, group])

  /// Stations with two constraints, and quakes with one of two parts.
  static let catalog = Schema(name: "Catalog", entities: [station, quake])

  /// Persons and their items: a to-one with its inverse.
  static let items = Schema(name: "Items", entities: [person, item])

  /// One attribute of every type.
  static let sample = Schema(name: "Sample", entities: [everything])

  /// The types of ``sample``; its attributes are called `a_` and the type.
  static let types = ValueType.allCases.filter { $0 != .reference }

  private static let fireball = EntityDescription(
    name: "Fireball",
    attributes: [
      AttributeDescription(name: "time", type: .date, isOptional: false, isPreservedOnDeletion: true),
      AttributeDescription(name: "energy", type: .double),
      AttributeDescription(name: "place", type: .string),
      AttributeDescription(
        name: "isFavorite", type: .boolean, isOptional: false, defaultValue: .bool(false)),
      AttributeDescription(name: "note", type: .string),
    ],
    relationships: [
      RelationshipDescription(name: "groups", destination: "Group", inverse: "fireballs", isToMany: true)
    ],
    uniquenessConstraints: [["time"]])

  private static let group = EntityDescription(
    name: "Group",
    attributes: [
      AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(
        name: "size", type: .int64, isOptional: false, derivation: .count(relationship: "fireballs")),
    ],
    relationships: [
      RelationshipDescription(name: "fireballs", destination: "Fireball", inverse: "groups", isToMany: true)
    ])

  private static let station = EntityDescription(
    name: "Station",
    attributes: [
      AttributeDescription(name: "code", type: .string),
      AttributeDescription(name: "serial", type: .int32),
      AttributeDescription(name: "height", type: .double),
    ],
    uniquenessConstraints: [["code"], ["serial"]])

  private static let quake = EntityDescription(
    name: "Quake",
    attributes: [
      AttributeDescription(name: "net", type: .string),
      AttributeDescription(name: "code", type: .string),
      AttributeDescription(name: "magnitude", type: .double),
    ],
    uniquenessConstraints: [["net", "code"]])

  private static let person = EntityDescription(
    name: "Person",
    attributes: [
      AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string(""))
    ],
    relationships: [
      RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
    ])

  private static let item = EntityDescription(
    name: "Item",
    attributes: [
      AttributeDescription(name: "title", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(name: "done", type: .boolean, isOptional: false, defaultValue: .bool(false)),
    ],
    relationships: [RelationshipDescription(name: "owner", destination: "Person", inverse: "items")])

  private static let everything = EntityDescription(
    name: "Sample", attributes: types.map { AttributeDescription(name: "a_\($0.rawValue)", type: $0) })
}

/// A sighting as a feed's record has it; `t` is its date in seconds.
func sighting(_ time: Double, energy: Double? = nil, place: String? = nil) -> [String: Value] {
  var record: [String: Value] = ["time": .date(Date(timeIntervalSinceReferenceDate: time))]
  record["energy"] = energy.map(Value.double)
  record["place"] = place.map(Value.string)
  return record
}
