import BolideSQLite
import BolideStorage

/// Which store a run is about.
enum StoreKind: String, CaseIterable, Sendable {
  case memory, sqlite, lmdb

  /// The backend that keeps such stores.
  func backend() throws -> any Backend {
    switch self {
    case .sqlite: return SQLiteBackend()
    case .memory, .lmdb: throw BenchmarkFailure("\(rawValue) is not wired yet")
    }
  }
}
