#if SQLite
  import BolideConformance
  import BolideSQLite
  import BolideStorage
  import Foundation
  import Testing

  /// A mistake with files, made by a provider of an otherwise right store on disk.
  struct FileMistakes: Sendable {
    /// Makes a new store where the old one cannot be opened.
    struct Recreating: StoreProvider {
      private let base = BackendProvider(SQLiteBackend())

      func makeLocation() throws -> URL { try base.makeLocation() }
      func destroy(_ location: URL) throws { try base.destroy(location) }
      func open(_ location: URL, layout: Layout) throws -> any OpenStore {
        do {
          return try base.open(location, layout: layout)
        } catch is BolideError {
          try FileManager.default.removeItem(at: location)
          return try base.open(location, layout: layout)
        }
      }
    }

    /// Lets everybody read its files.
    struct Public: StoreProvider {
      private let base = BackendProvider(SQLiteBackend())

      func makeLocation() throws -> URL { try base.makeLocation() }
      func destroy(_ location: URL) throws { try base.destroy(location) }
      func open(_ location: URL, layout: Layout) throws -> any OpenStore {
        let store = try base.open(location, layout: layout)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: location.path)
        return store
      }
    }

    static let recreating = ["storage/foreign-file", "storage/damaged-start", "storage/cut-file"]
    static let publishing = ["storage/private-files"]

    @Test(arguments: recreating)
    func `a store that recreates what it cannot open is caught`(_ id: String) async throws {
      #expect(await outcome(of: id, on: Recreating()).isFailure)
    }

    @Test(arguments: publishing)
    func `a store whose files others can read is caught`(_ id: String) async throws {
      #expect(await outcome(of: id, on: Public()).isFailure)
    }
  }
#endif
