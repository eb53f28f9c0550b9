import Bolide
import BolideStorage

/// The schema of the graph test: relationships of every kind, a required one among them, each delete rule, derived values
/// of each kind but times, a sub-entity, and keys: one attribute, two together, and two keys of one entity.
enum GraphModel {
  static let schema = Schema(name: "Graph", entities: [fireball, superbolide, group, observer, note, report])

  private static let fireball = EntityDescription(
    name: "Fireball",
    attributes: [
      AttributeDescription(name: "key", type: .int64, isOptional: false, isPreservedOnDeletion: true),
      AttributeDescription(name: "energy", type: .double),
      AttributeDescription(name: "text", type: .string),
      AttributeDescription(
        name: "observerName", type: .string, derivation: .value(path: ["observer", "name"])),
    ],
    relationships: [
      RelationshipDescription(name: "groups", destination: "Group", inverse: "fireballs", isToMany: true),
      RelationshipDescription(name: "observer", destination: "Observer", inverse: "sightings"),
    ],
    uniquenessConstraints: [["key"]])

  private static let superbolide = EntityDescription(
    name: "Superbolide", parent: "Fireball",
    attributes: [AttributeDescription(name: "crater", type: .string)])

  private static let group = EntityDescription(
    name: "Group",
    attributes: [
      AttributeDescription(name: "text", type: .string),
      AttributeDescription(
        name: "size", type: .int64, isOptional: false, derivation: .count(relationship: "fireballs")),
      AttributeDescription(
        name: "energy", type: .double, derivation: .sum(relationship: "fireballs", attribute: "energy")),
      AttributeDescription(name: "lower", type: .string, derivation: .lowercase(attribute: "text")),
    ],
    relationships: [
      RelationshipDescription(name: "fireballs", destination: "Fireball", inverse: "groups", isToMany: true),
      RelationshipDescription(name: "follows", destination: "Group", inverse: "followers", isToMany: true),
      RelationshipDescription(name: "followers", destination: "Group", inverse: "follows", isToMany: true),
      RelationshipDescription(name: "parent", destination: "Group", inverse: "children"),
      RelationshipDescription(
        name: "children", destination: "Group", inverse: "parent", isToMany: true, deleteRule: .cascade),
      RelationshipDescription(name: "keeper", destination: "Observer", inverse: "keeps"),
      RelationshipDescription(
        name: "reports", destination: "Report", inverse: "subject", isToMany: true, deleteRule: .cascade),
    ])

  private static let observer = EntityDescription(
    name: "Observer",
    attributes: [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(
        name: "noteCount", type: .int64, isOptional: false, derivation: .count(relationship: "notes")),
    ],
    relationships: [
      RelationshipDescription(
        name: "sightings", destination: "Fireball", inverse: "observer", isToMany: true, deleteRule: .deny),
      RelationshipDescription(
        name: "notes", destination: "Note", inverse: "owner", isToMany: true, deleteRule: .cascade),
      RelationshipDescription(name: "keeps", destination: "Group", inverse: "keeper"),
    ])

  private static let note = EntityDescription(
    name: "Note",
    attributes: [
      AttributeDescription(name: "text", type: .string),
      AttributeDescription(name: "ownerName", type: .string, derivation: .value(path: ["owner", "name"])),
    ],
    relationships: [
      RelationshipDescription(name: "owner", destination: "Observer", inverse: "notes"),
      RelationshipDescription(name: "report", destination: "Report", inverse: "summary"),
    ])

  private static let report = EntityDescription(
    name: "Report",
    attributes: [
      AttributeDescription(name: "series", type: .int64),
      AttributeDescription(name: "number", type: .int64),
      AttributeDescription(name: "code", type: .string),
      AttributeDescription(name: "text", type: .string),
      AttributeDescription(name: "upper", type: .string, derivation: .uppercase(attribute: "text")),
      AttributeDescription(name: "plain", type: .string, derivation: .canonical(attribute: "text")),
      AttributeDescription(
        name: "keeperName", type: .string, derivation: .value(path: ["subject", "keeper", "name"])),
    ],
    relationships: [
      RelationshipDescription(name: "subject", destination: "Group", inverse: "reports", isOptional: false),
      RelationshipDescription(
        name: "summary", destination: "Note", inverse: "report", deleteRule: .cascade),
    ],
    uniquenessConstraints: [["series", "number"], ["code"]])
}

