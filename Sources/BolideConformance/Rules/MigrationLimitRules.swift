import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What of a migration is refused, derived or interrupted (rules U-7 and U-11).
  static var migrationLimitCases: [CaseDefinition] {
    [
      CaseDefinition(
        "migration/derived", "New derived attributes are true at once, and old ones stay true.",
        rules: ["U-11", "R-3"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        func derived(_ name: String, _ type: ValueType, _ text: String) throws -> AttributeDescription {
          AttributeDescription(name: name, type: type, derivation: try Derivation(parsing: text))
        }
        var later = MigrationModel.first
        later["Person"].attributes += [
          try derived("itemCount", .int64, "items.@count"), try derived("total", .int64, "items.amount.@sum"),
          try derived("search", .string, "canonical:(name)"), try derived("changed", .date, "now()"),
        ]
        later["Item"].attributes.append(try derived("ownerName", .string, "owner.name"))
        let migrated = try stage.migrate(container, to: later)
        try checkEqual(
          try migrated.values("Person", "itemCount", "total", "search"),
          [[.int(3), .int(9), .string("ann")], [.int(2), .int(6), .string("bob")]], "persons")
        try checkEqual(
          try migrated.values("Item", "ownerName").prefix(6),
          ["Ann", "Bob", "Ann", "Bob", "Ann"].map { [.string($0)] } + [[.null]], "items")
        try check(try migrated.values("Person", "changed").allSatisfy { $0 != [.null] }, "now() has a time")
        let next = try stage.migrate(
          migrated,
          to: MigrationModel.edited(later) { schema in
            schema["Item"][attribute: "ownerName"].derivation = .uppercase(attribute: "title")
            schema["Person"].relationships.removeAll()
            schema["Item"].relationships.removeAll { $0.name == "owner" }
            schema["Person"].attributes.removeAll { ["itemCount", "total"].contains($0.name) }
          })
        try checkEqual(try next.values("Item", "ownerName").at(6), [.string("T7")], "derived in another way")
      },
      CaseDefinition(
        "migration/names-change-hands", "Attributes swap names, and a name comes back with another type.",
        rules: ["U-11", "U-2"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        let later = MigrationModel.edited { schema in
          schema["Item"][attribute: "title"].name = "swap"
          schema["Item"][attribute: "note"].name = "title"
          schema["Item"][attribute: "swap"].name = "note"
          schema["Item"][attribute: "title"].renamingID = "note"
          schema["Item"][attribute: "note"].renamingID = "title"
          schema["Item"].uniquenessConstraints = [["note"]]
          schema["Item"][attribute: "amount"].name = "count"
          schema["Item"][attribute: "count"].renamingID = "amount"
          schema["Item"][attribute: "ratio"].name = "share"
          schema["Item"][attribute: "share"].renamingID = "ratio"
          schema["Item"][attribute: "amount"] = AttributeDescription(
            name: "amount", type: .string, isOptional: false, defaultValue: .string("none"))
          schema["Item"][attribute: "ratio"] = AttributeDescription(name: "ratio", type: .uuid)
        }
        let migrated = try stage.migrate(container, to: later)
        try checkEqual(
          try migrated.values("Item", "title", "note", "count", "share", "amount", "ratio").at(1),
          [.string("even"), .string("t2"), .int(2), .float(0.5), .string("none"), .null], "an item")
        try checkEqual(try migrated.story().last, "5 user: update Item#1 title", "history, by the new name")
        try checkThrows(.conflictUnique, label: "the constraint goes with the attribute") {
          try migrated.importRecords("Item", [["note": .string("t2")]], policy: .error)
        }
      },
      CaseDefinition(
        "migration/family", "A family gets a new head, and an attribute moves up to it.",
        rules: ["U-11", "R-5"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        let later = MigrationModel.edited { schema in
          schema["Being"] = EntityDescription(
            name: "Being", isAbstract: true, attributes: [AttributeDescription(name: "name", type: .string)])
          schema["Animal"].parent = "Being"
          schema["Animal"].attributes.removeAll { $0.name == "name" }
          schema["Cat"].attributes.append(
            AttributeDescription(
              name: "indoors", type: .boolean, isOptional: false, defaultValue: .bool(true)))
        }
        let migrated = try stage.migrate(container, to: later)
        try checkEqual(
          try migrated.values("Being", "name"), ["Rex", "Tom", "Ida"].map { [.string($0)] }, "beings")
        try checkEqual(
          try migrated.values("Cat", "name", "indoors"), [[.string("Tom"), .bool(true)]], "cats")
        try checkEqual(
          try migrated.members("Keeper", "animals"), [["Animal#3", "Cat#2", "Dog#1"]], "links")
        try migrated.importRecords("Animal", [["name": .string("Kit")]])
        try checkEqual(try migrated.numbers("Being"), [1, 2, 3, 4], "the next number")
      },
      CaseDefinition(
        "migration/refused",
        "What cannot be a later version is refused with names, and so are values that do not fit; nothing changes.",
        rules: ["U-11", "S-2", "S11"]
      ) { stage in
        let container = try stage.container(MigrationModel.first)
        try MigrationModel.fill(container)
        for (label, code, words, edit) in refusals {
          let again = try PersistentContainer(MigrationModel.first, at: container.location, options: .suite())
          let error = try stage.refuseMigration(
            again, of: MigrationModel.first, to: MigrationModel.edited(by: edit), code)
          let text = error.revealingDescription
          try check(text.contains(words), "\(label): “\(words)” is not in “\(text)”")
        }
        try container.close()
        var options = ContainerOptions.suite()
        options.migration = .refused
        let later = MigrationModel.edited { $0["Item"].attributes.removeAll { $0.name == "note" } }
        let error = try checkThrows(.schemaMismatch, label: "migration refused by option") {
          try PersistentContainer(later, at: container.location, options: options).close()
        }
        try checkEqual(error.details, ["remove Item.note"], "what it would do")
      },
      CaseDefinition(
        "migration/interrupted",
        "When any call of a migration fails, the store is as before or migrated whole.",
        rules: ["U-11", "S-1", "E-1"]
      ) { stage in
        let place = Location(path: try stage.makeLocation().path)
        let breaker = CallBreaker()
        let broken = StoreLocation(
          ForwardingBackend(StageBackend(stage), StoreWrapping(observer: breaker)), place)
        let right = StoreLocation(StageBackend(stage), place)
        let first = MigrationModel.first
        let later = MigrationModel.edited { schema in
          schema["Item"].name = "Article"
          schema["Article"].renamingID = "Item"
          schema["Person"][relationship: "items"].destination = "Article"
          schema["Tag"][relationship: "items"].destination = "Article"
          schema["Person"].uniquenessConstraints = [["age"]]
          schema["Person"][attribute: "size"] = AttributeDescription(
            name: "size", type: .int64, derivation: .count(relationship: "items"))
        }
        let container = try PersistentContainer(first, at: right, options: .suite())
        try container.importRecords("Item", (1...40).map { ["title": .string("t\($0)")] })
        try container.importRecords("Person", [["age": .int(1)], ["age": .int(2)]])
        let context = container.newContext(author: "user")
        try context.fetch(FetchRequest<ManagedObject>(entity: "Person")).at(0).addObjects(
          try context.fetch(FetchRequest<ManagedObject>(entity: "Item")), for: "items")
        try context.save()
        let before = try container.dumpLines()
        try container.close()
        for count in 0..<2_000 {
          breaker.arm(after: count)
          let result = Result { try PersistentContainer(later, at: broken, options: .suite()).close() }
          let call = breaker.disarm()
          if case .failure(let error) = result {
            try checkEqual((error as? BolideError)?.code, .storeIO, "call \(count)")
          }
          let stored = try PersistentContainer(at: right, options: .suite())
          try checkEqual(try stored.check(), [], "problems after call \(count)")
          if stored.schema == first {
            try checkEqual(try stored.dumpLines(), before, "contents after call \(count)")
            try stored.close()
            continue
          }
          try checkEqual(stored.schema, later, "the schema after call \(count)")
          try checkEqual(
            try stored.values("Person", "size"), [[.int(40)], [.int(0)]], "migrated after call \(count)")
          try stored.close()
          try check(count > 20, "\(count) calls were made only")
          // What failed after the commit was the close or what comes before it.
          if call == nil { return }
          try checkThrows(.schemaMismatch, label: "going back") { _ = try again(first, right) }
          return
        }
        throw ConformanceFailure("the migration never ends")
      },
    ]
  }

  /// Opens a store with migration refused.
  private static func again(_ schema: Schema, _ location: StoreLocation) throws -> PersistentContainer {
    var options = ContainerOptions.suite()
    options.migration = .refused
    return try PersistentContainer(schema, at: location, options: options)
  }

  private typealias Refusal = (String, ErrorCode, String, (inout Schema) -> Void)

  private static var refusals: [Refusal] {
    [
      (
        "another type", .schemaMismatch, "Item.note is int64 and was string",
        { $0["Item"][attribute: "note"].type = .int64 }
      ),
      (
        "narrower", .schemaMismatch, "Item.amount is int16 and was int32",
        { $0["Item"][attribute: "amount"].type = .int16 }
      ),
      (
        "required where one has none", .migrationData, "Person#2.legacy is required",
        {
          $0["Person"][attribute: "legacy"].isOptional = false
        }
      ),
      (
        "new and required", .migrationData, "Item#1.code is required",
        {
          $0["Item"][attribute: "code"] = AttributeDescription(name: "code", type: .string, isOptional: false)
        }
      ),
      (
        "other destination", .schemaMismatch, "Item.owner names objects of Tag",
        { schema in
          schema["Item"][relationship: "owner"].destination = "Tag"
          schema["Item"][relationship: "owner"].inverse = "owned"
          schema["Tag"][relationship: "owned"] = RelationshipDescription(
            name: "owned", destination: "Item", inverse: "owner", isToMany: true)
          schema["Person"].relationships.removeAll()
        }
      ),
      (
        "two families", .schemaMismatch, "number their objects each for itself",
        { schema in
          schema["Keeper"].parent = "Person"
          schema["Keeper"].attributes.removeAll()
        }
      ),
      ("another model", .schemaMismatch, "Station", { $0 = RuleModel.catalog }),
    ]
  }
}
