import Bolide
import BolidePreview

/// Finds models by name: the samples, then model files under the scenario's roots.
package struct ModelLibrary: Sendable {
  /// The names of the sample models.
  static let samples = SampleModel.allCases.map(\.name)

  private let roots: FileRoots

  init(roots: FileRoots) { self.roots = roots }

  /// The model of that name.
  ///
  /// - Throws: `FileFault` when there is none, and what reading a model file throws.
  func schema(named name: String) throws -> Schema {
    if let sample = SampleModel(named: name) { return sample.schema }
    throw FileFault(.missing, "there is no model `\(name)`")
  }
}
