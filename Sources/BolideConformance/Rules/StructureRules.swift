import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Inherited entities, one-to-one relationships, relationships within one entity, and consumers.
  static var structureCases: [CaseDefinition] {
    [
      CaseDefinition(
        "entities/sub-entities", "Sub-entities share numbers, constraints and links of their parent.",
        rules: ["R-5", "U-1", "U-2"]
      ) { stage in
        let container = try stage.container(animals)
        try container.importRecords("Dog", [["name": .string("Rex"), "breed": .string("collie")]])
        try container.importRecords("Animal", [["name": .string("Ida")]])
        let taken = try container.importRecords(
          "Dog", [["name": .string("Rex"), "breed": .string("poodle")], ["name": .string("Zoe")]])
        try checkEqual(taken.updated.map(\.description), ["Dog#1"], "updated by the parent's constraint")
        try checkEqual(taken.inserted.map(\.description), ["Dog#3"], "numbers go on over the whole family")
        try checkEqual(
          try container.values("Animal", "name"), ["Rex", "Ida", "Zoe"].map { [.string($0)] },
          "a fetch of the parent includes its children")
        var own = FetchRequest<ManagedObject>(entity: "Animal")
        own.includesSubentities = false
        try checkEqual(try container.newContext().fetchIDs(own).map(\.number), [2], "the parent alone")
        try checkEqual(
          try container.values("Dog", "name", "breed"),
          [[.string("Rex"), .string("poodle")], [.string("Zoe"), .null]], "the child alone")
        let context = container.newContext(author: "user")
        let owner = try context.insert("Keeper")
        try owner.addObjects(try context.fetch(FetchRequest<ManagedObject>(entity: "Animal")), for: "animals")
        try context.save()
        let fresh = container.newContext()
        let kept = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Keeper")).at(0).objects("animals")
        try checkEqual(
          kept.map(\.objectID.description), ["Animal#2", "Dog#1", "Dog#3"], "members of both kinds")
        try checkEqual(
          try container.story().last,
          "4 user: update Animal#2 keeper, update Dog#1 keeper, update Dog#3 keeper, insert Keeper#1",
          "history")
      },
      CaseDefinition(
        "relationships/one-to-one",
        "A one-to-one names one object on each side; a new partner frees the old ones.",
        rules: ["R-1", "R-2"]
      ) { stage in
        let container = try stage.container(pairs)
        let context = container.newContext(author: "user")
        let lefts = try (0..<2).map { _ in try context.insert("Left") }
        let rights = try (0..<2).map { _ in try context.insert("Right") }
        for (left, right) in zip(lefts, rights) { try left.setObject(right, for: "right") }
        try context.save()
        try lefts[0].setObject(rights[1], for: "right")
        try context.save()
        let fresh = container.newContext()
        func partners(_ entity: String, _ key: String) throws -> [Number?] {
          try fresh.fetch(FetchRequest<ManagedObject>(entity: entity)).map {
            try $0.object(key)?.objectID.number
          }
        }
        try checkEqual(try partners("Left", "right"), [2, nil], "partners of the left side")
        try checkEqual(try partners("Right", "left"), [nil, 1], "partners of the right side")
        _ = try context.execute(BatchDeleteRequest(ids: [rights[1].objectID]))
        let later = container.newContext()
        let left = try later.fetch(FetchRequest<ManagedObject>(entity: "Left")).at(0)
        try check(try left.object("right") == nil, "a partner that is gone")
      },
      CaseDefinition(
        "relationships/within-one-entity",
        "A tree of objects of one entity keeps both sides, and cascades down.",
        rules: ["R-1", "R-2"]
      ) { stage in
        let container = try stage.container(tree)
        let context = container.newContext(author: "user")
        let nodes = try (0..<5).map { _ in try context.insert("Node") }
        for (child, parent) in [(1, 0), (2, 0), (3, 1)] {
          try nodes[child].setObject(nodes[parent], for: "parent")
        }
        try context.save()
        try nodes[0].removeObjects([nodes[2]], for: "children")
        try nodes[4].addObjects([nodes[2]], for: "children")
        try context.save()
        let fresh = container.newContext()
        let stored = try fresh.fetch(FetchRequest<ManagedObject>(entity: "Node"))
        try checkEqual(
          try stored.map { try $0.objects("children").map(\.objectID.number) }, [[2], [4], [], [], [3]],
          "children")
        try checkEqual(
          try stored.map { try $0.object("parent")?.objectID.number }, [nil, 1, 5, 2, nil], "parents")
        let result = try context.execute(BatchDeleteRequest(ids: [nodes[0].objectID]))
        try checkEqual(result.deleted.map(\.number), [1, 2, 4], "deleted with the root")
        try checkEqual(try container.numbers("Node"), [3, 5], "nodes left")
      },
      CaseDefinition(
        "history/consumers",
        "A purge of what is consumed keeps what the slowest has not seen, also after reopening.",
        rules: ["H-7", "H-8", "H8"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.registerConsumer("view")
        try container.registerConsumer("exporter")
        var tokens: [PersistentHistoryToken] = []
        for time in 1...6 {
          try container.importRecords([sighting(Double(time))])
          tokens.append(try container.currentToken())
        }
        let rings = Counter()
        let registration = container.onRemoteChange { rings.increment() }
        try container.advanceConsumer("view", to: tokens[5])
        try container.advanceConsumer("exporter", to: tokens[2])
        try container.advanceConsumer("exporter", to: tokens[0])
        try checkEqual(try container.purgeConsumedHistory(), 3, "transactions purged")
        try checkEqual(rings.count, 0, "signals for bookkeeping")
        withExtendedLifetime(registration) {}
        let again = try stage.reopen(container)
        try checkEqual(
          try again.consumers().map(\.position.number), [3, 6], "positions of exporter and view")
        let position = try checkPresent(try again.consumer("exporter"), "the exporter").position
        try checkEqual(try again.story(after: .token(position)).count, 3, "what it has not seen")
        try checkEqual(try again.purgeConsumedHistory(), 0, "a second purge")
        try again.removeConsumer("exporter")
        try checkEqual(try again.purgeConsumedHistory(), 3, "transactions purged without it")
        try checkThrows(.historyExpired, label: "its position after that") {
          _ = try again.story(after: .token(position))
        }
      },
    ]
  }

  private static let animals = Schema(
    name: "Animals",
    entities: [
      EntityDescription(
        name: "Animal", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "keeper", destination: "Keeper", inverse: "animals")
        ],
        uniquenessConstraints: [["name"]]),
      EntityDescription(
        name: "Dog", parent: "Animal", attributes: [AttributeDescription(name: "breed", type: .string)]),
      EntityDescription(
        name: "Keeper", attributes: [],
        relationships: [
          RelationshipDescription(name: "animals", destination: "Animal", inverse: "keeper", isToMany: true)
        ]),
    ])

  private static let pairs = Schema(
    name: "Pairs",
    entities: [
      EntityDescription(
        name: "Left", attributes: [],
        relationships: [RelationshipDescription(name: "right", destination: "Right", inverse: "left")]),
      EntityDescription(
        name: "Right", attributes: [],
        relationships: [RelationshipDescription(name: "left", destination: "Left", inverse: "right")]),
    ])

  private static let tree = Schema(
    name: "Tree",
    entities: [
      EntityDescription(
        name: "Node", attributes: [],
        relationships: [
          RelationshipDescription(name: "parent", destination: "Node", inverse: "children"),
          RelationshipDescription(
            name: "children", destination: "Node", inverse: "parent", isToMany: true, deleteRule: .cascade),
        ])
    ])
}
