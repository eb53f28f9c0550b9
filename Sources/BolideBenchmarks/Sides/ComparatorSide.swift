import CComparators

/// The raw C program on SQLite or LMDB.
final class ComparatorSide: Side {
  private var store: OpaquePointer?
  private let library: cmp_kind
  private let path: String
  private let conflict: cmp_conflict
  private let keepsHistory: Bool

  /// - Parameters:
  ///   - kind: The store our side runs on; the memory store is compared with SQLite in memory.
  ///   - path: A file for SQLite, a folder that exists for LMDB.
  ///   - conflict: What an import does with a key that is stored.
  ///   - keepsHistory: Whether an import writes a row per change.
  init(_ kind: StoreKind, path: String, conflict: cmp_conflict, keepsHistory: Bool) throws {
    self.path = path
    self.conflict = conflict
    self.keepsHistory = keepsHistory
    library =
      switch kind {
      case .memory: CMP_SQLITE_MEMORY
      case .sqlite: CMP_SQLITE_FILE
      case .lmdb: CMP_LMDB
      }
    try open()
  }

  private func open() throws {
    guard cmp_open(library, path, &store) == 0 else {
      let message = String(cString: cmp_message(store))
      cmp_close(store)
      store = nil
      throw BenchmarkFailure(message)
    }
  }

  deinit {
    cmp_close(store)
  }

  func run(_ job: (OpaquePointer?, inout cmp_result) -> CInt) throws -> Timing {
    var result = cmp_result()
    guard job(store, &result) == 0 else { throw BenchmarkFailure(String(cString: cmp_message(store))) }
    return Timing(seconds: result.seconds, rows: Int(result.rows), checksum: result.checksum)
  }

  func importRecords(_ records: RecordSet) throws -> Timing {
    let source = cmp_source(
      quakes: records.records.baseAddress, count: records.count, fill: nil, context: nil)
    return try run { cmp_import($0, source, conflict, keepsHistory, &$1) }
  }

  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing {
    let stream = QuakeStream(generator, rows: rows)
    return try withExtendedLifetime(stream) {
      let source = cmp_source(
        quakes: nil, count: 0,
        fill: { context, quakes, room in
          guard let context, let quakes else { return 0 }
          return Unmanaged<QuakeStream>.fromOpaque(context).takeUnretainedValue().fill(quakes, room: room)
        }, context: Unmanaged.passUnretained(stream).toOpaque())
      return try run { cmp_import($0, source, conflict, keepsHistory, &$1) }
    }
  }

  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing {
    var timing = try run { cmp_pages($0, times, times.count, magnitude, CInt(limit), &$1) }
    timing.rows = times.count
    return timing
  }

  func lookup(_ codes: [cmp_text]) throws -> Timing {
    try run { cmp_lookup($0, codes, codes.count, &$1) }
  }

  func sorted(asObjects: Bool) throws -> Timing {
    try run { cmp_sorted($0, &$1) }
  }

  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing {
    try run { cmp_update($0, bound, felt, &$1) }
  }

  func delete(significanceBelow bound: Int64) throws -> Timing {
    try run { cmp_delete($0, bound, &$1) }
  }

  func changes() throws -> Timing {
    try run { cmp_changes($0, 0, &$1) }
  }

  func beginFollowing() throws { _ = try follow([]) }

  func follow(_ moves: [Work.Move]) throws -> Timing {
    try run { cmp_follow($0, moves.map(\.number), moves.map(\.magnitude), moves.count, &$1) }
  }

  func preview(openings: Int, sightings: Int, groups: Int) throws -> Timing {
    try run { cmp_preview($0, openings, sightings, groups, &$1) }
  }

  func reopen(finding codes: [cmp_text]) throws -> Timing {
    var total = Timing(seconds: 0, rows: codes.count)
    for code in codes {
      try close()
      let start = cmp_start()
      try open()
      let found = try lookup([code])
      total.seconds += cmp_stop(start)
      total.checksum = cmp_mix(total.checksum, found.checksum)
    }
    return total
  }

  func copy(to path: String, times: Int) throws -> Timing {
    var total = Timing(seconds: 0, rows: times)
    for _ in 0..<times {
      let copied = try run { cmp_copy($0, path, &$1) }
      total.seconds += copied.seconds
      total.checksum = copied.checksum
    }
    return total
  }

  func content() throws -> UInt64 {
    try run { cmp_content($0, &$1) }.checksum
  }

  func close() throws {
    cmp_close(store)
    store = nil
  }
}
