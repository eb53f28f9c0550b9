import CComparators

/// What a side is told to do.
extension Job {
  /// Rows changed by `update` and `delete` are those below this significance: about half.
  private static let half = QuakeGenerator.significanceBound / 2
  /// How often a store is opened in one run.
  private static let openings = 5

  /// Brings the side to where the timed part starts.
  func prepare(_ side: any Side, _ work: Work) throws {
    switch self {
    case .importing, .closureImport, .objectImport, .historyCost, .stream, .memory, .decode, .refresh,
      .preview,
      .startup, .groups, .memberships, .transactions:
      break
    case .controller:
      _ = try side.importRecords(work.records)
      try side.beginFollowing()
    default: _ = try side.importRecords(work.records)
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
    case .fork: try side.copy(to: work.copyPath, times: work.copies)
    case .preview: try side.preview(openings: work.rows, sightings: 20, groups: 3)
    case .controller: try follow(side, work)
    case .stream, .memory: try side.importStream(work.generator, rows: work.rows)
    case .decode: try side.decode(work.feedPath)
    case .refresh: try side.importFeed(work.feedPath, work.records)
    case .open:
      try side.reopen(finding: work.codes.prefix(Self.openings).map { $0 })
    case .startup: try side.startProgram(times: 10)
    case .groups: try side.importGroups(work.rows)
    case .memberships: try side.joinGroups(work.rows)
    case .transactions: try side.saveOneByOne(work.rows)
    }
  }

  private func follow(_ side: any Side, _ work: Work) throws -> Timing {
    var total = Timing(seconds: 0, rows: 0)
    for moves in work.moves {
      let timing = try side.follow(moves)
      total.seconds += timing.seconds
      total.rows += moves.count
      total.checksum = timing.checksum
      total.comparisons += timing.comparisons
      total.rowsRead += timing.rowsRead
    }
    return total
  }
}
