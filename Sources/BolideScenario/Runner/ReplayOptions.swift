import BolidePreview
import BolideStorage
import Foundation

/// A kind of store that scenarios run on.
package struct ReplayStore: Sendable {
  /// Its name on the command line and in reports; never in scenarios.
  package var name: String
  /// What it answers to `[capability]`.
  package var capabilities: [String: Bool]
  /// A place for a new store; the folder does not exist yet and belongs to the store alone.
  package var location: @Sendable (_ folder: URL) throws -> StoreLocation

  package init(
    _ name: String, capabilities: [String: Bool],
    location: @escaping @Sendable (_ folder: URL) throws -> StoreLocation
  ) {
    self.name = name
    self.capabilities = capabilities
    self.location = location
  }

  /// The in-memory store: each scenario has one of its own, which goes when the scenario ends.
  package static let memory = ReplayStore(
    StoreLocation.inMemory.backend.name, capabilities: StoreLocation.inMemory.backend.capabilities.named
  ) { _ in .inMemory }

  /// A kind of store that keeps its stores at paths, or ``memory``, whose stores would stay as long as the backend.
  ///
  /// Another backend may well be called so, too: it is told by its type.
  package init(_ backend: any Backend) {
    if type(of: backend) == type(of: StoreLocation.inMemory.backend) {
      self = .memory
      return
    }
    self.init(backend.name, capabilities: backend.capabilities.named) { folder in
      StoreLocation(backend, Location(path: folder.path))
    }
  }
}

/// Where scenarios run, and where they find files.
package struct ReplayOptions: Sendable {
  package var stores: [ReplayStore]
  /// The folder of real captures; without one `requires feeds` skips.
  package var feeds: URL?
  /// The folder Fixtures; nil looks for the nearest one above the scenario.
  package var fixtures: URL?
  /// A folder for what scenarios write; it belongs to the run alone.
  package var scratch: URL

  package init(stores: [ReplayStore], feeds: URL? = nil, fixtures: URL? = nil, scratch: URL) {
    self.stores = stores
    self.feeds = feeds
    self.fixtures = fixtures
    self.scratch = scratch
  }

  /// Where the scenario's file names are looked up.
  func roots(of scenario: Scenario) -> FileRoots {
    let folder = URL(fileURLWithPath: scenario.path).deletingLastPathComponent()
    let fixtures = fixtures ?? FileRoots.fixtures(above: folder)
    return FileRoots(payloads: scenario.payloads, folders: [folder, fixtures, feeds].compactMap(\.self))
  }
}
