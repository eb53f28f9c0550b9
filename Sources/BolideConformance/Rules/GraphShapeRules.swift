import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Delete rules over what a save moves, cycles, relationships within one entity, inherited entities in batches.
  static var graphShapeCases: [CaseDefinition] {
    [
      CaseDefinition(
        "relationships/moved-before-a-delete",
        "Delete rules judge by the links that there are when a save ends.",
        rules: ["R-2"]
      ) { stage in
        for (rule, isRequired) in [(DeleteRule.cascade, false), (.deny, false), (.nullify, true)] {
          let container = try stage.container(shelves(rule, isRequired: isRequired))
          let context = container.newContext(author: "user")
          let shelves = try (0..<2).map { _ in try context.insert("Shelf") }
          let books = try (0..<2).map { _ in try context.insert("Book") }
          try shelves[0].addObjects(books, for: "books")
          try context.save()
          // One book moves from its own side, the other from the shelf's.
          try books[0].setObject(shelves[1], for: "shelf")
          try shelves[1].addObjects([books[1]], for: "books")
          context.delete(shelves[0])
          let result = try context.save()
          try checkEqual(
            [result.inserted, result.updated, result.deleted], [0, 3, 1], "\(rule): what was written")
          try checkEqual(try container.numbers("Book"), [1, 2], "\(rule): books")
          let fresh = container.newContext()
          try checkEqual(
            try fresh.fetch(FetchRequest<ManagedObject>(entity: "Shelf")).map {
              try $0.objects("books").map(\.objectID.number)
            }, [[1, 2]], "\(rule): books of the shelf that stayed")
          try checkEqual(
            try container.story().last,
            "2 user: update Book#1 shelf, update Book#2 shelf, delete Shelf#1, update Shelf#2 books",
            "\(rule): history")
        }
        let container = try stage.container(shelves(.cascade, isRequired: false))
        let context = container.newContext(author: "user")
        let shelf = try context.insert("Shelf")
        try context.save()
        let book = try context.insert("Book")
        try shelf.addObjects([book], for: "books")
        context.delete(shelf)
        let result = try context.save()
        try checkEqual([result.inserted, result.deleted], [0, 1], "a new member goes with its owner")
        try check(book.isDeleted, "it says so")
        let denying = try stage.container(shelves(.deny, isRequired: false))
        let other = denying.newContext(author: "user")
        let full = try other.insert("Shelf")
        try other.save()
        try full.addObjects([try other.insert("Book")], for: "books")
        other.delete(full)
        try checkThrows(.validationDenied, label: "a shelf with a new book") { try other.save() }
        try checkEqual(try denying.counts().map(\.count), [0, 1], "books and shelves after the refusal")
      },
      CaseDefinition(
        "relationships/delete-cycles",
        "Cascades that lead back to where they began end, in saves and batches.",
        rules: ["R-2", "H-2"]
      ) { stage in
        for isBatch in [false, true] {
          let container = try stage.container(rings)
          let context = container.newContext(author: "user")
          let nodes = try (0..<5).map { _ in try context.insert("Node") }
          // A ring of three, a node that names itself, and one that nobody names.
          for (from, to) in [(0, 1), (1, 2), (2, 0), (3, 3)] {
            try nodes[from].setObject(nodes[to], for: "next")
          }
          let hub = try context.insert("Hub")
          try hub.addObjects([nodes[1]], for: "nodes")
          try context.save()
          let fresh = container.newContext()
          try checkEqual(
            try fresh.fetch(FetchRequest<ManagedObject>(entity: "Node")).map {
              [try $0.object("next")?.objectID.number, try $0.object("before")?.objectID.number]
            }, [[2, 3], [3, 1], [1, 2], [4, 4], [nil, nil]], "who follows whom")
          for (start, left, hubs) in [(nodes[0], [Number(4), 5], 0), (nodes[3], [5], 0)] {
            if isBatch {
              _ = try context.execute(BatchDeleteRequest(ids: [start.objectID]))
            } else {
              context.delete(start)
              try context.save()
            }
            try checkEqual(try container.numbers("Node"), left, "nodes left")
            try checkEqual(try container.numbers("Hub").count, hubs, "hubs left")
          }
        }
      },
      CaseDefinition(
        "relationships/many-to-many-within",
        "A many-to-many within one entity keeps its two sides, for an object with itself as well.",
        rules: ["R-1", "R-2", "R-3"]
      ) { stage in
        let container = try stage.container(people)
        let context = container.newContext(author: "user")
        let persons = try (0..<4).map { _ in try context.insert("Person") }
        try persons[0].addObjects([persons[1], persons[2], persons[0]], for: "follows")
        try persons[3].addObjects([persons[0]], for: "followers")
        func sides(_ context: ManagedObjectContext) throws -> [[[Number]]] {
          try context.fetch(FetchRequest<ManagedObject>(entity: "Person")).map { person in
            try ["follows", "followers"].map { key in
              try person.objects(key).map(\.objectID.number).sorted()
            }
          }
        }
        try context.save()
        let expected: [[[Number]]] = [[[1, 2, 3, 4], [1]], [[], [1]], [[], [1]], [[], [1]]]
        try checkEqual(try sides(context), expected, "sides in the context that saved")
        try checkEqual(try sides(container.newContext()), expected, "sides in a fresh context")
        try checkEqual(
          try container.values("Person", "followerCount"), [[.int(1)], [.int(1)], [.int(1)], [.int(1)]],
          "counts")
        try persons[1].removeObjects([persons[0]], for: "followers")
        try context.save()
        try checkEqual(
          try sides(container.newContext()), [[[1, 3, 4], [1]], [[], []], [[], [1]], [[], [1]]],
          "after removing")
        _ = try context.execute(BatchDeleteRequest(ids: [persons[2].objectID]))
        try checkEqual(
          try sides(container.newContext()), [[[1, 4], [1]], [[], []], [[], [1]]], "after a batch delete")
        try checkEqual(
          try container.story().last, "3 user: update Person#1 follows, delete Person#3", "history")
        context.delete(persons[0])
        try context.save()
        try checkEqual(
          try sides(container.newContext()), [[[], []], [[], []]], "after deleting one that follows itself")
        try checkEqual(
          try container.values("Person", "followerCount"), [[.int(0)], [.int(0)]], "counts at the end")
      },
      CaseDefinition(
        "entities/batches-and-ids", "Batches and ids of an entity mean its sub-entities, too, and no others.",
        rules: ["R-5", "R-2", "R-4"]
      ) { stage in
        let container = try stage.container(animals)
        let context = container.newContext(author: "user")
        let owner = try context.insert("Keeper")
        for (place, entity) in ["Animal", "Dog", "Puppy", "Cat", "Dog"].enumerated() {
          let animal = try context.insert(entity)
          try animal.setValue(.string("\(entity) \(place)"), for: "name")
          try animal.setObject(owner, for: "keeper")
        }
        try context.save()
        func names() throws -> [String] {
          try container.newContext().fetchIDs(FetchRequest<ManagedObject>(entity: "Animal")).map(
            \.description)
        }
        try checkEqual(try names(), ["Animal#1", "Dog#2", "Puppy#3", "Cat#4", "Dog#5"], "animals")
        let fresh = container.newContext()
        func id(_ entity: String, _ number: Number) -> ManagedObjectID {
          ManagedObjectID(storeID: container.storeID, entityName: entity, number: number)
        }
        let puppy = try fresh.existingObject(with: id("Animal", 3))
        try checkEqual(puppy.objectID.description, "Puppy#3", "an object by an id of its parent entity")
        try check(try fresh.existingObject(with: id("Dog", 3)) === puppy, "and by another one")
        for wrong in [id("Cat", 3), id("Puppy", 2), id("Dog", 1)] {
          try checkThrows(.objectMissing, label: "an object by an id of another entity, \(wrong)") {
            _ = try fresh.existingObject(with: wrong)
          }
          try checkThrows(.objectMissing, label: "a fault of another entity") {
            try fresh.object(with: wrong).load()
          }
        }
        let updated = try context.execute(
          BatchUpdateRequest(entity: "Dog", values: ["breed": .string("collie")]))
        try checkEqual(
          updated.updated.map(\.description), ["Dog#2", "Dog#5", "Puppy#3"], "updated with its sub-entity")
        let dogs = try context.execute(
          BatchDeleteRequest(
            entity: "Dog", where: .compare(.path(["name"]), .notEqual, .literal(.string("Dog 4")))))
        try checkEqual(dogs.deleted.map(\.description), ["Dog#2", "Puppy#3"], "deleted by the sub-entity")
        try checkEqual(try names(), ["Animal#1", "Cat#4", "Dog#5"], "animals left")
        try checkEqual(
          try container.values("Keeper", "count"), [[.int(3)]], "the keeper's count")
        var own = FetchRequest<ManagedObject>(entity: "Dog")
        own.includesSubentities = false
        try checkEqual(try container.newContext().fetchIDs(own).map(\.description), ["Dog#5"], "dogs alone")
        let all = try context.execute(BatchDeleteRequest(entity: "Keeper"))
        try checkEqual(
          all.deleted.map(\.description), ["Animal#1", "Cat#4", "Dog#5", "Keeper#1"],
          "a cascade into a family")
      },
      CaseDefinition(
        "entities/keys-of-others",
        "A key of the family is one key, and no object becomes one of another entity.",
        rules: ["R-5", "U-2", "U-3"]
      ) { stage in
        for policy in MergePolicy.allCases {
          let container = try stage.container(namedAnimals)
          try container.importRecords("Animal", [["name": .string("Ida")]])
          try container.importRecords("Dog", [["name": .string("Rex")]])
          let before = try container.dumpLines()
          let refuses = policy != .storeTrump && policy != .rollback
          // A dog that has the key of an animal.
          let record: [String: Value] = ["name": .string("Ida"), "breed": .string("collie")]
          let context = container.newContext(author: "user")
          context.mergePolicy = policy
          let dog = try context.insert("Dog")
          for (key, value) in record { try dog.setValue(value, for: key) }
          if refuses {
            try refused(.conflictUnique, "\(policy): a save") { try context.save() }
            try refused(.conflictUnique, "\(policy): a batch") {
              try container.importRecords("Dog", [record], policy: policy)
            }
            context.rollback()
          } else {
            try context.save()
            try check(dog.isDeleted, "\(policy): what was dropped says so")
            try container.importRecords("Dog", [record], policy: policy)
          }
          try checkEqual(try container.dumpLines(), before, "\(policy): the store")
          // An animal that has the key of a dog: its values go to the dog, which stays one.
          if policy == .error { continue }
          let result = try container.importRecords(
            "Animal", [["name": .string("Rex"), "age": .int(4)]], policy: policy)
          let ids = refuses ? result.updated : result.unchanged
          try checkEqual(ids.map(\.description), ["Dog#2"], "\(policy): what the batch met")
          let animal = try context.insert("Animal", "name", .string("Rex"))
          try animal.setValue(.int(5), for: "age")
          try context.save()
          try check(animal.isDeleted, "\(policy): the dog is the object now")
          try checkEqual(
            try container.values("Dog", "name", "age"), [[.string("Rex"), refuses ? .int(5) : .null]],
            "\(policy): the dog")
          if refuses {
            try checkEqual(
              try container.story(after: .number(2)).map { String($0.drop { $0 != ":" }) },
              [": update Dog#2 age", ": update Dog#2 age"], "\(policy): history")
          }
          try checkEqual(
            try context.values("Animal", ["name"]), [[.string("Ida")], [.string("Rex")]], "\(policy): all")
        }
      },
      CaseDefinition(
        "generations/pinned-over-a-delete",
        "What was to be deleted when a context was pinned comes back as it is then.",
        rules: ["G-1", "M-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        view.retainsRegisteredObjects = true
        _ = try view.watchPicture()
        view.delete(try view.group("A"))
        try container.makeGroup("B", of: [1])
        _ = try container.newContext(author: "tool").execute(
          BatchUpdateRequest(entity: "Group", values: ["name": .string("renamed")]))
        try view.setQueryGeneration(from: .current)
        view.rollback()
        try checkEqual(try view.watchPicture(), try container.newContext().watchPicture(), "the picture")
      },
      CaseDefinition(
        "generations/shared-and-merged",
        "A context that shares an older generation merges what came after it again.",
        rules: ["G-1", "G-2", "M-2"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let old = container.newContext(author: "old")
        try old.setQueryGeneration(from: .current)
        let before = try old.watchPicture()
        let view = container.newContext(author: "view")
        view.retainsRegisteredObjects = true
        _ = try view.watchPicture()
        try container.importRecords([sighting(1, energy: 9), sighting(7)])
        let news = try container.history(PersistentHistoryRequest(after: .number(2))).transactions
        for transaction in news { try view.mergeChanges(from: transaction) }
        let after = try container.newContext().watchPicture()
        try checkEqual(try view.watchPicture(), after, "merged")
        let generation = try checkPresent(old.queryGeneration, "the generation")
        try view.setQueryGeneration(from: .generation(generation))
        try checkEqual(try view.watchPicture(), before, "sharing an older generation")
        for transaction in news { try view.mergeChanges(from: transaction) }
        try checkEqual(try view.watchPicture(), after, "merged again")
        try checkEqual(try old.watchPicture(), before, "whose generation it was")
        try view.setQueryGeneration(from: .unpinned)
        try checkEqual(try view.watchPicture(), after, "unpinned")
        let other = try stage.container(
          RuleModel.watch, options: .suite(seed: 2)
        ).newContext()
        try refused(.contextPinned, "a generation of another store") {
          try other.setQueryGeneration(from: .generation(generation))
        }
      },
    ]
  }

  private static func shelves(_ rule: DeleteRule, isRequired: Bool) -> Schema {
    Schema(
      name: "Shelves",
      entities: [
        EntityDescription(
          name: "Book", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "shelf", destination: "Shelf", inverse: "books", isOptional: !isRequired)
          ]),
        EntityDescription(
          name: "Shelf", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "books", destination: "Book", inverse: "shelf", isToMany: true, deleteRule: rule)
          ]),
      ])
  }

  /// Nodes that take the next one along, and a hub that goes with its nodes.
  private static let rings = Schema(
    name: "Rings",
    entities: [
      EntityDescription(
        name: "Node", attributes: [],
        relationships: [
          RelationshipDescription(
            name: "next", destination: "Node", inverse: "before", deleteRule: .cascade),
          RelationshipDescription(name: "before", destination: "Node", inverse: "next"),
          RelationshipDescription(name: "hub", destination: "Hub", inverse: "nodes", deleteRule: .cascade),
        ]),
      EntityDescription(
        name: "Hub", attributes: [],
        relationships: [
          RelationshipDescription(
            name: "nodes", destination: "Node", inverse: "hub", isToMany: true, deleteRule: .cascade)
        ]),
    ])

  private static let people = Schema(
    name: "People",
    entities: [
      EntityDescription(
        name: "Person",
        attributes: [
          AttributeDescription(
            name: "followerCount", type: .int64, isOptional: false,
            derivation: .count(relationship: "followers"))
        ],
        relationships: [
          RelationshipDescription(
            name: "follows", destination: "Person", inverse: "followers", isToMany: true),
          RelationshipDescription(
            name: "followers", destination: "Person", inverse: "follows", isToMany: true),
        ])
    ])

  private static let namedAnimals = Schema(
    name: "NamedAnimals",
    entities: [
      EntityDescription(
        name: "Animal",
        attributes: [
          AttributeDescription(name: "name", type: .string), AttributeDescription(name: "age", type: .int32),
        ], uniquenessConstraints: [["name"]]),
      EntityDescription(
        name: "Dog", parent: "Animal", attributes: [AttributeDescription(name: "breed", type: .string)]),
    ])

  private static let animals = Schema(
    name: "Zoo",
    entities: [
      EntityDescription(
        name: "Animal", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [RelationshipDescription(name: "keeper", destination: "Keeper", inverse: "animals")]),
      EntityDescription(
        name: "Dog", parent: "Animal", attributes: [AttributeDescription(name: "breed", type: .string)]),
      EntityDescription(name: "Puppy", parent: "Dog", attributes: []),
      EntityDescription(name: "Cat", parent: "Animal", attributes: []),
      EntityDescription(
        name: "Keeper",
        attributes: [
          AttributeDescription(
            name: "count", type: .int64, isOptional: false, derivation: .count(relationship: "animals"))
        ],
        relationships: [
          RelationshipDescription(
            name: "animals", destination: "Animal", inverse: "keeper", isToMany: true, deleteRule: .cascade)
        ]),
    ])
}
