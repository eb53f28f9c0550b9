import BolideStorage
import Testing

@testable import Bolide

@Suite struct SchemaMapTests {
  let map: SchemaMap

  init() throws { map = try SchemaMap(SampleSchema.plain) }

  @Test func `entities, tables and links have places by name`() {
    #expect(map.entities.map(\.name) == ["Badge", "Group", "Item", "Special"])
    #expect(map.layout.tables.map(\.name) == ["Badge", "Group", "Item"])
    #expect(map.layout.entities.map(\.table) == [0, 1, 2, 2])
    #expect(
      map.layout.links == [
        LinkLayout(
          name: "Group_members", source: 1, sourceName: "groups", target: 2, targetName: "members")
      ])
  }

  @Test func `a table of several entities begins with the entity column`() throws {
    let table = map.layout.tables[2]
    #expect(
      table.columns.map(\.name)
        == ["_entity", "code", "net", "owner", "ownerName", "weight", "Special_Weight"])
    #expect(table.columns[0].type == .int32)
    #expect(table.columns[3].type == .reference)
    #expect(
      table.properties == ["_entity", "code", "net", "owner", "ownerName", "weight", "Weight", "groups"])
    #expect(table.preserved == [1])
    #expect(try map.entity("Item").entityColumn == 0)
    #expect(try map.entity("Item").members == [2, 3])
    #expect(try map.entity("Special").members == [3])
    #expect(try map.entity("Special").parentID == 2)
    #expect(try map.entity("Special").root == "Item")
    #expect(try map.entity("Group").entityColumn == nil)
  }

  @Test func `indexes are real, once each`() throws {
    #expect(
      map.layout.tables[2].indexes == [
        IndexLayout(name: "code", columns: [1], isUnique: true),
        IndexLayout(name: "net_code", columns: [2, 1], isUnique: true),
        IndexLayout(name: "weight", columns: [5], isUnique: false),
        IndexLayout(name: "Special_Weight_net", columns: [6, 2], isUnique: false),
        IndexLayout(name: "owner", columns: [3], isUnique: false),
      ])
    #expect(try map.entity("Item").uniqueIndexes == [1, 0])
    #expect(try map.entity("Special").uniqueIndexes == [1, 0])
  }

  @Test func `each kind of relationship has its place`() throws {
    let item = try map.entity("Item")
    let group = try map.entity("Group")
    guard case .toOne(3, 4, _, destination: 1) = try item.property("owner").kind,
      case .inverse(toMany: true, table: 2, column: 3, index: 4, _, destination: 2) =
        try group.property("owned").kind,
      case .link(0, side: .forward, _, destination: 2) = try group.property("members").kind,
      case .link(0, side: .inverse, _, destination: 1) = try item.property("groups").kind,
      // One-to-one: the column is with the entity whose name sorts first.
      case .toOne(0, 0, _, destination: 1) = try map.entity("Badge").property("holder").kind,
      case .inverse(toMany: false, table: 0, column: 0, index: 0, _, destination: 0) =
        try group.property("badge").kind
    else {
      Issue.record("a relationship is laid out otherwise")
      return
    }
    #expect(try item.property("groups").id == 7)
    #expect(try map.entity("Special").property("owner").id == 3)
  }

  @Test func `defaults are loaded and count as not given`() throws {
    let special = try map.entity("Special")
    var batch = RowBatch(special.format)
    var builder = special.defaults
    #expect(builder.given.isEmpty)
    builder.append(to: &batch)
    batch.withRow(at: 0) { row in
      #expect(row.value(0) == .int(3))
      #expect(row.value(5) == .double(1.5))
      #expect(row.value(6) == .decimal(2))
      #expect(row.isNil(1) && row.isNil(3) && row.isNil(4))
    }
    let group = try map.entity("Group")
    var groups = RowBatch(group.format)
    builder = group.defaults
    builder.append(to: &groups)
    groups.withRow(at: 0) { row in
      #expect((0..<3).map(row.value) == [.int(0), .string(""), .double(0)])
    }
  }

  @Test func `required columns are those that may not be nil`() throws {
    #expect(try map.entity("Special").required == [1, 2, 3])
    #expect(try map.entity("Group").required == [1])
  }

  @Test func `unknown names suggest what was meant`() {
    let entity = #expect(throws: BolideError.self) { try map.entity("Itme") }
    #expect(entity?.code == .schemaUnknownEntity)
    #expect(entity?.message == "the schema has no entity Itme; did you mean Item?")
    let property = #expect(throws: BolideError.self) { try map.entity("Item").property("wieght") }
    #expect(property?.code == .schemaUnknownProperty)
    #expect(property?.message.hasSuffix("did you mean weight?") == true)
    let far = #expect(throws: BolideError.self) { try map.entity("Quake") }
    #expect(far?.message == "the schema has no entity Quake; there are Badge, Group, Item, Special")
  }

  @Test func `columns of sub-entities that share a name stay apart`() throws {
    func child(_ name: String) -> EntityDescription {
      EntityDescription(
        name: name, parent: "Base",
        attributes: [AttributeDescription(name: "code", type: .string)],
        relationships: [
          RelationshipDescription(name: "ref", destination: "Base", inverse: "of\(name)")
        ], uniquenessConstraints: [["code"]])
    }
    let base = EntityDescription(
      name: "Base", isAbstract: true,
      relationships: ["A", "B"].map {
        RelationshipDescription(name: "of\($0)", destination: $0, inverse: "ref", isToMany: true)
      })
    let map = try SchemaMap(Schema(entities: [child("B"), base, child("A")]))
    #expect(map.layout.tables[0].columns.map(\.name) == ["_entity", "code", "ref", "B_code", "B_ref"])
    #expect(map.layout.tables[0].properties == ["_entity", "code", "ref", "code", "ref", "ofA", "ofB"])
    #expect(try map.entity("A").property("code").column == 1)
    #expect(try map.entity("B").property("code").column == 3)
    #expect(try map.entity("B").property("ref").column == 4)
    #expect(try map.entity("B").uniqueIndexes != map.entity("A").uniqueIndexes)
    #expect(try map.entity("Base").members == [0, 1, 2])
  }
}
