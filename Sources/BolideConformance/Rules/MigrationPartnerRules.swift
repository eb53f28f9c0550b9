import Bolide
import BolideStorage

extension Conformance {
  /// Relationships that may name fewer objects in a later schema, or must name one (rules U-11, R-1 and R-2).
  static var migrationPartnerCases: [CaseDefinition] {
    [
      CaseDefinition(
        "migration/one-to-one",
        "A one-to-many becomes one-to-one where no object has several partners, and is refused untouched where one has.",
        rules: ["U-11", "R-1"]
      ) { stage in
        let many = fleet(.toOne, .toMany)
        let one = fleet(.toOne, .toOne)
        let container = try stage.container(many)
        try fill(container, [[1], [2], [1]])
        let error = try stage.refuseMigration(container, of: many, to: one, .migrationData)
        try check(error.message.hasPrefix("Captain#1.ships is to-one now and names 2 objects"), error.message)
        let again = stage.watch(try PersistentContainer(many, at: container.location, options: .suite()))
        let story = try again.story()
        try edit(again) { ships, _ in try ships.at(2).setObject(nil, for: "captain") }
        let migrated = try stage.migrate(again, to: one)
        try checkEqual(try pairs(migrated), ["Ship#1-Captain#1", "Ship#2-Captain#2"], "pairs")
        try checkEqual(try migrated.check(), [], "problems")
        try checkEqual(Array(try migrated.story().prefix(story.count)), story, "history")
        try edit(migrated) { ships, captains in try captains.at(0).setObject(try ships.at(2), for: "ships") }
        try checkEqual(
          try pairs(migrated), ["Ship#2-Captain#2", "Ship#3-Captain#1"], "a partner who changed ships")
        let back = try stage.migrate(migrated, to: many)
        try edit(back) { ships, captains in try captains.at(0).addObjects([try ships.at(0)], for: "ships") }
        try checkEqual(
          try pairs(back), ["Ship#1-Captain#1", "Ship#2-Captain#2", "Ship#3-Captain#1"], "many again")
        try checkEqual(try back.check(), [], "problems of many again")
      },
      CaseDefinition(
        "migration/many-to-one-to-one",
        "A many-to-many becomes one-to-many or one-to-one where no object names several on the side that is to-one.",
        rules: ["U-11", "R-1"]
      ) { stage in
        let many = fleet(.toMany, .toMany)
        let container = try stage.container(many)
        try fill(container, [[1, 2], [2], []])
        let refused = try stage.refuseMigration(
          container, of: many, to: fleet(.toOne, .toMany), .migrationData)
        try check(refused.message.hasPrefix("Ship#1.captain is to-one now and names 2"), refused.message)
        let both = try stage.refuseMigration(
          try PersistentContainer(many, at: container.location, options: .suite()), of: many,
          to: fleet(.toOne, .toOne), .migrationData)
        let text = both.revealingDescription
        try check(text.contains("Ship#1.captain") && text.contains("Captain#2.ships"), text)
        let again = stage.watch(try PersistentContainer(many, at: container.location, options: .suite()))
        try edit(again) { ships, captains in
          try ships.at(0).removeObjects([try captains.at(1)], for: "captain")
        }
        let migrated = try stage.migrate(again, to: fleet(.toOne, .toOne))
        try checkEqual(try pairs(migrated), ["Ship#1-Captain#1", "Ship#2-Captain#2"], "pairs")
        try checkEqual(try migrated.check(), [], "problems")
        let wide = try stage.migrate(migrated, to: many)
        try checkEqual(
          try pairs(wide), ["Ship#1-Captain#1", "Ship#2-Captain#2"], "pairs, many to many again")
      },
      CaseDefinition(
        "migration/required-partners",
        "A to-one that becomes required is refused, untouched, where an object names none, whichever side keeps the link.",
        rules: ["U-11", "R-2"]
      ) { stage in
        for kind in [Members.toMany, .toOne] {
          let before = fleet(.toOne, kind)
          let container = try stage.container(before)
          try fill(container, [[1], [], [2]])
          let later = MigrationModel.edited(before) {
            $0["Ship"][relationship: "captain"].isOptional = false
          }
          let error = try stage.refuseMigration(container, of: before, to: later, .migrationData)
          try check(error.revealingDescription.contains("Ship#2.captain"), error.revealingDescription)
          let again = stage.watch(try PersistentContainer(before, at: container.location, options: .suite()))
          try edit(again) { ships, captains in
            try ships.at(1).setObject(try captains.at(2), for: "captain")
          }
          let migrated = try stage.migrate(again, to: later)
          try checkThrows(.validationRequired, label: "a ship that loses its captain") {
            try edit(migrated) { ships, _ in try ships.at(1).setObject(nil, for: "captain") }
          }
          try checkEqual(try migrated.check(), [], "problems")
        }
        // The side that keeps no column.
        let before = fleet(.toOne, .toOne)
        let container = try stage.container(before)
        try fill(container, [[2], [1], []])
        let later = MigrationModel.edited(before) { $0["Captain"][relationship: "ships"].isOptional = false }
        let error = try stage.refuseMigration(container, of: before, to: later, .migrationData)
        try check(error.revealingDescription.contains("Captain#3.ships"), error.revealingDescription)
      },
    ]
  }

