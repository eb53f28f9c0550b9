import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// A schema with one of everything, declared in two orders.
enum SampleSchema {
  static let group = EntityDescription(
    name: "Group",
    attributes: [
      AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string("")),
      AttributeDescription(name: "count", type: .int64, derivation: .count(relationship: "members")),
      AttributeDescription(
        name: "total", type: .double, derivation: .sum(relationship: "members", attribute: "weight")),
    ],
    relationships: [
      RelationshipDescription(name: "members", destination: "Item", inverse: "groups", isToMany: true),
      RelationshipDescription(name: "owned", destination: "Item", inverse: "owner", isToMany: true),
      RelationshipDescription(name: "badge", destination: "Badge", inverse: "holder"),
    ])

  static let item = EntityDescription(
    name: "Item",
    attributes: [
      AttributeDescription(name: "code", type: .string, isOptional: false, isPreservedOnDeletion: true),
      AttributeDescription(name: "net", type: .string, isOptional: false),
      AttributeDescription(name: "weight", type: .double, defaultValue: .double(1.5)),
      AttributeDescription(name: "ownerName", type: .string, derivation: .value(path: ["owner", "name"])),
    ],
    relationships: [
      RelationshipDescription(name: "groups", destination: "Group", inverse: "members", isToMany: true),
      RelationshipDescription(
        name: "owner", destination: "Group", inverse: "owned", isOptional: false, deleteRule: .cascade),
    ],
    uniquenessConstraints: [["net", "code"], ["code"]], indexes: [["weight"], ["net", "code"]])

  static let special = EntityDescription(
    name: "Special", parent: "Item",
    attributes: [AttributeDescription(name: "Weight", type: .decimal, defaultValue: .decimal(2))],
    relationships: [], indexes: [["Weight", "net"]])

  static let badge = EntityDescription(
    name: "Badge",
    relationships: [
      RelationshipDescription(name: "holder", destination: "Group", inverse: "badge")
    ])

  static let plain = Schema(name: "Sample", entities: [group, item, special, badge])

  static var reordered: Schema {
    var entities = Array(plain.entities.reversed())
    for index in entities.indices {
      entities[index].attributes.reverse()
      entities[index].relationships.reverse()
      entities[index].uniquenessConstraints.reverse()
      entities[index].indexes.reverse()
    }
    return Schema(name: "Reordered", entities: entities)
  }
}

@Suite struct SchemaTests {
  @Test func `the order of declaration does not count`() throws {
    #expect(SampleSchema.plain == SampleSchema.reordered)
    #expect(SampleSchema.plain.hashValue == SampleSchema.reordered.hashValue)
    #expect(try SchemaMap(SampleSchema.plain).layout == SchemaMap(SampleSchema.reordered).layout)
    var other = SampleSchema.plain
    other.entities[0].attributes[0].isOptional = true
    #expect(other != SampleSchema.plain)
  }

  @Test func `the stored form reads back equal`() throws {
    var schema = SampleSchema.plain
    schema.entities[1].attributes[2].validation = AttributeValidation(
      minimum: .double(-.infinity), maximum: .double(0.1))
    schema.entities[0].attributes[0].validation = AttributeValidation(
      minLength: 1, maxLength: 40, pattern: "[a-z]+")
    schema.entities[0].renamingID = "Cluster"
    schema.entities[0].relationships[0].deleteRule = .noAction
    schema.entities[0].relationships[0].maxCount = 9
    let back = try Schema(json: schema.json())
    #expect(back == schema)
    #expect(back.name == schema.name)
    #expect(back.entities == schema.entities)
  }

  @Test func `values of every type survive JSON to the last bit`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for type in ValueType.allCases {
      let values = (0..<100).map { _ in random.value(of: type) } + [.null]
      let data = try JSONEncoder().encode(values)
      #expect(try JSONDecoder().decode([Value].self, from: data) == values, "seed \(seed)")
    }
    let edges: [Value] = [
      .int(.max), .int(.min), .double(.infinity), .double(.leastNonzeroMagnitude), .date(.distantPast),
      .date(Date(timeIntervalSinceReferenceDate: -.infinity)),
    ]
    #expect(try JSONDecoder().decode([Value].self, from: JSONEncoder().encode(edges)) == edges)
  }

  @Test(arguments: [
    "", "{", "[]", "{\"format\":2,\"entities\":[]}", "{\"format\":1}",
    "{\"format\":1,\"entities\":[{\"name\":\"A\",\"attributes\":[{\"name\":\"a\",\"type\":\"number\"}]}]}",
  ])
  func `a stored schema that cannot be read says so`(_ text: String) {
    let error = #expect(throws: BolideError.self) { try Schema(json: Data(text.utf8)) }
    #expect(error?.code == .schemaUnreadable)
  }

  @Test(arguments: [
    ("fireballs.@count", Derivation.count(relationship: "fireballs")),
    ("items.amount.@sum", .sum(relationship: "items", attribute: "amount")),
    ("items.@sum.amount", .sum(relationship: "items", attribute: "amount")),
    ("owner.home.name", .value(path: ["owner", "home", "name"])),
    ("lowercase:(name)", .lowercase(attribute: "name")),
    ("uppercase: name", .uppercase(attribute: "name")),
    ("canonical:(name)", .canonical(attribute: "name")),
    ("now()", .now),
  ])
  func `derivations are understood and written back`(_ text: String, _ derivation: Derivation) throws {
    #expect(try Derivation(parsing: text) == derivation)
    #expect(try Derivation(parsing: derivation.text) == derivation)
  }

  @Test(arguments: ["", "name", "@count", "a.@avg", "a.b.c.@sum", "lowercase:(a.b)", "rot13:(a)", "a..b"])
  func `other expressions are refused`(_ text: String) {
    let error = #expect(throws: BolideError.self) { try Derivation(parsing: text) }
    #expect(error?.code == .schemaDerivation)
  }
}
