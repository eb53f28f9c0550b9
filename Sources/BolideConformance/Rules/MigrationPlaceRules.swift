import Bolide
import BolideStorage

extension Conformance {
  /// Migrations whose tables look the same before and after, and history that begins later than its store.
  static var migrationPlaceCases: [CaseDefinition] {
    [
      CaseDefinition(
        "migration/required-and-unique",
        "A default that a unique attribute gets when it becomes required is refused where several objects would get it.",
        rules: ["U-7", "U-11"]
      ) { stage in
        func schema(isOptional: Bool) -> Schema {
          Schema(
            name: "Codes",
            entities: [
              EntityDescription(
                name: "Item",
                attributes: [
                  AttributeDescription(
                    name: "code", type: .string, isOptional: isOptional,
                    defaultValue: isOptional ? .null : .string("none"))
                ], uniquenessConstraints: [["code"]])
            ])
        }
        let place = try stage.makeLocation()
        let container = try stage.container(schema(isOptional: true), at: place)
        try container.importRecords("Item", [["code": .string("a")], [:], [:]])
        try container.close()
        try checkThrows(.migrationDuplicates, label: "two objects with the default") {
          _ = try stage.container(schema(isOptional: false), at: place)
        }
        let again = try stage.container(schema(isOptional: true), at: place)
        try checkEqual(
          try again.values("Item", "code"), [[.string("a")], [.null], [.null]], "after the refusal")
        let context = again.newContext()
        _ = try context.execute(
          BatchDeleteRequest(ids: [try context.fetchIDs(FetchRequest<ManagedObject>(entity: "Item")).at(2)]))
        try again.close()
        let migrated = try stage.container(schema(isOptional: false), at: place)
        try checkEqual(
          try migrated.values("Item", "code"), [[.string("a")], [.string("none")]],
          "one object with the default")
      },
      CaseDefinition(
        "migration/names-exchanged",
        "Two entities of one shape exchange their names, and objects stay what they were.",
        rules: ["U-1", "U-11"]
      ) { stage in
        func schema(_ renames: Bool) -> Schema {
          Schema(
            name: "Twins",
            entities: zip(["Left", "Right"], ["Right", "Left"]).map { name, other in
              EntityDescription(
                name: name, attributes: [AttributeDescription(name: "x", type: .int64)],
                uniquenessConstraints: [["x"]], renamingID: renames ? other : nil)
            })
        }
        let container = try stage.container(schema(false))
        try container.importRecords("Left", [["x": .int(1)], ["x": .int(2)]])
        try container.importRecords("Right", [["x": .int(2)], ["x": .int(3)], ["x": .int(4)]])
        let migrated = try stage.migrate(container, to: schema(true))
        try checkEqual(try migrated.values("Right", "x"), [[.int(1)], [.int(2)]], "what was Left")
        try checkEqual(try migrated.values("Left", "x"), [[.int(2)], [.int(3)], [.int(4)]], "what was Right")
        try checkEqual(
          try migrated.importRecords("Left", [["x": .int(9)]]).inserted.map(\.description), ["Left#4"],
          "the next number")
      },
      CaseDefinition(
        "history/turned-on-later", "History that begins after its store is checked for what it can tell.",
        rules: ["H-1", "H-9"]
      ) { stage in
        let place = try stage.makeLocation()
        var without = ContainerOptions.suite()
        without.history = .off
        let first = try stage.container(RuleModel.watch, at: place, options: without)
        try first.importRecords([sighting(1), sighting(2)])
        let second = try stage.container(RuleModel.watch, at: place)
        try checkEqual(try second.check(), [], "problems of a store that was without history")
        try checkThrows(.historyRequired, label: "a write of the opening that keeps none") {
          try first.importRecords([sighting(3)])
        }
        try second.importRecords([sighting(4)])
        try checkEqual(try second.story(), ["1 import: insert Fireball#3"], "history")
        try checkEqual(try second.numbers(), [1, 2, 3], "objects")
      },
    ]
  }
}