  private enum Members { case toOne, toMany }

  private static func fleet(_ captain: Members, _ ships: Members) -> Schema {
    Schema(
      name: "Fleet",
      entities: [
        EntityDescription(
          name: "Ship", attributes: [AttributeDescription(name: "name", type: .string)],
          relationships: [
            RelationshipDescription(
              name: "captain", destination: "Captain", inverse: "ships", isToMany: captain == .toMany)
          ]),
        EntityDescription(
          name: "Captain", attributes: [AttributeDescription(name: "name", type: .string)],
          relationships: [
            RelationshipDescription(
              name: "ships", destination: "Ship", inverse: "captain", isToMany: ships == .toMany)
          ]),
      ])
  }

  /// Saves three captains, and a ship for each list of captains' numbers.
  private static func fill(_ container: PersistentContainer, _ captains: [[Int]]) throws {
    let context = container.newContext(author: "user")
    let all = try (1...3).map { try context.insert("Captain", "name", .string("c\($0)")) }
    for (place, numbers) in captains.enumerated() {
      let ship = try context.insert("Ship", "name", .string("s\(place + 1)"))
      for number in numbers {
        if ship.entity.find("captain")?.relationship?.isToMany == true {
          try ship.addObjects([try all.at(number - 1)], for: "captain")
        } else {
          try ship.setObject(try all.at(number - 1), for: "captain")
        }
      }
    }
    try context.save()
  }

  private static func edit(
    _ container: PersistentContainer, _ body: ([ManagedObject], [ManagedObject]) throws -> Void
  ) throws {
    let context = container.newContext(author: "user")
    try body(
      try context.fetch(FetchRequest(entity: "Ship")), try context.fetch(FetchRequest(entity: "Captain")))
    try context.save()
  }

  /// The links as the ships tell them, after checking that the captains tell the same.
  private static func pairs(_ container: PersistentContainer) throws -> [String] {
    let context = container.newContext()
    func members(_ object: ManagedObject, _ key: String) throws -> [ManagedObject] {
      object.entity.find(key)?.relationship?.isToMany == true
        ? try object.objects(key) : try object.object(key).map { [$0] } ?? []
    }
    let ships = try context.fetch(FetchRequest<ManagedObject>(entity: "Ship"))
    let captains = try context.fetch(FetchRequest<ManagedObject>(entity: "Captain"))
    let seen = try ships.flatMap { ship in
      try members(ship, "captain").map { "\(ship.objectID)-\($0.objectID)" }
    }
    let other = try captains.flatMap { captain in
      try members(captain, "ships").map { "\($0.objectID)-\(captain.objectID)" }
    }
    try checkEqual(other.sorted(), seen.sorted(), "what captains tell")
    return seen.sorted()
  }
}
