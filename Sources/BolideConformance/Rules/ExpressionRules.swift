import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Batch updates with expressions over the row (rule R-6), and the story of Done.
  static var expressionCases: [CaseDefinition] {
    [
      CaseDefinition(
        "batch/update-expressions", "An expression gives each row its own new value, from the row as it was.",
        rules: ["R-6", "R-3", "U-5"]
      ) { stage in
        let container = try stage.container(shop)
        let context = container.newContext(author: "user")
        try fill(container, count: 1500)
        let result = try update(
          context, ["stock": "stock + 10", "low": "stock", "name": "concat(uppercase(name), \"!\")"],
          where: "code < 1200")
        try checkEqual(result.count, 1200, "updated")
        try checkEqual(result.unchanged.count, 0, "unchanged")
        try checkEqual(
          try container.values("Product", "stock", "low", "name").at(7), [.int(17), .int(7), .string("P7!")],
          "a row: low is what stock was before")
        try checkEqual(
          try container.values("Shop", "total"), [[.int(Int64(1500 * 1499 / 2 + 12000))]], "the derived sum")
        let none = try update(context, ["stock": "stock * 1"], where: "code < 5")
        try check(none.transaction == nil && none.unchanged.count == 5, "a change to the same values")
        try checkEqual(
          try container.story().last?.hasPrefix("5 user: update Product#1 low name stock, "), true, "history")
      },
      CaseDefinition(
        "batch/update-reads-before", "No row sees what the request makes of another, nor of itself.",
        rules: ["R-6", "U-4"]
      ) { stage in
        let container = try stage.container(shop)
        let context = container.newContext(author: "user")
        try fill(container, count: 1100)
        let products = try context.fetch(FetchRequest<ManagedObject>(entity: "Product"))
        for (product, before) in zip(products.dropFirst(), products) {
          try product.setObject(before, for: "before")
        }
        try context.save()
        try update(context, ["stock": "coalesce(before.stock, 100)", "low": "stock", "code": "code + 1"])
        let values = try container.values("Product", "code", "stock", "low")
        for (index, row) in values.enumerated() {
          let number = Int64(index)
          try checkEqual(
            row, [.int(number + 1), .int(number == 0 ? 100 : number - 1), .int(number)],
            "row \(index): its neighbor's old stock, and unique keys that all moved by one")
        }
      },
      CaseDefinition(
        "batch/update-expressions-refused",
        "Overflow, division by zero, nil where a value is required and mistakes of types refuse the whole request.",
        rules: ["R-6", "E-1"]
      ) { stage in
        let container = try stage.container(shop)
        let context = container.newContext(author: "user")
        try fill(container, count: 3)
        let before = try container.dumpLines()
        for (attribute, text, code, words) in [
          ("stock", "stock + 9223372036854775806", .expressionOverflow, "Product#3.stock"),
          ("small", "code * 20000", .expressionOverflow, "Product#3.small"),
          ("stock", "100 / (code - 2)", .expressionDivision, "Product#3.stock"),
          ("code", "low", .validationRequired, "Product#1.code"),
          ("code", "code / 5", .conflictUnique, "Product"),
          ("stock", "name", .expressionType, "Product.stock"),
          ("stock", "sotck", .schemaUnknownProperty, "stock"),
        ] as [(String, String, ErrorCode, String)] {
          let error = try checkThrows(code, label: "\(attribute) = \(text)") {
            try update(context, [attribute: text])
          }
          try check(error.message.contains(words), "\(words) is not in “\(error.message)”")
          try checkEqual(try container.dumpLines(), before, "contents after \(attribute) = \(text)")
        }
      },
      CaseDefinition(
        "batch/update-then-refresh",
        "What a request changed shows in loaded objects once they are refreshed by its ids.",
        rules: ["R-4", "R-6", "M-1"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.importRecords(
          "Item", (0..<4).map { ["title": .string("t\($0)"), "done": .bool(false)] })
        let list = container.newContext(author: "list")
        let items = try list.fetch(FetchRequest<ManagedObject>(entity: "Item"))
        try checkEqual(try items.map { try $0.value("title") }.count, 4, "loaded")
        let button = container.newContext(author: "button")
        let result = try button.execute(
          BatchUpdateRequest(
            entity: "Item", values: ["done": .bool(true)],
            expressions: ["title": try RowExpression(parsing: "concat(\"done: \", title)")],
            where: .not(.equals("title", .string("t3")))))
        try checkEqual(result.updated.map(\.description), ["Item#1", "Item#2", "Item#3"], "ids")
        try checkEqual(result.count, 3, "count")
        try check(result.didChange, "status")
        try checkEqual(
          try items.map { try $0.value("done") }, [.bool(false), .bool(false), .bool(false), .bool(false)],
          "before the refresh the list is stale")
        for id in result.updated { list.refresh(try list.existingObject(with: id), mergeChanges: false) }
        try checkEqual(
          try items.map { try $0.value("title") },
          ["done: t0", "done: t1", "done: t2", "t3"].map(Value.string),
          "after it")
        let gone = try button.execute(
          BatchDeleteRequest(entity: "Item", where: .equals("done", .bool(true))))
        try checkEqual(gone.count, 3, "deleted")
        try checkEqual(try container.values("Item", "title"), [[.string("t3")]], "what is left")
      },
    ]
  }

  /// A shop with products: a unique code, stock, a name, a neighbor, and a derived total.
  private static let shop = Schema(
    name: "Shop",
    entities: [
      EntityDescription(
        name: "Shop",
        attributes: [
          AttributeDescription(
            name: "total", type: .int64, derivation: .sum(relationship: "products", attribute: "stock"))
        ],
        relationships: [
          RelationshipDescription(name: "products", destination: "Product", inverse: "shop", isToMany: true)
        ]),
      EntityDescription(
        name: "Product",
        attributes: [
          AttributeDescription(name: "code", type: .int64, isOptional: false),
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "stock", type: .int64),
          AttributeDescription(name: "low", type: .int64), AttributeDescription(name: "small", type: .int16),
        ],
        relationships: [
          RelationshipDescription(name: "shop", destination: "Shop", inverse: "products"),
          RelationshipDescription(name: "before", destination: "Product", inverse: "after"),
          RelationshipDescription(name: "after", destination: "Product", inverse: "before", isToMany: true),
        ],
        uniquenessConstraints: [["code"]]),
    ])

  /// Products with codes and stock 0, 1, 2 …, all in one shop.
  private static func fill(_ container: PersistentContainer, count: Int64) throws {
    try container.importRecords(
      "Product",
      (0..<count).map { ["code": .int($0), "stock": .int($0), "name": .string("p\($0)")] })
    let context = container.newContext(author: "user")
    let shop = try context.insert("Shop")
    try context.save()
    try shop.addObjects(try context.fetch(FetchRequest<ManagedObject>(entity: "Product")), for: "products")
    try context.save()
    try context.execute(BatchUpdateRequest(entity: "Product", values: ["small": .int(1)]))
  }

  @discardableResult
  private static func update(
    _ context: ManagedObjectContext, _ expressions: [String: String], where condition: String? = nil
  ) throws -> BatchUpdateResult {
    try context.execute(
      BatchUpdateRequest(
        entity: "Product", expressions: try expressions.mapValues { try RowExpression(parsing: $0) },
        where: try condition.map { try Condition(parsing: $0) }))
  }
}
