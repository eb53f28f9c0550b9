import Bolide
import BolidePreview
import BolideStorage
import Foundation

/// Finds models by name: the samples, then model files under the scenario's roots.
package struct ModelLibrary: Sendable {
  /// The names of the sample models.
  static let samples = SampleModel.allCases.map(\.name)

  private let roots: FileRoots

  init(roots: FileRoots) { self.roots = roots }

  /// The model of that name: a sample, a payload that holds a model's XML, a model file or folder, or
  /// `models/NAME.xcdatamodeld`.
  ///
  /// - Throws: `file.…` when there is none, and the `model.…` codes when a file is no model.
  func schema(named name: String) throws -> Schema {
    if let sample = SampleModel(named: name) { return sample.schema }
    switch try source(of: name) {
    case .file(let url): return try ModelFile(url).schema
    case .payload(let bytes): return try Self.schema(in: bytes, named: name)
    }
  }

  private func source(of name: String) throws(BolideError) -> FileRoots.Source {
    for candidate in [name, "models/\(name).xcdatamodeld"] {
      do throws(BolideError) {
        return try roots.resolve(candidate)
      } catch {
        if error.code != .fileMissing { throw error }
      }
    }
    throw BolideError(.fileMissing, "there is no model `\(name)`")
  }

  /// Model files are read from disk, so a payload becomes one for a moment.
  private static func schema(in bytes: [UInt8], named name: String) throws -> Schema {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appending(path: "bolide-model-\(UUID().uuidString)")
    defer { try? manager.removeItem(at: folder) }
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: URL(fileURLWithPath: name).lastPathComponent)
    try Data(bytes).write(to: file)
    return try ModelFile(file).schema
  }
}
