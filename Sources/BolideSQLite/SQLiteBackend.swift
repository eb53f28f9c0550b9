import BolideStorage
import CSQLite
import Foundation

/// Stores in SQLite files that a person can read, with one typed table an entity.
///
/// The file's layout is described in the documentation. A location is the path of a file; while it is open,
/// `-wal` and `-shm` stand beside it.
public final class SQLiteBackend: Backend {
  /// Makes the backend; it holds nothing, and all of them are alike.
  public init() {}

  /// The first version that can drop columns.
  private static let oldestLibrary: Int32 = 3_035_000

  public var name: String { "sqlite" }

  public var capabilities: Capabilities {
    Capabilities(
      isDurable: true, sharesBetweenProcesses: true, forksInConstantTime: false, opensReadOnly: true,
      moves: true)
  }

  public var limits: Limits { Limits(transactionMemory: OpenOptions().cacheBytes) }

  public func open(
    _ location: Location, layout: Layout?, options: OpenOptions
  ) throws(BolideError) -> any OpenStore {
    guard sqlite3_libversion_number() >= Self.oldestLibrary else {
      throw BolideError(
        .storeUnsupported, "SQLite \(String(cString: sqlite3_libversion())) is too old for a store",
        remedy: "install SQLite 3.35 or later")
    }
    let deadline = ContinuousClock.now + options.timeout
    switch StoreFile.find(location.path) {
    case .other(let what):
      throw BolideError(.storeForeign, "\(location.path) \(what), not a Bolide store")
    case .file(let path, let status):
      return try SQLiteOpening(path, status: status, options: options, deadline: deadline).open()
    case .nothing:
      guard let layout, !options.isReadOnly else {
        throw BolideError(.storeMissing, "There is no store at \(location.path)")
      }
      try SQLiteOpening.create(location.path, layout: layout, options: options, deadline: deadline)
      guard case .file(let path, let status) = StoreFile.find(location.path) else {
        throw BolideError(.storeIO, "The store at \(location.path) went away while it was created")
      }
      return try SQLiteOpening(path, status: status, options: options, deadline: deadline).open()
    }
  }
}

extension StoreLocation {
  /// A SQLite store in the file at a URL.
  public static func sqlite(_ url: URL, options: OpenOptions = OpenOptions()) -> StoreLocation {
    StoreLocation(SQLiteBackend(), Location(path: url.path), options: options)
  }
}
