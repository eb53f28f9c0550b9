import Bolide
import BolideStorage

extension Conformance {
  /// What a save leaves where a policy decides, an object that is named goes, or a key is met.
  static var saveCases: [CaseDefinition] {
    [
      CaseDefinition(
        "saves/merged-row-takes-a-key",
        "A new object that would give the stored one it becomes the key of a third is refused.",
        rules: ["U-3", "H-2"]
      ) { stage in
        for policy in [MergePolicy.objectTrump, .overwrite] {
          let container = try stage.container(keys)
          try container.importRecords(
            "Part",
            [
              ["code": .string("X"), "a": .int(1), "b": .int(5)],
              ["code": .string("Z"), "a": .int(2), "b": .int(5)],
            ])
          let before = try container.dumpLines()
          let context = container.newContext(author: "user")
          let part = try context.insert("Part", "code", .string("X"))
          try part.setValue(.int(2), for: "a")
          if policy == .overwrite { try part.setValue(.int(5), for: "b") }
          let error = try checkThrows(.conflictSeveral, label: "\(policy): the save") {
            try context.save(policy: policy)
          }
          try check(error.message.contains("Part#2"), "\(policy): it names whose key it is: \(error.message)")
          try checkEqual(try container.dumpLines(), before, "\(policy): the store")
          try part.setValue(.int(3), for: "a")
          try context.save(policy: policy)
          try checkEqual(
            try container.values("Part", "code", "a", "b").at(0), [.string("X"), .int(3), .int(5)],
            "\(policy): the part with a key of its own")
        }
      },
      CaseDefinition(
        "saves/required-to-ones",
        "A to-one that must name an object is never left without one, whatever became of what it was to name.",
        rules: ["R-2", "V-9", "U-3"]
      ) { stage in
        for isNew in [true, false] {
          let container = try stage.container(shop)
          let context = container.newContext(author: "user")
          let owners = try ["A", "B"].map { try context.owner($0) }
          let stored = try context.insert("Item")
          try stored.setObject(owners[0], for: "owner")
          try context.save()
          let before = try container.dumpLines()
          let item = isNew ? try context.insert("Item") : stored
          try item.setObject(owners[1], for: "owner")
          context.delete(owners[1])
          let error = try checkThrows(.validationRequired, label: "naming what is deleted, \(isNew)") {
            try context.save()
          }
          let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
          try checkEqual(
            problems.map { "\($0.object).\($0.property ?? "-")" }, ["\(item.objectID).owner"], "problems")
          try checkEqual(try container.dumpLines(), before, "the store after naming what is deleted")
          context.rollback()
          // A new owner that the policy drops, since its key is taken.
          let twin = try context.owner("B")
          let other = isNew ? try context.insert("Item") : stored
          try other.setObject(twin, for: "owner")
          try other.setValue(.int(isNew ? 1 : 2), for: "place")
          if isNew {
            try checkThrows(.validationRequired, label: "naming what the policy drops") {
              try context.save(policy: .rollback)
            }
            try checkEqual(try container.dumpLines(), before, "the store after naming what is dropped")
          } else {
            try context.save(policy: .rollback)
            try checkEqual(
              try container.newContext().namesOfOwners(), ["A"], "an item whose new owner was dropped")
          }
          try checkEqual(try container.check(), [], "problems of the store")
        }
      },
      CaseDefinition(
        "saves/store-trump-leaves-to-ones",
        "Where the store wins, a to-one stays as it is stored, whether it was to name a stored object or a new one.",
        rules: ["U-3", "U-9", "U-10"]
      ) { stage in
        for isNew in [true, false] {
          let container = try stage.container(tags)
          let first = container.newContext(author: "first")
          let a = try first.owner("A")
          let c = try first.owner("C")
          let item = try first.item("X", of: a)
          try first.save()
          // A new object that meets a stored one.
          let second = container.newContext(author: "second")
          let b = try isNew ? second.owner("B") : second.existingObject(with: c.objectID)
          let twin = try second.item("X", of: b)
          let tag = try second.insert("Tag")
          try twin.addObjects([tag], for: "tags")
          try second.save(policy: .storeTrump)
          try checkEqual(try container.newContext().namesOfOwners(), ["A"], "the owner of what was met")
          let fresh = container.newContext()
          try checkEqual(
            try fresh.fetch(FetchRequest<ManagedObject>(entity: "Item")).map { try $0.objects("tags").count },
            [1], "its tags: members are added, and never conflict")
          // An object whose owner another writer changed meanwhile.
          let third = container.newContext(author: "third")
          try third.existingObject(with: item.objectID).setObject(
            try third.existingObject(with: c.objectID), for: "owner")
          try third.save()
          let d = try isNew ? first.owner("D") : a
          try item.setObject(nil, for: "owner")
          try item.setObject(d, for: "owner")
          try item.setValue(.string("mine"), for: "note")
          try first.save(policy: .storeTrump)
          try checkEqual(
            try container.newContext().namesOfOwners(), ["C"], "the owner that another writer set")
          try checkEqual(try container.values("Item", "note"), [[.string("mine")]], "what nobody else set")
          try checkEqual(try item.object("owner")?.objectID, c.objectID, "what the context shows")
          try checkEqual(try container.check(), [], "problems of the store")
        }
      },
      CaseDefinition(
        "saves/overwrite-brings-to-ones",
        "A new object that overwrites a stored one brings its to-ones, saved before or with it.",
        rules: ["U-3", "U-9"]
      ) { stage in
        for policy in [MergePolicy.objectTrump, .overwrite] {
          for isNew in [true, false] {
            let container = try stage.container(tags)
            let first = container.newContext(author: "first")
            let a = try first.owner("A")
            _ = try first.item("X", of: a)
            let c = try first.owner("C")
            try first.save()
            let second = container.newContext(author: "second")
            let owner = try isNew ? second.owner("C") : second.existingObject(with: c.objectID)
            _ = try second.item("X", of: owner)
            try second.save(policy: policy)
            try checkEqual(
              try container.newContext().namesOfOwners(), ["C"], "the owner, \(policy), new: \(isNew)")
          }
        }
      },
      CaseDefinition(
        "saves/object-that-is-held-goes-on",
        "An object that the context holds goes on where a new one with its key becomes it.",
        rules: ["U-3", "U-9", "M-4"]
      ) { stage in
        for policy in [MergePolicy.objectTrump, .overwrite, .storeTrump] {
          let container = try stage.container(tags)
          let context = container.newContext(author: "user")
          let held = try context.item("X", of: nil)
          try held.setValue(.string("old"), for: "note")
          try context.save()
          try held.setValue(.string("mine"), for: "note")
          let twins = try (0..<2).map { _ in try context.item("X", of: nil) }
          try twins[1].setValue(.string("new"), for: "other")
          try context.save(policy: policy)
          let expected: [Value] =
            switch policy {
            case .objectTrump: [.string("mine"), .string("new")]
            case .overwrite: [.null, .string("new")]
            default: [.string("mine"), .null]
            }
          try checkEqual(
            try ["note", "other"].map { try held.value($0) }, expected, "\(policy): the object held")
          try checkEqual(
            try container.values("Item", "note", "other"), [expected], "\(policy): what is stored")
          try check(
            context.registeredObject(for: held.objectID) === held, "\(policy): the object of its id")
          for twin in twins {
            try check(twin.isDeleted, "\(policy): a new object says that it is none any more")
            try checkEqual(twin.objectID, held.objectID, "\(policy): the id of what it became")
          }
          try held.setValue(.string("later"), for: "note")
          try context.save()
          try checkEqual(
            try container.values("Item", "note"), [[.string("later")]], "\(policy): the next edit")
        }
      },
    ]
  }

