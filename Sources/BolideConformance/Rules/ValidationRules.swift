import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What saves check (rule V-9).
  static var validationCases: [CaseDefinition] {
    [
      CaseDefinition(
        "validation/all-at-once",
        "A save reports every problem with object, property, rule and value, writes nothing and can go on.",
        rules: ["V-9", "E-1"]
      ) { stage in
        let container = try stage.container(strict)
        let context = container.newContext(author: "user")
        let good = try context.insert("Part", "code", .string("AB-1"))
        try context.save()
        let before = try container.dumpLines()
        try good.setValue(.int(101), for: "count")
        let bad = try context.insert("Part", "code", .string("nonsense"))
        try bad.setValue(.int(-1), for: "count")
        try bad.setValue(.string("a"), for: "name")
        try bad.setValue(.binary([1, 2, 3]), for: "bytes")
        let empty = try context.insert("Part")
        let error = try checkThrows(.validationRequired, label: "saving") { try context.save() }
        let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
        try checkEqual(
          problems.map {
            "\($0.object).\($0.property ?? "-") \($0.rule.rawValue) \(CanonicalText.text($0.value))"
          },
          [
            "\(empty.objectID).code required null", "\(bad.objectID).count minimum -1",
            "Part#1.count maximum 101",
            "\(bad.objectID).name min-length \"a\"", "\(bad.objectID).bytes max-length 0x010203",
            "\(bad.objectID).code pattern \"nonsense\"",
          ], "problems")
        try checkEqual(error.details.count, 6, "details")
        try check(!error.description.contains("nonsense"), "the description holds no value")
        try checkEqual(try container.dumpLines(), before, "contents")
        try checkEqual(try good.value("count"), .int(101), "the edit is still there")
        try check(context.hasChanges && bad.objectID.isTemporary, "the context is as it was")
        context.delete(bad)
        context.delete(empty)
        try good.setValue(.int(100), for: "count")
        let result = try context.save()
        try checkEqual([result.inserted, result.updated], [0, 1], "the corrected save")
      },
      CaseDefinition(
        "validation/members", "The least and the most members of a to-many hold, whichever side was edited.",
        rules: ["V-9", "R-1"]
      ) { stage in
        let container = try stage.container(teams)
        let context = container.newContext(author: "user")
        let team = try context.insert("Team")
        let players = try (0..<5).map { _ in try context.insert("Player") }
        func refused(_ label: String, _ rule: ValidationProblem.Rule, _ value: Int64) throws {
          let error = try checkThrows(.validationCount, label: label) { try context.save() }
          let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
          try checkEqual(problems.map(\.rule), [rule], "\(label): the rule")
          try checkEqual(problems.map(\.value), [.int(value)], "\(label): the count")
        }
        try refused("a team without players", .minCount, 0)
        try team.addObjects(players.prefix(1), for: "players")
        try refused("one player", .minCount, 1)
        try team.addObjects(players, for: "players")
        try refused("five players", .maxCount, 5)
        try checkEqual(try container.currentToken().number, 0, "transactions")
        try team.removeObjects(players.prefix(2), for: "players")
        try context.save()
        // From the other side, in another context that holds no team.
        let other = container.newContext(author: "other")
        for player in try other.fetch(FetchRequest<ManagedObject>(entity: "Player")).suffix(2) {
          try player.setObject(nil, for: "team")
        }
        try checkThrows(.validationCount, label: "leaving one player") { try other.save() }
        other.rollback()
        let last = try other.fetch(FetchRequest<ManagedObject>(entity: "Player")).at(4)
        other.delete(last)
        try other.save()
        other.delete(try other.fetch(FetchRequest<ManagedObject>(entity: "Player")).at(3))
        try checkThrows(.validationCount, label: "deleting one too many") { try other.save() }
        let fresh = container.newContext()
        try checkEqual(
          try fresh.fetch(FetchRequest<ManagedObject>(entity: "Team")).at(0).objects("players").count, 2,
          "players")
      },
      CaseDefinition(
        "validation/own-rules", "Rules of the class and of the schema are asked with the others.",
        rules: ["V-9"]
      ) { stage in
        var schema = Schema(Ticket.self)
        schema.addValidation(for: "Ticket") { object in
          guard case .int(let price) = try object.value("price"), price % 5 != 0 else { return }
          throw ValidationProblem(object.objectID, "price", value: .int(price), reason: "is no multiple of 5")
        }
        let container = try stage.container(schema)
        let context = container.newContext(author: "user")
        let ticket = Ticket(context: context)
        ticket.price = 3
        ticket.seat = "Z9"
        let error = try checkThrows(.validationCustom, label: "saving") { try context.save() }
        let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
        try checkEqual(
          problems.map { "\($0.property ?? "-"): \($0.reason)" },
          ["-: is refused: a new ticket is not free", "seat: has no row Z", "price: is no multiple of 5"],
          "problems")
        ticket.price = 10
        ticket.seat = "A1"
        ticket.isPaid = true
        try context.save()
        ticket.isPaid = false
        try checkThrows(.validationCustom, label: "an update that the class refuses") { try context.save() }
        context.rollback()
        context.delete(ticket)
        try checkThrows(.validationCustom, label: "a deletion that the class refuses") { try context.save() }
        try checkEqual(
          try container.values("Ticket", "price", "isPaid"), [[.int(10), .bool(true)]], "the ticket")
      },
      CaseDefinition(
        "validation/defaults", "What a new object has by default is checked as what it was given.",
        rules: ["V-9"]
      ) { stage in
        var schema = Schema(Label.self)
        let place = try checkPresent(
          schema.entities[0].attributes.firstIndex { $0.name == "text" }, "the attribute")
        schema.entities[0].attributes[place].validation = AttributeValidation(minLength: 1)
        let container = try stage.container(schema)
        let context = container.newContext(author: "user")
        let label = Label(context: context)
        let error = try checkThrows(.validationLimit, label: "saving the defaults") { try context.save() }
        let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
        try checkEqual(
          problems.map { "\($0.property ?? "-"): \($0.reason)" },
          ["text: is shorter than 1", "color: is no color"], "problems")
        try checkEqual(try container.numbers("Label"), [], "what is stored")
        label.text = "a"
        label.color = "red"
        try context.save()
        label.text = "b"
        try context.save()
        try checkEqual(
          try container.values("Label", "text", "color"), [[.string("b"), .string("red")]], "the label")
      },
      CaseDefinition(
        "validation/batches-bypass", "Batch requests check types and required values, but no limits.",
        rules: ["V-9", "R-4"]
      ) { stage in
        let container = try stage.container(strict)
        try container.importRecords("Part", [["code": .string("nonsense"), "count": .int(-5)]])
        let context = container.newContext(author: "user")
        try context.execute(BatchUpdateRequest(entity: "Part", values: ["count": .int(1000)]))
        try checkEqual(
          try container.values("Part", "code", "count"), [[.string("nonsense"), .int(1000)]], "parts")
        try checkThrows(.validationRequired, label: "a record without a required value") {
          try container.importRecords("Part", [["count": .int(1)]])
        }
        try checkThrows(.validationType, label: "a value of another type") {
          try container.importRecords("Part", [["code": .int(1)]])
        }
        let part = try context.fetch(FetchRequest<ManagedObject>(entity: "Part")).at(0)
        try part.setValue(.string("ok"), for: "name")
        try context.save()
        try checkEqual(
          try container.values("Part", "name"), [[.string("ok")]], "only what is edited is checked")
      },
    ]
  }

  private static let strict = Schema(
    name: "Strict",
    entities: [
      EntityDescription(
        name: "Part",
        attributes: [
          AttributeDescription(
            name: "code", type: .string, isOptional: false,
            validation: AttributeValidation(pattern: "[A-Z]+-[0-9]+")),
          AttributeDescription(
            name: "count", type: .int64, validation: AttributeValidation(minimum: .int(0), maximum: .int(100))
          ),
          AttributeDescription(
            name: "name", type: .string, validation: AttributeValidation(minLength: 2, maxLength: 10)),
          AttributeDescription(name: "bytes", type: .binary, validation: AttributeValidation(maxLength: 2)),
        ])
    ])

  private static let teams = Schema(
    name: "Teams",
    entities: [
      EntityDescription(
        name: "Team",
        relationships: [
          RelationshipDescription(
            name: "players", destination: "Player", inverse: "team", isToMany: true, isOptional: false,
            minCount: 2,
            maxCount: 4)
        ]),
      EntityDescription(
        name: "Player",
        relationships: [RelationshipDescription(name: "team", destination: "Team", inverse: "players")]),
    ])
}

private final class Ticket: ManagedObject {
  @Attribute var price: Int64 = 0
  @Attribute var seat = ""
  @Attribute var isPaid = false

  override func validateForInsert() throws {
    if price < 5 { throw BolideError(.validationCustom, "a new ticket is not free") }
  }

  override func validateForUpdate() throws {
    if !isPaid { throw ValidationProblem(objectID, "isPaid", reason: "stays as it is") }
  }

  override func validateForDelete() throws {
    if isPaid { throw ValidationProblem(objectID, reason: "was paid for") }
  }

  override func validateValue(_ value: Value, forKey key: String) throws {
    guard key == "seat", case .string(let seat) = value, seat.hasPrefix("Z") else { return }
    throw ValidationProblem(objectID, "seat", value: value, reason: "has no row Z")
  }
}

private final class Label: ManagedObject {
  @Attribute var text = ""
  @Attribute var color = ""

  override func validateValue(_ value: Value, forKey key: String) throws {
    guard key == "color", value == .string("") else { return }
    throw ValidationProblem(objectID, "color", value: value, reason: "is no color")
  }
}
