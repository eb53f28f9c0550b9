import Bolide
import BolideStorage
import Foundation

/// The stores that the cases of migration start from.
enum MigrationModel {
  /// Persons with items, items with tags, and a family of animals.
  static let first = Schema(
    name: "First",
    entities: [
      EntityDescription(
        name: "Person",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "age", type: .int16, isPreservedOnDeletion: true),
          AttributeDescription(name: "legacy", type: .string),
        ],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
        ]),
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "note", type: .string),
          AttributeDescription(name: "amount", type: .int32),
          AttributeDescription(name: "ratio", type: .float),
        ],
        relationships: [
          RelationshipDescription(name: "owner", destination: "Person", inverse: "items"),
          RelationshipDescription(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
        ],
        uniquenessConstraints: [["title"]]),
      EntityDescription(
        name: "Tag", attributes: [AttributeDescription(name: "label", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "tags", isToMany: true)
        ]),
      EntityDescription(
        name: "Animal", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [RelationshipDescription(name: "keeper", destination: "Keeper", inverse: "animals")]),
      EntityDescription(
        name: "Dog", parent: "Animal", attributes: [AttributeDescription(name: "breed", type: .string)]),
      EntityDescription(
        name: "Cat", parent: "Animal", attributes: [AttributeDescription(name: "lives", type: .int64)]),
      EntityDescription(
        name: "Keeper", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "animals", destination: "Animal", inverse: "keeper", isToMany: true)
        ]),
    ])

  /// A schema after an edit.
  static func edited(_ schema: Schema = first, by edit: (inout Schema) -> Void) -> Schema {
    var schema = schema
    edit(&schema)
    return schema
  }

  /// Fills a store: 3 persons, 700 items, one more deleted, 2 tags, 3 animals of a keeper.
  static func fill(_ container: PersistentContainer) throws {
    try container.importRecords(
      "Person",
      [
        ["name": .string("Ann"), "age": .int(30), "legacy": .string("x")],
        ["name": .string("Bob"), "age": .int(40)], ["name": .string("Ann"), "age": .null],
      ])
    try container.importRecords(
      "Item",
      (1...701).map {
        [
          "title": .string("t\($0)"), "note": .string($0 % 2 == 0 ? "even" : "odd"),
          "amount": .int(Int64($0)),
          "ratio": .float(Float($0) / 4),
        ]
      })
    let context = container.newContext(author: "user")
    let items = try context.fetch(FetchRequest<ManagedObject>(entity: "Item"))
    let persons = try context.fetch(FetchRequest<ManagedObject>(entity: "Person"))
    let tags = try ["red", "blue"].map { label in
      let tag = try context.insert("Tag", "label", .string(label))
      return tag
    }
    for index in 0..<5 {
      try items.at(index).setObject(try persons.at(index % 2), for: "owner")
      try items.at(index).addObjects(index == 0 ? tags : [tags.at(0)], for: "tags")
    }
    context.delete(try items.at(699))
    let keeper = try context.insert("Keeper", "name", .string("Zoe"))
    for (entity, name) in [("Dog", "Rex"), ("Cat", "Tom"), ("Animal", "Ida")] {
      let animal = try context.insert(entity)
      try animal.setValue(.string(name), for: "name")
      try animal.setObject(keeper, for: "keeper")
    }
    try context.save()
    context.delete(try persons.at(2))
    try context.save()
    try context.execute(
      BatchUpdateRequest(
        entity: "Item", values: ["note": .string("first")], where: .equals("title", .string("t1"))))
  }
}

extension Schema {
  /// The place of an entity, for edits.
  subscript(_ name: String) -> EntityDescription {
    get { entities.first { $0.name == name } ?? EntityDescription(name: name) }
    set {
      if let place = entities.firstIndex(where: { $0.name == name }) {
        entities[place] = newValue
      } else {
        entities.append(newValue)
      }
    }
  }
}

extension EntityDescription {
  /// The place of an attribute, for edits.
  subscript(attribute name: String) -> AttributeDescription {
    get { attributes.first { $0.name == name } ?? AttributeDescription(name: name, type: .string) }
    set {
      if let place = attributes.firstIndex(where: { $0.name == name }) {
        attributes[place] = newValue
      } else {
        attributes.append(newValue)
      }
    }
  }

  /// The place of a relationship, for edits.
  subscript(relationship name: String) -> RelationshipDescription {
    get {
      relationships.first { $0.name == name }
        ?? RelationshipDescription(name: name, destination: "", inverse: "")
    }
    set {
      if let place = relationships.firstIndex(where: { $0.name == name }) {
        relationships[place] = newValue
      } else {
        relationships.append(newValue)
      }
    }
  }
}