  private static let keys = Schema(
    name: "Keys",
    entities: [
      EntityDescription(
        name: "Part",
        attributes: [
          AttributeDescription(name: "code", type: .string), AttributeDescription(name: "a", type: .int64),
          AttributeDescription(name: "b", type: .int64),
        ], uniquenessConstraints: [["code"], ["a", "b"]])
    ])

  /// Items that must have an owner; owners have keys.
  private static let shop = Schema(
    name: "Shop",
    entities: [
      EntityDescription(
        name: "Owner", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
        ], uniquenessConstraints: [["name"]]),
      EntityDescription(
        name: "Item", attributes: [AttributeDescription(name: "place", type: .int64)],
        relationships: [
          RelationshipDescription(name: "owner", destination: "Owner", inverse: "items", isOptional: false)
        ]),
    ])

  /// Items with a key, which may have an owner and tags.
  private static let tags = Schema(
    name: "Tags",
    entities: [
      EntityDescription(
        name: "Owner", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "owner", isToMany: true)
        ]),
      EntityDescription(
        name: "Item",
        attributes: ["code", "note", "other"].map { AttributeDescription(name: $0, type: .string) },
        relationships: [
          RelationshipDescription(name: "owner", destination: "Owner", inverse: "items"),
          RelationshipDescription(name: "tags", destination: "Tag", inverse: "items", isToMany: true),
        ], uniquenessConstraints: [["code"]]),
      EntityDescription(
        name: "Tag", attributes: [],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "tags", isToMany: true)
        ]),
    ])
}

extension ManagedObjectContext {
  /// A new owner.
  fileprivate func owner(_ name: String) throws -> ManagedObject {
    let owner = try insert("Owner")
    try owner.setValue(.string(name), for: "name")
    return owner
  }

  /// A new item.
  fileprivate func item(_ code: String, of owner: ManagedObject?) throws -> ManagedObject {
    let item = try insert("Item")
    try item.setValue(.string(code), for: "code")
    if let owner { try item.setObject(owner, for: "owner") }
    return item
  }

  /// The names of the items' owners.
  fileprivate func namesOfOwners() throws -> [String] {
    try fetch(FetchRequest<ManagedObject>(entity: "Item")).map { item in
      guard case .string(let name)? = try item.object("owner")?.value("name") else { return "nobody" }
      return name
    }
  }
}
