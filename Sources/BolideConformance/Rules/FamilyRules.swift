import Bolide
import BolideStorage

extension Conformance {
  /// Keys that several entities share, several keys of one object, and requests that are executed again.
  static var familyCases: [CaseDefinition] {
    [
      CaseDefinition(
        "entities/keys-of-a-family",
        "A record that meets an object of a sub-entity changes it under its own name; one of another kind is refused.",
        rules: ["R-5", "U-1", "U-3"]
      ) { stage in
        let container = try stage.container(pets)
        try container.importRecords("Cat", [["name": .string("Ida"), "lives": .int(9)]])
        let met = try container.importRecords("Pet", [["name": .string("Ida"), "age": .int(3)]])
        try checkEqual(
          met.updated.map(\.description), ["Cat#1"], "an object that a record of its parent meets")
        try checkEqual(try container.story().last, "2 import: update Cat#1 age", "history")
        try checkEqual(
          try container.importRecords("Pet", [["name": .string("Ida")]]).unchanged.map(\.description),
          ["Cat#1"], "the same again")
        let dog: [String: Value] = ["name": .string("Ida"), "breed": .string("pug")]
        for policy in [MergePolicy.objectTrump, .overwrite, .error] {
          let error = try checkThrows(.conflictUnique, label: "a dog that meets a cat, by \(policy)") {
            try container.importRecords("Dog", [dog], policy: policy)
          }
          let text = ([error.message] + error.details).joined(separator: "\n")
          try check(text.contains("Cat#1"), "the error names whom the record meets: \(text)")
        }
        for policy in [MergePolicy.storeTrump, .rollback] {
          let result = try container.importRecords("Dog", [dog], policy: policy)
          try checkEqual(result.unchanged.map(\.description), ["Cat#1"], "what \(policy) leaves as it is")
        }
        try checkEqual(
          try container.values("Cat", "name", "age", "lives"), [[.string("Ida"), .int(3), .int(9)]], "the cat"
        )
        try checkEqual(try container.numbers("Dog"), [], "dogs")
      },
      CaseDefinition(
        "upsert/three-constraints",
        "A record that meets objects through three constraints is dropped once, by the policies that drop it.",
        rules: ["U-3", "U-5"]
      ) { stage in
        let container = try stage.container(badges)
        try container.importRecords("Badge", [["a": .int(1)], ["b": .int(1)], ["c": .int(1), "a": .int(3)]])
        let crossing: [String: Value] = ["a": .int(1), "b": .int(1), "c": .int(1), "d": .int(1)]
        for policy in [MergePolicy.storeTrump, .rollback] {
          let result = try container.importRecords("Badge", [crossing], policy: policy)
          try checkEqual(
            result.unchanged.map(\.number), [1, 2, 3], "objects that \(policy) leaves as they are")
          try check(result.transaction == nil, "\(policy) wrote a transaction")
        }
        try checkThrows(.conflictSeveral, label: "object trump") {
          try container.importRecords("Badge", [crossing])
        }
        try checkEqual(try container.numbers("Badge"), [1, 2, 3], "badges")
      },
      CaseDefinition(
        "upsert/executed-again", "A request made of records reads all of them each time that it is executed.",
        rules: ["U-8"]
      ) { stage in
        let request = BatchInsertRequest(
          entity: "Fireball", records: (1...600).map { sighting(Double($0), energy: 1) })
        let first = try stage.container(RuleModel.watch)
        try checkEqual(
          try first.newContext().execute(request).inserted.count, 600, "records in the first store")
        try checkEqual(try first.newContext().execute(request).unchanged.count, 600, "the same again")
        let second = try stage.container(RuleModel.watch)
        try second.importRecords([sighting(600)])
        let refusing = second.newContext()
        refusing.mergePolicy = .error
        try checkThrows(.conflictUnique, label: "a request of which one record meets an object") {
          _ = try refusing.execute(request)
        }
        try checkEqual(try second.numbers(), [1], "objects after the refusal")
        try checkEqual(
          try second.newContext().execute(request).inserted.count, 599, "records in the second store")
      },
      CaseDefinition(
        "relationships/derived-out-of-range",
        "A write whose derived value its attribute cannot hold is refused, and nothing is lost.",
        rules: ["R-3", "V-7"]
      ) { stage in
        let container = try stage.container(carts)
        let context = container.newContext(author: "user")
        let cart = try context.insert("Cart")
        let item = try context.insert("Item", "amount", .int(20_000))
        try item.setObject(cart, for: "cart")
        try context.save()
        try checkEqual(try container.values("Cart", "total"), [[.int(20_000)]], "the sum of one")
        let second = try context.insert("Item", "amount", .int(20_000))
        try second.setObject(cart, for: "cart")
        try checkThrows(.aggregateOverflow, label: "a sum beyond 16 bits") { _ = try context.save() }
        try checkThrows(.aggregateOverflow, label: "the same by a batch update") {
          _ = try container.newContext().execute(
            BatchUpdateRequest(entity: "Item", values: ["amount": .int(40_000)]))
        }
        try checkEqual(try container.values("Cart", "total"), [[.int(20_000)]], "the sum after both")
        try second.setValue(.int(1), for: "amount")
        try context.save()
        try checkEqual(try container.values("Cart", "total"), [[.int(20_001)]], "the sum of what fits")
      },
    ]
  }

  private static let pets = Schema(
    name: "Pets",
    entities: [
      EntityDescription(
        name: "Pet",
        attributes: [
          AttributeDescription(name: "name", type: .string), AttributeDescription(name: "age", type: .int64),
        ], uniquenessConstraints: [["name"]]),
      EntityDescription(
        name: "Cat", parent: "Pet", attributes: [AttributeDescription(name: "lives", type: .int64)]),
      EntityDescription(
        name: "Dog", parent: "Pet", attributes: [AttributeDescription(name: "breed", type: .string)]),
    ])

  private static let badges = Schema(
    name: "Badges",
    entities: [
      EntityDescription(
        name: "Badge", attributes: ["a", "b", "c", "d"].map { AttributeDescription(name: $0, type: .int64) },
        uniquenessConstraints: [["a"], ["b"], ["c"]])
    ])

  private static let carts = Schema(
    name: "Carts",
    entities: [
      EntityDescription(
        name: "Cart",
        attributes: [
          AttributeDescription(
            name: "total", type: .int16, isOptional: false,
            derivation: .sum(relationship: "items", attribute: "amount"))
        ],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", inverse: "cart", isToMany: true)
        ]),
      EntityDescription(
        name: "Item", attributes: [AttributeDescription(name: "amount", type: .int64)],
        relationships: [RelationshipDescription(name: "cart", destination: "Cart", inverse: "items")]),
    ])
}
