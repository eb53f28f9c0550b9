import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Stores that are opened with a later schema (rules U-7 and U-11).
  static var migrationCases: [CaseDefinition] {
    [
      CaseDefinition(
        "migration/attributes",
        "Attributes come, go, are renamed, widened and required; objects keep ids, links, history and tokens.",
        rules: ["U-11", "H-2", "H-5", "S11"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        let token = try container.currentToken()
        let story = try container.story()
        let later = MigrationModel.edited { schema in
          schema["Person"].attributes.removeAll { $0.name == "legacy" }
          schema["Person"][attribute: "name"].name = "fullName"
          schema["Person"][attribute: "fullName"].renamingID = "name"
          schema["Person"][attribute: "city"] = AttributeDescription(name: "city", type: .string)
          schema["Item"][attribute: "amount"].type = .int64
          schema["Item"][attribute: "ratio"].type = .double
          schema["Item"][attribute: "done"] = AttributeDescription(
            name: "done", type: .boolean, isOptional: false, defaultValue: .bool(false))
          schema["Person"][attribute: "age"].isOptional = false
          schema["Person"][attribute: "age"].defaultValue = .int(7)
        }
        let migrated = try stage.migrate(container, to: later)
        try checkEqual(
          try migrated.values("Person", "fullName", "age", "city"),
          [[.string("Ann"), .int(30), .null], [.string("Bob"), .int(40), .null]], "persons")
        let item = try migrated.values("Item", "title", "note", "amount", "ratio", "done").at(4)
        try checkEqual(
          item, [.string("t5"), .string("odd"), .int(5), .double(1.25), .bool(false)], "an item")
        try checkEqual(try migrated.numbers("Item").count, 700, "items")
        try checkEqual(
          try migrated.members("Person", "items"), [["Item#1", "Item#3", "Item#5"], ["Item#2", "Item#4"]],
          "links")
        try checkEqual(
          try migrated.story().map { $0.replacing(" fullName", with: " name") }, story, "history, renamed")
        try checkEqual(try migrated.currentToken(), token, "the token")
        try migrated.importRecords("Item", [["title": .string("new"), "amount": .int(1 << 40)]])
        try checkEqual(try migrated.numbers("Item").last, 702, "the next number")
        let context = migrated.newContext(author: "user")
        try context.execute(
          BatchUpdateRequest(
            entity: "Item", values: ["done": .bool(true)], where: .equals("title", .string("t2"))))
        try checkEqual(
          try migrated.story(after: .token(token)),
          ["6 import: insert Item#702", "7 user: update Item#2 done"], "history goes on from the old token")
        let again = try stage.reopen(migrated)
        try checkEqual(try again.story(after: .token(token)).count, 2, "the same after reopening")
        let third = try stage.migrate(
          again,
          to: MigrationModel.edited(later) { schema in
            schema["Item"][attribute: "alpha"] = AttributeDescription(name: "alpha", type: .string)
            schema["Item"].attributes.removeAll { $0.name == "note" }
          })
        try checkEqual(
          try third.story().suffix(3),
          ["5 user: update Item#1", "6 import: insert Item#702", "7 user: update Item#2 done"],
          "names of properties in history, after one was added before them and one removed")
      },
      CaseDefinition(
        "migration/entities",
        "Entities come, go and are renamed; numbers, links and history go on, and no number is given twice.",
        rules: ["U-11", "U-1", "R-5", "H-2"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        let story = try container.story()
        let later = MigrationModel.edited { schema in
          schema["Item"].name = "Article"
          schema["Article"].renamingID = "Item"
          schema["Person"][relationship: "items"].destination = "Article"
          schema["Tag"][relationship: "items"].destination = "Article"
          schema["Aardvark"] = EntityDescription(
            name: "Aardvark", attributes: [AttributeDescription(name: "name", type: .string)])
          schema.entities.removeAll { $0.name == "Cat" }
        }
        let migrated = try stage.migrate(container, to: later)
        try checkEqual(try migrated.numbers("Article").count, 700, "articles")
        try checkEqual(
          try migrated.values("Animal", "name"), [[.string("Rex")], [.string("Ida")]], "animals without cats")
        let fresh = migrated.newContext()
        try checkEqual(
          try fresh.fetch(FetchRequest<ManagedObject>(entity: "Keeper")).at(0).objects("animals")
            .map(\.objectID.description), ["Animal#3", "Dog#1"], "no link to what is gone")
        try checkEqual(
          try fresh.fetch(FetchRequest<ManagedObject>(entity: "Tag")).map { try $0.objects("items").count },
          [5, 1], "links to the renamed")
        let renamed = try migrated.story()
        try checkEqual(renamed.count, story.count, "transactions")
        try check(
          renamed.at(1).hasPrefix("2 import: insert Article#1, insert Article#2"), "history of the renamed")
        try check(!renamed.joined().contains("Cat"), "what removed entities did is left out")
        try checkEqual(renamed.last, "5 user: update Article#1 note", "properties of the renamed")
        try migrated.importRecords("Article", [["title": .string("new")]])
        try migrated.importRecords("Dog", [["name": .string("Zak"), "breed": .string("pug")]])
        try checkEqual(try migrated.numbers("Article").last, 702, "the next number of the renamed")
        try checkEqual(try migrated.numbers("Dog"), [1, 4], "the next number of the family")
        let back = try stage.migrate(
          migrated,
          to: MigrationModel.edited(later) { schema in
            schema.entities.removeAll { $0.name == "Aardvark" }
            schema["Cat"] = EntityDescription(name: "Cat", parent: "Animal")
            schema["Article"].name = "Piece"
            schema["Piece"].renamingID = "Article"
            schema["Person"][relationship: "items"].destination = "Piece"
            schema["Tag"][relationship: "items"].destination = "Piece"
          })
        try checkEqual(try back.numbers("Cat"), [], "cats do not come back")
        try check(try back.story().at(1).hasPrefix("2 import: insert Piece#1"), "history after two renames")
        try checkEqual(try back.story().at(5), "6 import: insert Piece#702", "history from between")
      },
      CaseDefinition(
        "migration/relationships",
        "A to-one becomes to-many and back, relationships are renamed, added and removed.",
        rules: ["U-11", "R-1"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        func members(_ container: PersistentContainer, _ entity: String, _ key: String) throws -> [[Number]] {
          let context = container.newContext()
          return try context.fetch(FetchRequest<ManagedObject>(entity: entity)).prefix(5).map {
            try $0.objects(key).map(\.objectID.number)
          }
        }
        let many = MigrationModel.edited { schema in
          schema["Item"][relationship: "owner"].isToMany = true
          schema["Item"][relationship: "owner"].name = "owners"
          schema["Item"][relationship: "owners"].renamingID = "owner"
          schema["Person"][relationship: "items"].inverse = "owners"
          schema["Tag"][relationship: "items"].name = "articles"
          schema["Tag"][relationship: "articles"].renamingID = "items"
          schema["Item"][relationship: "tags"].inverse = "articles"
          schema["Tag"][relationship: "keeper"] = RelationshipDescription(
            name: "keeper", destination: "Keeper", inverse: "tags")
          schema["Keeper"][relationship: "tags"] = RelationshipDescription(
            name: "tags", destination: "Tag", inverse: "keeper", isToMany: true)
        }
        let migrated = try stage.migrate(container, to: many)
        try checkEqual(try members(migrated, "Item", "owners"), [[1], [2], [1], [2], [1]], "owners")
        try checkEqual(try members(migrated, "Person", "items"), [[1, 3, 5], [2, 4]], "items")
        try checkEqual(try members(migrated, "Tag", "articles"), [[1, 2, 3, 4, 5], [1]], "tags")
        try checkEqual(try members(migrated, "Item", "tags").at(0), [1, 2], "tags of an item")
        let one = MigrationModel.edited(many) { schema in
          schema["Item"][relationship: "owners"] = MigrationModel.first["Item"][relationship: "owner"]
          schema["Item"].relationships.removeAll { $0.name == "owners" }
          schema["Item"][relationship: "owner"] = MigrationModel.first["Item"][relationship: "owner"]
          schema["Item"][relationship: "owner"].renamingID = "owners"
          schema["Person"][relationship: "items"].inverse = "owner"
          schema["Keeper"].relationships.removeAll { $0.name == "tags" }
          schema["Tag"].relationships.removeAll { $0.name == "keeper" }
        }
        let context = migrated.newContext(author: "user")
        let persons = try context.fetch(FetchRequest<ManagedObject>(entity: "Person"))
        try persons.at(1).addObjects(
          [try context.fetch(FetchRequest<ManagedObject>(entity: "Item")).at(0)], for: "items")
        try context.save()
        let error = try stage.refuseMigration(migrated, of: many, to: one, .migrationData)
        try check(error.message.hasPrefix("Item#1.owner is to-one now and names 2 objects"), error.message)
        let again = stage.watch(try PersistentContainer(many, at: migrated.location, options: .suite()))
        let editor = again.newContext(author: "user")
        let owners = try editor.fetch(FetchRequest<ManagedObject>(entity: "Person"))
        try owners.at(1).removeObjects(
          [try editor.fetch(FetchRequest<ManagedObject>(entity: "Item")).at(0)], for: "items")
        try editor.save()
        let back = try stage.migrate(again, to: one)
        let fresh = back.newContext()
        try checkEqual(try members(back, "Person", "items"), [[1, 3, 5], [2, 4]], "items, to-one again")
        try checkEqual(
          try fresh.fetch(FetchRequest<ManagedObject>(entity: "Item")).prefix(3).map {
            try $0.object("owner")?.objectID.number
          }, [1, 2, 1], "owners, to-one again")
      },
      CaseDefinition(
        "migration/new-constraint",
        "A new constraint that the data break is refused with the duplicates' names and changes nothing.",
        rules: ["U-7", "U-2", "D18"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        try container.importRecords("Person", [["name": .string("Bob")], ["name": .null], ["name": .null]])
        let later = MigrationModel.edited { schema in
          schema["Person"].uniquenessConstraints = [["name"]]
          schema["Item"].indexes = [["note", "amount"]]
        }
        let error = try stage.refuseMigration(
          container, of: MigrationModel.first, to: later, .migrationDuplicates)
        try checkEqual(error.details, ["Person#4  name \"Bob\"  as Person#2"], "the duplicates")
        let again = stage.watch(
          try PersistentContainer(MigrationModel.first, at: container.location, options: .suite()))
        let context = again.newContext(author: "user")
        try context.execute(
          BatchDeleteRequest(entity: "Person", where: Condition(parsing: "SELF == Person#4")))
        let migrated = try stage.migrate(again, to: later)
        try checkThrows(.conflictUnique, label: "a duplicate afterwards") {
          try migrated.importRecords("Person", [["name": .string("Bob")]], policy: .error)
        }
        try checkEqual(
          try migrated.newContext().count(
            for: FetchRequest<ManagedObject>(entity: "Item", where: .equals("note", .string("even")))), 349,
          "found by the new index")
      },
    ]
  }
}

extension PersistentContainer {
  /// The members that each object of an entity names, as a fresh context sees them.
  func members(_ entity: String, _ key: String) throws -> [[String]] {
    let context = newContext()
    return try context.fetch(FetchRequest<ManagedObject>(entity: entity)).map {
      try $0.objects(key).map(\.objectID.description)
    }
  }
}

extension CaseStage {
  /// Closes a container and opens its store with a later schema.
  func migrate(_ container: PersistentContainer, to schema: Schema) throws -> PersistentContainer {
    try container.close()
    let migrated = watch(try PersistentContainer(schema, at: container.location, options: .suite()))
    try checkEqual(migrated.schema, schema, "the schema")
    return migrated
  }

  /// Opens a container's store with a schema that it refuses, and checks that its contents are as before.
  func refuseMigration(
    _ container: PersistentContainer, of schema: Schema, to later: Schema, _ code: ErrorCode
  ) throws -> BolideError {
    let before = try container.dumpLines()
    try container.close()
    let error = try checkThrows(code, label: "migrating") {
      try PersistentContainer(later, at: container.location, options: .suite()).close()
    }
    let again = try PersistentContainer(schema, at: container.location, options: .suite())
    try checkEqual(try again.dumpLines(), before, "contents after the refusal")
    try checkEqual(try again.check(), [], "problems after the refusal")
    try again.close()
    return error
  }
}
