import BolideStorage
import Foundation

/// A provider over any backend: each location is a path in a new temporary folder.
public struct BackendProvider: StoreProvider {
  private let tested: any Backend
  public let knownFailures: [String: String]

  /// Tests a backend.
  ///
  /// - Parameter knownFailures: cases that are known to fail, by id, with the reason.
  public init(_ backend: any Backend, knownFailures: [String: String] = [:]) {
    tested = backend
    self.knownFailures = knownFailures
  }

  public var name: String { tested.name }
  public var capabilities: Capabilities { tested.capabilities }
  public var backend: (any Backend)? { tested }

  public func makeLocation() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appending(path: "store", directoryHint: .notDirectory)
  }

  public func open(_ location: URL, layout: Layout) throws -> any OpenStore {
    try tested.open(Location(path: location.path), layout: layout, options: OpenOptions())
  }

  public func destroy(_ location: URL) throws {
    try FileManager.default.removeItem(at: location.deletingLastPathComponent())
  }
}
