/// What a job should reach on a store.
struct Target: Equatable, Sendable {
  /// The least ratio of our rate to the comparator's.
  var ratio: Double
  /// The most seconds the job may take, where a bound in time says more than a ratio.
  var seconds: Double?
  /// The most memory the job may use above the open store.
  var peakBytes: Int?

  init(_ ratio: Double, seconds: Double? = nil, peakBytes: Int? = nil) {
    self.ratio = ratio
    self.seconds = seconds
    self.peakBytes = peakBytes
  }

  /// Whether figures reach it.
  func isMet(ratio: Double, seconds: Double, peakBytes: Int) -> Bool {
    ratio >= self.ratio && seconds <= self.seconds ?? .infinity && peakBytes <= self.peakBytes ?? .max
  }

  /// The target of a job on a store.
  static func of(_ job: Job, _ store: StoreKind, rows: Int) -> Target {
    let ratios: (memory: Double, sqlite: Double, lmdb: Double) =
      switch job {
      case .importing: (3, 0.9, 0.8)
      // Not in the targets, which are for packed rows: what values in between may cost.
      case .closureImport, .objectImport: (1, 0.5, 0.4)
      case .reimport, .changedReimport: (6, 0.9, 0.6)
      case .page: (3, 0.7, 0.7)
      case .lookup: (5, 0.8, 0.5)
      case .sortedRows: (1.5, 0.7, 0.5)
      case .sortedObjects: (0.8, 0.4, 0.3)
      // As pages and sorted fetches, of which these are kinds; memory is held against SQLite in memory.
      case .rangeQuery, .membersQuery: (3, 0.7, 0.5)
      case .filterQuery: (1, 0.7, 0.5)
      case .sortQuery, .groupQuery: (1, 0.7, 0.3)
      case .update, .delete: (3, 0.9, 0.8)
      case .historyCost: (0.95, 0.95, 0.95)
      case .historyRead: (5, 5, 5)
      case .fork: (1, 1, 1)
      case .stream: (2, 0.8, 0.7)
      }
    let ratio =
      switch store {
      case .memory: ratios.memory
      case .sqlite: ratios.sqlite
      case .lmdb: ratios.lmdb
      }
    switch (job, store) {
    case (.fork, .memory): return Target(ratio, seconds: 20e-6)
    case (.stream, .sqlite): return Target(ratio, peakBytes: 64 << 20)
    case (.stream, .lmdb): return Target(ratio, peakBytes: (64 << 20) + min(280 * rows, 512 << 20))
    default: return Target(ratio)
    }
  }
}
