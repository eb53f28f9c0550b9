import CComparators

/// The input of a job, made before anything is timed.
struct Work {
  /// A row that moves in a list: its number, and the magnitude that it gets.
  struct Move: Equatable {
    var number: UInt64
    var magnitude: Double
  }

  let generator: QuakeGenerator
  let rows: Int
  let copyPath: String
  /// How often a store is copied: often in memory, where a copy takes no time.
  let copies: Int
  let feedPath: String
  let records: RecordSet
  let changed: RecordSet
  let times: [Double]
  let codes: [cmp_text]
  let query: Query?
  /// Twenty times ten rows that move.
  let moves: [[Move]]

  /// - Throws: ``BenchmarkFailure`` where the feed's file cannot be written.
  init(
    _ job: Job, on store: StoreKind, generator: QuakeGenerator, rows: Int, folder: String
  ) throws {
    self.generator = generator
    self.rows = rows
    copyPath = folder + "/copy"
    copies = store == .memory ? 50 : 1
    feedPath = folder + "/feed.geojson"
    let version: RecordSet.Version = [.decode, .refresh].contains(job) ? .ofFeed : .first
    let records = RecordSet(generator, range: 0..<(job.keepsRecords ? rows : 0), version: version)
    self.records = records
    changed = RecordSet(
      generator, range: 0..<(job == .changedReimport ? rows : 0), version: .changed)
    times = job == .page ? generator.pageTimes(min(400, rows)) : []
    let lookups = [.lookup, .open].contains(job) ? generator.lookups(min(rows, 50_000), of: rows) : []
    codes = lookups.map { records.records[$0].code }
    query = job.query.map { Query($0, generator: generator, records: records) }
    moves = job == .controller ? Self.moves(generator, rows: rows) : []
    if version == .ofFeed { try FeedFile.write(records, to: feedPath) }
  }

  private static func moves(_ generator: QuakeGenerator, rows: Int) -> [[Move]] {
    let indexes = generator.lookups(200, of: rows)
    return (0..<20).map { round in
      // A row is moved once a round: no two of its places are known otherwise.
      var seen: Set<Int> = []
      return (0..<10).compactMap { place in
        let index = indexes[round * 10 + place]
        guard seen.insert(index).inserted else { return nil }
        return Move(
          number: UInt64(index) + 1, magnitude: Double((index * 7 + round * 131 + place) % 900) / 100 + 0.001)
      }
    }
  }
}

extension Job {
  /// Whether the records are made before the job starts; else it makes what it needs, or needs none.
  fileprivate var keepsRecords: Bool {
    switch self {
    case .stream, .memory, .preview, .startup, .groups, .memberships, .transactions: false
    default: true
    }
  }
}
