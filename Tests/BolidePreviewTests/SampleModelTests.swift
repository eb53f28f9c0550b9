import Bolide
import BolidePreview
import Foundation
import Testing

@Suite struct SampleModelTests {
  private static let models = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/models")

  @Test(arguments: SampleModel.allCases)
  func `the model file and the Swift schema are equal`(_ model: SampleModel) throws {
    let file = try ModelFile(Self.models.appendingPathComponent("\(model.name).xcdatamodeld"))
    #expect(file.schema == model.schema)
    #expect(file.schema.outline == model.schema.outline)
    #expect(file.warnings.isEmpty)
  }

  @Test(arguments: SampleModel.allCases)
  func `a sample is valid and found by its name`(_ model: SampleModel) {
    #expect(model.schema.problems().isEmpty)
    #expect(SampleModel(named: model.name) == model)
    #expect(SampleModel(named: model.name.lowercased()) == nil)
  }
}
