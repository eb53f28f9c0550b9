import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// A folder that goes when the test is over.
private final class ScratchFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("model-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  /// Writes a file, with its folders.
  @discardableResult
  func write(_ text: String, to path: String) throws -> URL {
    let file = url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file
  }

  func folder(_ path: String) throws -> URL {
    let folder = url.appendingPathComponent(path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

/// The XML of a model around a body that begins on line 3.
private func model(_ body: String) -> String {
  """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
  \(body)
  </model>

  """
}

@Suite struct ModelFileTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func read(_ body: String) throws -> ModelFile {
    try ModelFile(scratch.write(model(body), to: "M.xcdatamodel/contents"))
  }

  private func entity(_ body: String) throws -> ModelFile {
    try read("<entity name=\"E\" syncable=\"YES\">\n\(body)\n</entity>")
  }

  private func error(_ url: URL, version: String? = nil) -> BolideError? {
    #expect(throws: BolideError.self) { try ModelFile(url, version: version) }
  }

  @Test func `attributes of every type are understood`() throws {
    let file = try entity(
      """
      <attribute name="a" optional="YES" attributeType="Integer 16" defaultValueString="-3" usesScalarValueType="YES"/>
      <attribute name="b" attributeType="Integer 32" minValueString="1" maxValueString="9"/>
      <attribute name="c" attributeType="Integer 64" defaultValueString="9007199254740993"/>
      <attribute name="d" attributeType="Decimal" defaultValueString="1.50" preserveAfterDeletion="YES"/>
      <attribute name="e" attributeType="Double" defaultValueString="0.0" elementID="x" versionHashModifier="2"/>
      <attribute name="f" attributeType="Float" defaultValueString="0.1"/>
      <attribute name="g" attributeType="String" defaultValueString="" minValueString="2" maxValueString="5"
                 regularExpressionString="[a-z]*"/>
      <attribute name="h" attributeType="Boolean" defaultValueString="YES"/>
      <attribute name="i" attributeType="Date" defaultDateTimeInterval="-86400.5" minDateTimeInterval="0"/>
      <attribute name="j" attributeType="Binary" renamingIdentifier="blob"/>
      <attribute name="k" attributeType="UUID" defaultValueString="0A1B2C3D-0000-4000-8000-00000000FFFF"/>
      <attribute name="l" attributeType="URI" defaultValueString="https://example.org"/>
      <attribute name="m" optional="YES" attributeType="Transformable" valueTransformerName="X" customClassName="Y"/>
      <attribute name="n" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(g)"/>
      <userInfo><entry key="k" value="v"/></userInfo>
      """)
    #expect(file.warnings.isEmpty)
    #expect(file.schema.name == "M")
    let uuid = try #require(UUID(uuidString: "0a1b2c3d-0000-4000-8000-00000000ffff"))
    let expected = EntityDescription(
      name: "E",
      attributes: [
        AttributeDescription(name: "a", type: .int16, defaultValue: .int(-3)),
        AttributeDescription(
          name: "b", type: .int32, isOptional: false,
          validation: AttributeValidation(minimum: .int(1), maximum: .int(9))),
        AttributeDescription(
          name: "c", type: .int64, isOptional: false, defaultValue: .int(9_007_199_254_740_993)),
        AttributeDescription(
          name: "d", type: .decimal, isOptional: false, defaultValue: .decimal(Decimal(3) / 2),
          isPreservedOnDeletion: true),
        AttributeDescription(
          name: "e", type: .double, isOptional: false, defaultValue: .double(0), renamingID: "x"),
        AttributeDescription(name: "f", type: .float, isOptional: false, defaultValue: .float(0.1)),
        AttributeDescription(
          name: "g", type: .string, isOptional: false, defaultValue: .string(""),
          validation: AttributeValidation(minLength: 2, maxLength: 5, pattern: "[a-z]*")),
        AttributeDescription(name: "h", type: .boolean, isOptional: false, defaultValue: .bool(true)),
        AttributeDescription(
          name: "i", type: .date, isOptional: false,
          defaultValue: .date(Date(timeIntervalSinceReferenceDate: -86400.5)),
          validation: AttributeValidation(minimum: .date(Date(timeIntervalSinceReferenceDate: 0)))),
        AttributeDescription(name: "j", type: .binary, isOptional: false, renamingID: "blob"),
        AttributeDescription(name: "k", type: .uuid, isOptional: false, defaultValue: .uuid(uuid)),
        AttributeDescription(
          name: "l", type: .uri, isOptional: false, defaultValue: .uri("https://example.org")),
        AttributeDescription(name: "m", type: .binary, isTransformable: true),
        AttributeDescription(name: "n", type: .string, derivation: .lowercase(attribute: "g")),
      ])
    #expect(file.schema.entities == [expected])
  }

  @Test func `relationships, inheritance, constraints and indexes are understood`() throws {
    let file = try read(
      """
      <entity name="A" representedClassName="A" isAbstract="YES" renamingIdentifier="Z" syncable="YES">
        <attribute name="x" optional="YES" attributeType="String" indexed="YES"/>
        <attribute name="y" optional="YES" attributeType="String"/>
        <relationship name="bs" optional="YES" toMany="YES" minCount="1" maxCount="3" deletionRule="Cascade"
                      destinationEntity="B" inverseName="a" inverseEntity="B"/>
        <fetchIndex name="byX">
          <fetchIndexElement property="y" type="Binary" order="descending"/>
          <fetchIndexElement property="x" type="Binary" order="ascending"/>
        </fetchIndex>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="x"/><constraint value="y"/></uniquenessConstraint>
          <uniquenessConstraint><constraint value="y"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
      <entity name="B" parentEntity="A">
        <relationship name="a" maxCount="1" minCount="1" deletionRule="No Action" destinationEntity="A"
                      inverseName="bs" inverseEntity="A" renamingIdentifier="old"/>
        <compoundIndexes><compoundIndex><index value="x"/><index value="y"/></compoundIndex></compoundIndexes>
      </entity>
      <elements><element name="A" positionX="0" positionY="0" width="1" height="1"/></elements>
      """)
    let a = EntityDescription(
      name: "A", isAbstract: true,
      attributes: [
        AttributeDescription(name: "x", type: .string), AttributeDescription(name: "y", type: .string),
      ],
      relationships: [
        RelationshipDescription(
          name: "bs", destination: "B", inverse: "a", isToMany: true, deleteRule: .cascade, minCount: 1,
          maxCount: 3)
      ],
      uniquenessConstraints: [["x", "y"], ["y"]], indexes: [["x"], ["y", "x"]], renamingID: "Z")
    let b = EntityDescription(
      name: "B", parent: "A",
      relationships: [
        RelationshipDescription(
          name: "a", destination: "A", inverse: "bs", isOptional: false, deleteRule: .noAction,
          renamingID: "old")
      ], indexes: [["x", "y"]])
    #expect(file.schema.entities == [a, b])
    #expect(file.warnings.isEmpty)
  }

  @Test func `a relationship without an inverse gets a hidden one and a warning`() throws {
    let file = try read(
      """
      <entity name="A"><relationship name="b" optional="YES" destinationEntity="B"/></entity>
      <entity name="B"/>
      """)
    #expect(
      file.schema.entities[1].relationships == [
        RelationshipDescription(
          name: "_b_of_A", destination: "A", inverse: "b", isToMany: true, isHidden: true)
      ])
    #expect(file.warnings.map(\.description) == ["line 3  A.b: it has no inverse; B got a hidden one"])
    let map = try SchemaMap(file.schema)
    #expect(throws: BolideError.self) {
      try Condition(parsing: "_b_of_A == nil", in: EntityScope(map.entity("B"), in: map))
    }
  }

  @Test func `doubts are warnings with their lines`() throws {
    let file = try read(
      """
      <entity name="A">
        <attribute name="x" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" shiny="1"/>
        <fetchIndex name="i"><fetchIndexElement expression="lowercase:(x)" type="Binary"/></fetchIndex>
        <fetchIndex name="j" partialIndexPredicate="x != nil"><fetchIndexElement property="x"/></fetchIndex>
      </entity>
      <fetchRequest name="All" entity="A" predicateString="TRUEPREDICATE"/>
      """)
    #expect(file.warnings.map(\.line) == [4, 4, 5, 6, 8])
    #expect(
      file.warnings.map(\.subject) == ["A.x", "A.x", "A, index i", "A, index j", "the model"])
    #expect(file.schema.entities[0].indexes == [["x"]])
    #expect(file.description.hasSuffix("\n5 warnings"))
  }

  @Test(arguments: [
    ("<attribute name=\"x\" attributeType=\"String\" transient=\"YES\"/>", "the transient attribute E.x"),
    ("<attribute name=\"x\" attributeType=\"Undefined\"/>", "the type Undefined of E.x"),
    ("<attribute name=\"x\" attributeType=\"Composite\"/>", "the type Composite of E.x"),
    (
      "<attribute name=\"x\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"a.@max\"/>",
      "the derivation `a.@max` of E.x"
    ),
    ("<fetchedProperty name=\"x\"/>", "the fetched property E.x"),
    (
      "<relationship name=\"x\" toMany=\"YES\" ordered=\"YES\" destinationEntity=\"E\"/>",
      "the ordered to-many relationship E.x"
    ),
    (
      "<relationship name=\"x\" transient=\"YES\" destinationEntity=\"E\"/>", "the transient relationship E.x"
    ),
    ("<hologram name=\"x\"/>", "the element <hologram> of E"),
    ("</entity><configuration name=\"Cloud\"/><entity name=\"F\">", "the configuration Cloud"),
    ("</entity><composite name=\"Name\"/><entity name=\"F\">", "the composite Name"),
    ("</entity><hologram/><entity name=\"F\">", "the element <hologram>"),
  ])
  func `what is not supported is refused by name and line`(_ body: String, _ feature: String) {
    let error = #expect(throws: BolideError.self) { try entity(body) }
    #expect(error?.code == .modelUnsupported)
    #expect(error?.message == "M.xcdatamodel/contents:4: \(feature) is not supported")
  }

  @Test func `all that is not supported is listed`() {
    let error = #expect(throws: BolideError.self) {
      try entity(
        "<attribute name=\"x\" attributeType=\"String\" transient=\"YES\"/>\n<fetchedProperty name=\"y\"/>")
    }
    #expect(error?.message.hasSuffix("(and 1 more)") == true)
    #expect(error?.details.map { $0.contains(":4:") || $0.contains(":5:") } == [true, true])
  }

  @Test(arguments: [
    (
      "<attribute name=\"x\" attributeType=\"Integer 16\" defaultValueString=\"70000\"/>", "the default 70000"
    ),
    ("<attribute name=\"x\" attributeType=\"Date\" defaultDateTimeInterval=\"soon\"/>", "the default soon"),
    ("<attribute name=\"x\" attributeType=\"Boolean\" defaultValueString=\"maybe\"/>", "the default maybe"),
    ("<attribute name=\"x\" attributeType=\"String\" minValueString=\"few\"/>", "the minimum length few"),
    ("<attribute attributeType=\"String\"/>", "an attribute of E has no name"),
    ("<relationship name=\"x\"/>", "the relationship E.x has no destination"),
    ("<relationship name=\"x\" destinationEntity=\"F\" inverseName=\"y\"/>", "the destination F of E.x"),
    ("<relationship name=\"x\" destinationEntity=\"E\" deletionRule=\"Burn\"/>", "the deletion rule Burn"),
    (
      "<uniquenessConstraints><uniquenessConstraint><constraint value=\"q\"/></uniquenessConstraint></uniquenessConstraints>",
      "the uniqueness constraint (q)"
    ),
  ])
  func `a model that contradicts itself is refused`(_ body: String, _ problem: String) {
    let error = #expect(throws: BolideError.self) { try entity(body) }
    #expect(error?.code == .modelInvalid)
    #expect(error?.message.hasPrefix("M.xcdatamodel/contents:") == true)
    #expect(error?.message.contains(problem) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "", " ", "{\"entities\":[]}", "<html><body></body></html>", "<model><entity name=\"A\"></model>",
    "<model><entity", "<model/><model/>", "\u{0}\u{1}\u{2}",
    "<!DOCTYPE model [<!ENTITY a \"aaaa\">]><model>&a;</model>",
    String(repeating: "<model>", count: 5000),
  ])
  func `what is no model is a syntax error with a place`(_ text: String) throws {
    let error = error(try scratch.write(text, to: "broken.xcdatamodel/contents"))
    #expect(error?.code == .modelSyntax)
    #expect(error?.message.hasPrefix("broken.xcdatamodel/contents:") == true, "\(error?.message ?? "")")
  }

  @Test func `the place of a syntax error is its line`() throws {
    let text = model("<entity name=\"A\">\n</entitee>")
    let error = error(try scratch.write(text, to: "M.xcdatamodel/contents"))
    #expect(error?.message.hasPrefix("M.xcdatamodel/contents:4:") == true, "\(error?.message ?? "")")
  }

  @Test func `versions are chosen by name or by the current mark`() throws {
    for version in ["M", "M 2"] {
      try scratch.write(
        model("<entity name=\"\(version == "M" ? "One" : "Two")\"/>"),
        to: "M.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    let folder = scratch.url.appendingPathComponent("M.xcdatamodeld")
    let unmarked = error(folder)
    #expect(unmarked?.code == .modelVersion)
    #expect(unmarked?.message.contains("M, M 2") == true)
    #expect(try ModelFile(folder, version: "M").schema.entities[0].name == "One")
    let mark =
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>NAME</string></dict></plist>"
    try scratch.write(
      mark.replacingOccurrences(of: "NAME", with: "M 2.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    let (schema, warnings) = try ModelFile.read(folder)
    #expect(schema.entities[0].name == "Two")
    #expect(schema.name == "M")
    #expect(warnings.isEmpty)
    #expect(error(folder, version: "M 3")?.code == .modelVersion)
    try scratch.write(
      mark.replacingOccurrences(of: "NAME", with: "M 9.xcdatamodel"), to: "M.xcdatamodeld/.xccurrentversion")
    #expect(error(folder)?.code == .modelVersion)
    try scratch.write("nonsense", to: "M.xcdatamodeld/.xccurrentversion")
    #expect(error(folder)?.code == .modelSyntax)
  }

  @Test func `paths that lead to no model each have their error`() throws {
    #expect(error(scratch.url.appendingPathComponent("none.xcdatamodeld"))?.code == .modelMissing)
    #expect(error(try scratch.folder("empty.xcdatamodeld"))?.code == .modelMissing)
    #expect(error(try scratch.folder("empty.xcdatamodel"))?.code == .modelMissing)
    #expect(
      error(try scratch.folder("odd.xcdatamodel/contents").deletingLastPathComponent())?.code == .modelMissing
    )
    #expect(error(try scratch.folder("M.momd"))?.code == .modelUnsupported)
    #expect(error(try scratch.write("bplist00…", to: "old.xcdatamodel/contents"))?.code == .modelUnsupported)
    let file = try scratch.write(model(""), to: "one.xcdatamodel/contents")
    #expect(error(file, version: "2")?.code == .modelVersion)
    #expect(try ModelFile(file.deletingLastPathComponent()).schema == Schema(entities: []))
  }

  @Test func `the description shows what was understood`() throws {
    let file = try entity(
      """
      <attribute name="b" attributeType="Integer 16" defaultValueString="3" preserveAfterDeletion="YES"/>
      <attribute name="a" optional="YES" attributeType="String"/>
      <relationship name="r" optional="YES" destinationEntity="E"/>
      <uniquenessConstraints><uniquenessConstraint><constraint value="b"/></uniquenessConstraint></uniquenessConstraints>
      """)
    #expect(
      file.description == """
        model M
        entity E
          attribute a  string  optional
          attribute b  int16  required  default 3  preserved on deletion
          relationship _r_of_E  to-many E  inverse r  optional  nullify  hidden
          relationship r  to-one E  inverse _r_of_E  optional  nullify
          unique b
        1 entities  2 attributes  2 relationships
        warning  line 6  E.r: it has no inverse; E got a hidden one
        1 warnings
        """)
  }
}
