import Bolide

/// The models of the sample systems that Bolide plays in previews, scenarios and tests.
public enum SampleModel: String, CaseIterable, Sendable {
  /// Fireball sightings and the groups a person puts them into.
  case fireballWatch = "FireballWatch"
  /// Earthquakes, by the sample's plain key and by network and code.
  case earthquakes = "Earthquakes"
  /// A list whose items are checked off all at once.
  case done = "Done"
  /// To-dos with due dates, for lists that follow their data.
  case tasks = "Tasks"

  /// Finds a sample by its name, such as `FireballWatch`.
  public init?(named name: String) { self.init(rawValue: name) }

  /// The model's name.
  public var name: String { rawValue }

  /// The model.
  public var schema: Schema {
    switch self {
    case .fireballWatch: Schema(name: name, entities: [Self.fireball, Self.fireballGroup])
    case .earthquakes: Schema(name: name, entities: [Self.quake, Self.catalogQuake])
    case .done: Schema(name: name, entities: [Self.item])
    case .tasks: Schema(name: name, entities: [Self.task])
    }
  }

  private static let fireball = EntityDescription(
    name: "Fireball",
    attributes: [
      AttributeDescription(name: "dateTimeStamp", type: .date, isOptional: false),
      AttributeDescription(name: "latitude", type: .double),
      AttributeDescription(name: "longitude", type: .double),
      AttributeDescription(name: "altitude", type: .double),
      AttributeDescription(name: "velocity", type: .double),
      AttributeDescription(name: "radiatedEnergy", type: .double),
      AttributeDescription(name: "impactEnergy", type: .double),
    ],
    relationships: [
      RelationshipDescription(
        name: "groups", destination: "FireballGroup", inverse: "fireballs", isToMany: true)
    ],
    uniquenessConstraints: [["dateTimeStamp"]])

  private static let fireballGroup = EntityDescription(
    name: "FireballGroup",
    attributes: [
      AttributeDescription(name: "id", type: .uuid),
      AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(
        name: "fireballCount", type: .int64, isOptional: false,
        derivation: .count(relationship: "fireballs")),
    ],
    relationships: [
      RelationshipDescription(
        name: "fireballs", destination: "Fireball", inverse: "groups", isToMany: true)
    ])

  private static let quake = EntityDescription(
    name: "Quake",
    attributes: [
      AttributeDescription(name: "code", type: .string, isOptional: false),
      AttributeDescription(name: "magnitude", type: .double, isOptional: false),
      AttributeDescription(name: "place", type: .string, isOptional: false),
      AttributeDescription(name: "time", type: .date, isOptional: false),
    ],
    uniquenessConstraints: [["code"]])

  private static let catalogQuake = EntityDescription(
    name: "CatalogQuake",
    attributes: ["net", "code"].map {
      AttributeDescription(name: $0, type: .string, isOptional: false, isPreservedOnDeletion: true)
    }
      + ["id", "ids", "status", "type", "magType", "place"].map {
        AttributeDescription(name: $0, type: .string)
      }
      + ["updated", "time"].map { AttributeDescription(name: $0, type: .date) }
      + ["magnitude", "latitude", "longitude", "depth"].map {
        AttributeDescription(name: $0, type: .double)
      },
    uniquenessConstraints: [["net", "code"]])

  private static let item = EntityDescription(
    name: "Item",
    attributes: [
      AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(name: "createdAt", type: .date),
      AttributeDescription(name: "done", type: .boolean, isOptional: false, defaultValue: .bool(false)),
    ])

  private static let task = EntityDescription(
    name: "Task",
    attributes: [
      AttributeDescription(name: "title", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(
        name: "isCompleted", type: .boolean, isOptional: false, defaultValue: .bool(false)),
      AttributeDescription(name: "dueDate", type: .date),
    ])
}
