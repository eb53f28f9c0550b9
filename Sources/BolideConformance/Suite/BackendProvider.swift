import BolideStorage
import Foundation

/// A provider over any backend: each location is a path in a new folder, a temporary one unless asked.
public struct BackendProvider: StoreProvider {
  private let tested: any Backend
  private let parent: URL
  public let knownFailures: [String: String]

  /// Tests a backend.
  ///
  /// - Parameters:
  ///   - parent: the folder that the locations are made in.
  ///   - knownFailures: cases that are known to fail, by id, with the reason.
  public init(
    _ backend: any Backend, in parent: URL = FileManager.default.temporaryDirectory,
    knownFailures: [String: String] = [:]
  ) {
    tested = backend
    self.parent = parent
    self.knownFailures = knownFailures
  }

  public var name: String { tested.name }
  public var capabilities: Capabilities { tested.capabilities }
  public var backend: (any Backend)? { tested }

  public func makeLocation() throws -> URL {
    let folder = parent.appending(path: "bolide-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return folder.appending(path: "store", directoryHint: .notDirectory)
  }

  public func open(_ location: URL, layout: Layout) throws -> any OpenStore {
    try tested.open(Location(path: location.path), layout: layout, options: OpenOptions())
  }

  public func destroy(_ location: URL) throws {
    try FileManager.default.removeItem(at: location.deletingLastPathComponent())
  }
}
