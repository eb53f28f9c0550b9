import Testing

@Suite(.serialized) struct ModelCommandTests {
  private static let model = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
      <entity name="Comet" representedClassName="Comet" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <attribute name="period" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
        <uniquenessConstraints>
          <uniquenessConstraint><constraint value="name"/></uniquenessConstraint>
        </uniquenessConstraints>
      </entity>
    </model>
    """

  @Test func `model check prints what was understood`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Self.model, to: "Comets.xcdatamodel/contents")
      let run = try await bolide("model", "check", "Comets.xcdatamodel")
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.lines == [
          "model Comets", "entity Comet", "  attribute name  string  required",
          "  attribute period  double  optional",
          "  unique name", "1 entities  2 attributes  0 relationships",
        ])
    }
  }

  @Test func `a model that does not parse and one that is missing are told apart`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write("<model><entity", to: "contents")
      let broken = try await bolide("model", "check", "contents")
      #expect(broken.status == 2, "\(broken.errors)")
      #expect(broken.errors.contains("contents"))
      let unknown = Self.model.replacing("attributeType=\"Double\"", with: "attributeType=\"Telepathy\"")
      try bolide.write(unknown, to: "contents")
      let refused = try await bolide("model", "check", "contents")
      #expect(refused.status == 2, "\(refused.errors)")
      #expect(refused.errors.contains("Telepathy"), "\(refused.errors)")
      let missing = try await bolide("model", "check", "none.xcdatamodeld")
      #expect(missing.status == 3, "\(missing.errors)")
    }
  }
}
