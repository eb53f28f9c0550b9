import Bolide
import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideStorage
import Foundation

/// The stores that imports are tried on.
enum StoreKind: String, CaseIterable, Sendable {
  case memory, sqlite, lmdb

  /// Runs `body` with a new store, and removes it afterwards.
  func withContainer<Result>(_ schema: Schema, _ body: (PersistentContainer) throws -> Result) throws
    -> Result
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-feeds-\(UUID().uuidString)")
    let location: StoreLocation
    switch self {
    case .memory: location = MemoryBackend.freshLocation()
    case .sqlite: location = .sqlite(folder.appending(path: "store.sqlite"))
    case .lmdb: location = .lmdb(folder.appending(path: "store"))
    }
    if self != .memory {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { if self != .memory { try? FileManager.default.removeItem(at: folder) } }
    let container = try PersistentContainer(schema, at: location)
    defer { try? container.close() }
    return try body(container)
  }
}
