import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideStorage

/// Which store a run is about.
enum StoreKind: String, CaseIterable, Sendable {
  case memory, sqlite, lmdb

  /// The backend that keeps such stores.
  var backend: any Backend {
    switch self {
    case .memory: MemoryBackend()
    case .sqlite: SQLiteBackend()
    case .lmdb: LMDBBackend()
    }
  }
}
