import BolideStorage
import Testing

@testable import Bolide

@Suite struct SchemaProblemTests {
  private func problems(_ entities: EntityDescription...) -> [String] {
    Schema(entities: entities).problems()
  }

  private func attribute(
    _ name: String, _ type: ValueType = .string, derivation: Derivation? = nil
  ) -> AttributeDescription {
    AttributeDescription(name: name, type: type, derivation: derivation)
  }

  @Test func `a valid schema has no problems`() { #expect(SampleSchema.plain.problems().isEmpty) }

  @Test func `all problems are listed in one error`() {
    let schema = Schema(
      name: "Bad",
      entities: [
        EntityDescription(name: "A", attributes: [attribute("_x"), attribute("y"), attribute("y")]),
        EntityDescription(name: "A"),
      ])
    let error = #expect(throws: BolideError.self) { try SchemaMap(schema) }
    #expect(error?.code == .schemaInvalid)
    #expect(error?.details.count == 3)
    #expect(error?.message == "the schema Bad: entity A is declared twice (and 2 more)")
  }

  @Test(arguments: ["", "1st", "a-b", "a b", "_a", "bolide_x", "Bolide_x"])
  func `names keep to their form`(_ name: String) {
    #expect(problems(EntityDescription(name: "E", attributes: [attribute(name)])).count == 1)
    #expect(problems(EntityDescription(name: name)).count == 1)
  }

  @Test func `inheritance is checked`() {
    #expect(
      problems(EntityDescription(name: "A", parent: "B"))
        == ["the parent B of entity A does not exist; did you mean A?"])
    #expect(
      problems(
        EntityDescription(name: "A", parent: "B"), EntityDescription(name: "B", parent: "C"),
        EntityDescription(name: "C", parent: "A"))
        == ["entities inherit in a circle: A → B → C → A"])
    #expect(problems(EntityDescription(name: "A", parent: "A")).count == 1)
    #expect(
      problems(
        EntityDescription(name: "A", attributes: [attribute("x")]),
        EntityDescription(name: "B", parent: "A", attributes: [attribute("x")]))
        == ["B.x is inherited from A already"])
  }

  @Test func `defaults and rules fit the type`() {
    func check(_ attribute: AttributeDescription) -> [String] {
      problems(EntityDescription(name: "E", attributes: [attribute]))
    }
    #expect(
      check(AttributeDescription(name: "n", type: .int16, defaultValue: .int(40_000)))
        == ["the default value of E.n does not fit its type int16"])
    #expect(check(AttributeDescription(name: "n", type: .double, defaultValue: .double(.nan))).count == 1)
    #expect(check(AttributeDescription(name: "n", type: .reference)).count == 1)
    #expect(check(AttributeDescription(name: "n", type: .string, isTransformable: true)).count == 1)
    let rules: [(ValueType, AttributeValidation)] = [
      (.int32, AttributeValidation(minimum: .int(3), maximum: .int(2))),
      (.int32, AttributeValidation(minimum: .double(3))),
      (.int32, AttributeValidation(minLength: 1)),
      (.string, AttributeValidation(minLength: 3, maxLength: 2)),
      (.string, AttributeValidation(pattern: "(")),
      (.date, AttributeValidation(pattern: "a")),
    ]
    for (type, validation) in rules {
      #expect(check(AttributeDescription(name: "n", type: type, validation: validation)).count == 1)
    }
  }

  @Test func `relationships agree with their inverses`() {
    let a = EntityDescription(
      name: "A", relationships: [RelationshipDescription(name: "b", destination: "B", inverse: "a")])
    #expect(problems(a) == ["the destination B of A.b does not exist; did you mean A?"])
    #expect(
      problems(a, EntityDescription(name: "B"))
        == ["the inverse B.a of A.b does not exist; it has none"])
    #expect(
      problems(
        a,
        EntityDescription(
          name: "B", relationships: [RelationshipDescription(name: "a", destination: "B", inverse: "a")]))
        == [
          "A.b names B.a as its inverse, which names B.a",
          "B.a is its own inverse, which is not supported: declare two relationships",
        ])
    #expect(
      problems(
        EntityDescription(
          name: "A", relationships: [RelationshipDescription(name: "b", destination: "A", inverse: "")]))
        == ["A.b has no inverse"])
    let ordered = EntityDescription(
      name: "A",
      relationships: [
        RelationshipDescription(
          name: "b", destination: "A", inverse: "c", isToMany: true, isOrdered: true, minCount: 3,
          maxCount: 2),
        RelationshipDescription(name: "c", destination: "A", inverse: "b", maxCount: 2),
      ])
    #expect(
      problems(ordered) == [
        "A.b is an ordered to-many relationship, which is not supported", "the counts of A.b allow nothing",
        "A.c is to-one, but its counts ask for more than one object",
      ])
  }

  @Test func `constraints and indexes name attributes`() {
    let base = EntityDescription(name: "Base", attributes: [attribute("code")])
    let child = EntityDescription(
      name: "Child", parent: "Base", attributes: [attribute("size")],
      uniquenessConstraints: [["code"], ["sise"], [], ["size", "size"]], indexes: [["code"], ["what"]])
    #expect(
      problems(base, child) == [
        "the uniqueness constraint (code) of entity Child names the inherited attribute code; that is not "
          + "supported: declare the constraint where the attribute is declared",
        "the uniqueness constraint (sise) of entity Child names sise, which is no attribute; did you mean "
          + "size?",
        "a uniqueness constraint of entity Child names no attribute",
        "the uniqueness constraint (size, size) of entity Child names size twice",
        "the index (what) of entity Child names what, which is no attribute; there are code, size",
      ])
  }

  @Test(arguments: [
    ("owned.@count", ValueType.string), ("owner.@count", .int64), ("things.@count", .int64),
    ("owned.name.@sum", .int64), ("owned.size.@sum", .string), ("owner.what", .string),
    ("owner.size", .string), ("lowercase:(size)", .string), ("canonical:(twice)", .string),
    ("now()", .double),
  ])
  func `derivations are checked against the schema`(_ text: String, _ type: ValueType) throws {
    let entity = EntityDescription(
      name: "E",
      attributes: [
        attribute("name"), attribute("size", .int32),
        attribute("twice", derivation: .uppercase(attribute: "name")),
        attribute("derived", type, derivation: try Derivation(parsing: text)),
      ],
      relationships: [
        RelationshipDescription(name: "owner", destination: "E", inverse: "owned"),
        RelationshipDescription(name: "owned", destination: "E", inverse: "owner", isToMany: true),
      ])
    #expect(Schema(entities: [entity]).problems().count == 1)
  }
}