extension GraphModel {
  /// The entities that are fetched, sub-entities along with their parent.
  static let roots = ["Fireball", "Group", "Observer", "Note", "Report"]

  /// The attribute that steps set, of each entity.
  static func text(of entity: GraphStep.Entity) -> String { entity == .observer ? "name" : "text" }

  /// What is wrong with a context: sides that disagree, and derived values that differ from recounted ones where
  /// nothing is unsaved.
  static func problems(of context: ManagedObjectContext, recounting: Bool) throws -> [String] {
    var problems: [String] = []
    for root in roots {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: root)) {
        problems += try disagreements(of: object)
        if recounting { problems += try staleValues(of: object) }
      }
    }
    return problems
  }

  private static func disagreements(of object: ManagedObject) throws -> [String] {
    var problems: [String] = []
    for property in object.entity.relationships {
      guard let inverse = property.relationship?.inverse else { continue }
      for member in try members(of: object, property) {
        if member.isDeleted {
          problems.append("\(object.objectID).\(property.name) names \(member.objectID), which is deleted")
          continue
        }
        guard let other = member.entity.relationships.first(where: { $0.name == inverse }) else { continue }
        if try !members(of: member, other).contains(object) {
          problems.append(
            "\(object.objectID).\(property.name) names \(member.objectID), whose \(inverse) does not name it")
        }
      }
    }
    return problems
  }

  private static func members(of object: ManagedObject, _ property: PropertyMap) throws -> [ManagedObject] {
    if property.relationship?.isToMany == true { return try object.objects(property.name) }
    return try object.object(property.name).map { [$0] } ?? []
  }

  private static func staleValues(of object: ManagedObject) throws -> [String] {
    var expected: [String: Value] = [:]
    switch object.entityName {
    case "Fireball", "Superbolide":
      expected["observerName"] = try object.object("observer")?.value("name") ?? .null
    case "Note":
      expected["ownerName"] = try object.object("owner")?.value("name") ?? .null
    case "Report":
      let text = try object.value("text")
      if case .string(let text) = text {
        expected["upper"] = .string(text.uppercased())
        expected["plain"] = .string(text.lowercased())
      } else {
        expected["upper"] = .null
        expected["plain"] = .null
      }
      expected["keeperName"] = try object.object("subject")?.object("keeper")?.value("name") ?? .null
    case "Observer":
      expected["noteCount"] = .int(Int64(try object.objects("notes").count))
    default:
      let fireballs = try object.objects("fireballs")
      expected["size"] = .int(Int64(fireballs.count))
      expected["energy"] = .double(
        try fireballs.reduce(0) { sum, fireball in
          if case .double(let energy) = try fireball.value("energy") { sum + energy } else { sum }
        })
      if case .string(let text) = try object.value("text") {
        expected["lower"] = .string(text.lowercased())
      } else {
        expected["lower"] = .null
      }
    }
    return try expected.sorted { $0.key < $1.key }.compactMap { name, value in
      let seen = try object.value(name)
      return seen == value ? nil : "\(object.objectID).\(name) is \(seen) and should be \(value)"
    }
  }

  /// Every object that a context shows, with all its values and members.
  static func picture(of context: ManagedObjectContext) throws -> [String] {
    try roots.flatMap { root in
      try context.fetch(FetchRequest<ManagedObject>(entity: root)).map { object in
        let parts = try object.entity.properties.map { property in
          if property.attribute != nil {
            return "\(property.name) \(CanonicalText.text(try object.value(property.name)))"
          }
          return "\(property.name) \(try members(of: object, property).map(\.objectID))"
        }
        return ([object.objectID.description] + parts).joined(separator: "  ")
      }
    }
  }
}
