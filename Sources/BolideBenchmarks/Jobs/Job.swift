import CComparators

/// A job that both sides do: what is prepared, what is timed, and what must come out equal.
enum Job: String, CaseIterable, Sendable {
  case importing = "import"
  case closureImport = "import-closure"
  case objectImport = "import-objects"
  case reimport = "reimport-same"
  case changedReimport = "reimport-changed"
  case page
  case lookup = "key"
  case sortedRows = "sorted-rows"
  case sortedObjects = "sorted-objects"
  case rangeQuery = "query-range"
  case filterQuery = "query-filter"
  case sortQuery = "query-sort"
  case groupQuery = "query-group"
  case membersQuery = "query-in"
  case update
  case delete
  case historyCost = "history-cost"
  case historyRead = "history-read"
  case fork
  case stream

  /// What the job does, for the list.
  var summary: String {
    switch self {
    case .importing: "import into an empty store"
    case .closureImport: "import by the closure that fills rows"
    case .objectImport: "import by the closure that fills typed objects"
    case .reimport: "import the same records again: nothing changes"
    case .changedReimport: "import again with 2 % of the records changed"
    case .page: "50 rows by index, filtered and sorted, into objects"
    case .lookup: "one row by its unique key"
    case .sortedRows: "all rows sorted by an indexed column, as rows"
    case .sortedObjects: "all rows sorted by an indexed column, as objects"
    case .rangeQuery: "20 rows from a bound by index, into objects"
    case .filterQuery: "rows that meet two bounds without an index, into objects"
    case .sortQuery: "two columns of all rows, sorted without an index"
    case .groupQuery: "count, sum and maximum of each group"
    case .membersQuery: "the rows with 10,000 keys, into objects"
    case .update: "update one attribute of half of the rows, with history"
    case .delete: "delete half of the rows, with history"
    case .historyCost: "import with history, beside import without"
    case .historyRead: "read the change of every row"
    case .fork: "copy a store"
    case .stream: "import records while they are made, none kept"
    }
  }

  /// The rows a store holds when nothing is asked for.
  var defaultRows: Int {
    switch self {
    case .fork: 10_000
    case .stream: 1_000_000
    default: 100_000
    }
  }

  /// Whether a side has what the job needs: only the whole of Bolide knows objects and closures and can leave history
  /// out, and it has no fetch of bare rows yet.
  func canRun(_ side: SideName) -> Bool {
    switch self {
    case .sortedObjects, .historyCost, .closureImport, .objectImport, .rangeQuery, .filterQuery, .sortQuery,
      .groupQuery, .membersQuery:
      side == .bolide
    case .sortedRows: side != .bolide
    default: true
    }
  }

  /// What it is measured against.
  var opponent: SideName {
    self == .historyCost ? .bolideWithoutHistory : .comparator
  }

  /// What the comparator does with a stored key; only the memory store is held against a plain upsert.
  func conflict(_ store: StoreKind) -> cmp_conflict {
    store == .memory ? CMP_UPSERT : CMP_UPSERT_CHANGED
  }

  /// Whether the comparator writes a row per change when it imports.
  var comparatorKeepsHistory: Bool { self == .historyRead }

  /// Whether the store holds exactly the generated records in the end.
  var endsWithTheRecords: Bool {
    switch self {
    case .changedReimport, .update, .delete, .stream: false
    default: true
    }
  }

  /// Rows changed by `update` and `delete` are those below this significance: about half.
  private static let half = QuakeGenerator.significanceBound / 2

  /// Brings the side to where the timed part starts.
  func prepare(_ side: any Side, _ records: RecordSet) throws {
    switch self {
    case .importing, .closureImport, .objectImport, .historyCost, .stream: break
    default: _ = try side.importRecords(records)
    }
  }

  /// Does the timed part.
  func run(_ side: any Side, _ work: Work) throws -> Timing {
    switch self {
    case .importing, .historyCost, .reimport: try side.importRecords(work.records)
    case .closureImport: try side.importByClosure(work.records)
    case .objectImport: try side.importByObjects(work.records)
    case .changedReimport: try side.importRecords(work.changed)
    case .page: try side.pages(before: work.times, magnitude: QuakeGenerator.strong, limit: 50)
    case .lookup: try side.lookup(work.codes)
    case .sortedRows: try side.sorted(asObjects: false)
    case .sortedObjects: try side.sorted(asObjects: true)
    case .rangeQuery, .filterQuery, .sortQuery, .groupQuery, .membersQuery:
      try side.ask(work.query ?? Query(CMP_RANGE, generator: work.generator, records: work.records))
    case .update: try side.update(significanceBelow: Self.half, felt: -1)
    case .delete: try side.delete(significanceBelow: Self.half)
    case .historyRead: try side.changes()
    case .fork: try side.copy(to: work.copyPath)
    case .stream: try side.importStream(work.generator, rows: work.rows)
    }
  }
}

/// The input of a job, made before anything is timed.
struct Work {
  let generator: QuakeGenerator
  let rows: Int
  let copyPath: String
  let records: RecordSet
  let changed: RecordSet
  let times: [Double]
  let codes: [cmp_text]
  let query: Query?

  init(_ job: Job, generator: QuakeGenerator, rows: Int, copyPath: String) {
    self.generator = generator
    self.rows = rows
    self.copyPath = copyPath
    let kept = job == .stream ? 0 : rows
    let records = RecordSet(generator, range: 0..<kept)
    self.records = records
    changed = RecordSet(generator, range: 0..<(job == .changedReimport ? rows : 0), changed: true)
    times = job == .page ? generator.pageTimes(400) : []
    let lookups = job == .lookup ? generator.lookups(min(rows, 50_000), of: rows) : []
    codes = lookups.map { records.records[$0].code }
    query = job.query.map { Query($0, generator: generator, records: records) }
  }
}
