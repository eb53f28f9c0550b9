import Foundation

/// What a job should reach on a store: every bound of the whole program is here.
struct Target: Equatable, Sendable {
  /// The least ratio of our rate to the other side's.
  var ratio: Double?
  /// The most seconds that one of what is counted may take.
  var seconds: Double?
  /// The least rate a second.
  var rate: Double?
  /// The most memory that the job may use above the open store.
  var peakBytes: Int?
  /// The most memory beside what the other side keeps.
  var memoryRatio: Double?
  /// The most comparisons of rows for a change.
  var comparisons: Double?
  /// The most rows read for a change.
  var rowsRead: Double?

  /// Whether figures reach every bound.
  func isMet(by result: BenchmarkResult) -> Bool {
    func holds(_ bound: Double?, _ value: Double?, isLeast: Bool) -> Bool {
      guard let bound else { return true }
      guard let value else { return false }
      return isLeast ? value >= bound : value <= bound
    }
    return holds(ratio, result.ratio, isLeast: true)
      && holds(seconds, result.secondsEach, isLeast: false)
      && holds(rate, result.rowsPerSecond, isLeast: true)
      && holds(peakBytes.map(Double.init), Double(result.peakBytes), isLeast: false)
      && holds(memoryRatio, result.memoryRatio, isLeast: false)
      && holds(comparisons, result.comparisons, isLeast: false)
      && holds(rowsRead, result.rowsRead, isLeast: false)
  }

  /// The target of a job on a store; `nil` where none is set.
  static func of(_ job: Job, _ store: StoreKind, rows: Int) -> Target? {
    var target = Target(ratio: ratio(job)?[store])
    switch (job, store) {
    case (.fork, .memory): target.seconds = 20e-6
    case (.preview, _): target.seconds = 1e-3
    case (.open, _): target.seconds = 20e-3
    case (.startup, _): target.seconds = 30e-3
    case (.stream, .sqlite): target.peakBytes = 64 << 20
    case (.stream, .lmdb): target.peakBytes = (64 << 20) + min(280 * rows, 512 << 20)
    case (.memory, _): target.memoryRatio = 1.3
    case (.decode, _): target.rate = 200e6
    case (.controller, _):
      target.comparisons = 10 * log2(Double(max(rows, 2)))
      target.rowsRead = 1
    default: break
    }
    return target == Target() ? nil : target
  }

  /// The least ratios on the three stores; the memory store is held against SQLite in memory.
  private static func ratio(_ job: Job) -> Ratios? {
    switch job {
    case .importing: Ratios(3, 0.9, 0.8)
    // Not in the targets, which are for packed rows: what values in between may cost.
    case .closureImport, .objectImport: Ratios(1, 0.5, 0.4)
    case .reimport, .changedReimport: Ratios(6, 0.9, 0.6)
    case .page: Ratios(3, 0.7, 0.7)
    case .lookup: Ratios(5, 0.8, 0.5)
    case .sortedRows: Ratios(1.5, 0.7, 0.5)
    case .sortedObjects: Ratios(0.8, 0.4, 0.3)
    // As pages and sorted fetches, of which these are kinds.
    case .rangeQuery, .membersQuery: Ratios(3, 0.7, 0.5)
    case .filterQuery: Ratios(1, 0.7, 0.5)
    case .sortQuery, .groupQuery: Ratios(1, 0.7, 0.3)
    case .update, .delete: Ratios(3, 0.9, 0.8)
    case .historyCost: Ratios(0.95, 0.95, 0.95)
    case .historyRead: Ratios(5, 5, 5)
    // In memory the bound is a time.
    case .fork: Ratios(nil, 1, 1)
    case .stream: Ratios(2, 0.8, 0.7)
    // At most 1.4 times as long as storing alone.
    case .refresh: Ratios(1 / 1.4, 1 / 1.4, 1 / 1.4)
    // Ten times the decoder that comes with the system.
    case .decode: Ratios(10, nil, nil)
    case .preview, .controller, .memory, .open, .startup, .groups, .memberships, .transactions: nil
    }
  }

  private struct Ratios {
    let memory, sqlite, lmdb: Double?

    init(_ memory: Double?, _ sqlite: Double?, _ lmdb: Double?) {
      self.memory = memory
      self.sqlite = sqlite
      self.lmdb = lmdb
    }

    subscript(store: StoreKind) -> Double? {
      switch store {
      case .memory: memory
      case .sqlite: sqlite
      case .lmdb: lmdb
      }
    }
  }
}

extension Target {
  /// The bounds in words.
  var text: String {
    var parts: [String] = []
    if let ratio { parts.append("≥ \(Figure.short(ratio))") }
    if let rate { parts.append("≥ \(Figure.rate(rate))/s") }
    if let seconds { parts.append("≤ \(Figure.duration(seconds))") }
    if let peakBytes { parts.append("≤ \(Figure.megabytes(peakBytes)) MB") }
    if let memoryRatio { parts.append("≤ \(Figure.short(memoryRatio)) × its memory") }
    if let comparisons { parts.append("≤ \(Figure.short(comparisons.rounded())) comparisons a change") }
    if let rowsRead { parts.append("≤ \(Figure.short(rowsRead)) row read a change") }
    return parts.joined(separator: ", ")
  }
}
