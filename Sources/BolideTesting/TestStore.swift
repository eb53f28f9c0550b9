import Bolide
import BolideConformance
import BolideMemory
import BolidePreview
import BolideStorage
import Foundation

#if SQLite
  import BolideSQLite
#endif
#if LMDB
  import BolideLMDB
#endif

/// A kind of store to run a test on: the argument of a test that holds on all of them.
///
/// ```swift
/// @Suite(.temporaryStores) struct RefreshTests {
///   @Test(arguments: TestStore.all)
///   func `a refresh twice is one refresh`(_ store: TestStore) async throws {
///     let container = try await store.container(fireballWatch)
///   }
/// }
/// ```
public struct TestStore: Sendable, Hashable, CustomStringConvertible {
  /// The name, as `BOLIDE_STORES` has it.
  public let name: String
  private let makeBackend: (@Sendable () -> any Backend)?

  /// A kind of store of your own.
  ///
  /// - Parameter backend: makes the backend of one test; its stores get paths in the test's folder.
  public init(_ name: String, backend: @escaping @Sendable () -> any Backend) {
    self.name = name
    makeBackend = backend
  }

  /// A name that stands for no store: every use of it fails.
  private init(unknown name: String) {
    self.name = name
    makeBackend = nil
  }

  /// The store in memory.
  public static let memory = TestStore("memory") { MemoryBackend() }

  #if SQLite
    /// The SQLite store.
    public static let sqlite = TestStore("sqlite") { SQLiteBackend() }
  #endif

  #if LMDB
    /// The LMDB store.
    public static let lmdb = TestStore("lmdb") { LMDBBackend() }
  #endif

  /// Every kind of store that Bolide has, or those that the environment variable `BOLIDE_STORES` names, with
  /// commas between them.
  ///
  /// A name that is no store's is among them, and fails every test that uses it.
  public static var all: [TestStore] {
    selected(from: known, by: ProcessInfo.processInfo.environment["BOLIDE_STORES"])
  }

  /// The stores that a list of names picks; all without one.
  static func selected(from stores: [TestStore], by names: String?) -> [TestStore] {
    guard let names, !names.isEmpty else { return stores }
    let wanted = names.split(separator: ",")
    // A test over no store would pass without having run.
    if wanted.isEmpty { return [TestStore(unknown: names)] }
    return wanted.map { name in stores.first { $0.name == name } ?? TestStore(unknown: String(name)) }
  }

  private static var known: [TestStore] {
    var stores = [memory]
    #if SQLite
      stores.append(sqlite)
    #endif
    #if LMDB
      stores.append(lmdb)
    #endif
    return stores
  }

  public var description: String { name }

  public static func == (left: TestStore, right: TestStore) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  // MARK: Containers

  /// Opens a new store in the test's folder; when the test ends it is checked, closed and removed.
  ///
  /// - Parameter options: `ContainerOptions.preview(seed:)` with a seed for each store of the test, unless you give
  ///   others: a fixed clock, and ids that repeat from run to run and differ from store to store.
  /// - Throws: `store.unsupported` where the test has no ``TemporaryStores`` trait or the store's name is
  ///   unknown, and what opening throws.
  public func container(
    _ schema: Schema, options: ContainerOptions? = nil
  ) async throws -> PersistentContainer {
    let stores = try TemporaryStores.current()
    let options = options ?? .preview(seed: stores.nextSeed())
    let location = StoreLocation(try backend(in: stores), Location(path: try stores.makePath(for: name)))
    return stores.keep(try PersistentContainer(schema, at: location, options: options))
  }

  /// Closes a container and opens its store again, as a restarted program would.
  ///
  /// - Parameter options: as for ``container(_:options:)``.
  public func reopen(
    _ container: PersistentContainer, options: ContainerOptions? = nil
  ) async throws -> PersistentContainer {
    let stores = try TemporaryStores.current()
    let options = options ?? .preview(seed: stores.nextSeed())
    try container.close()
    return stores.keep(
      try PersistentContainer(container.schema, at: container.location, options: options))
  }

  private func backend(in stores: TemporaryStores.Scope) throws -> any Backend {
    guard let makeBackend else {
      throw BolideError(
        .storeUnsupported, "there is no store called \(name)",
        remedy: "name some of \(Self.known.map(\.name).joined(separator: ", ")) in BOLIDE_STORES")
    }
    return stores.backend(name, makeBackend)
  }
}
