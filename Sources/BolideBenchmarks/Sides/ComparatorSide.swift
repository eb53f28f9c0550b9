import CComparators

/// The raw C program on SQLite or LMDB.
final class ComparatorSide: Side {
  private var store: OpaquePointer?
  private let conflict: cmp_conflict
  private let keepsHistory: Bool

  /// - Parameters:
  ///   - kind: The store our side runs on; the memory store is compared with SQLite in memory.
  ///   - path: A file for SQLite, a folder that exists for LMDB.
  ///   - conflict: What an import does with a key that is stored.
  ///   - keepsHistory: Whether an import writes a row per change.
  init(_ kind: StoreKind, path: String, conflict: cmp_conflict, keepsHistory: Bool) throws {
    self.conflict = conflict
    self.keepsHistory = keepsHistory
    let library: cmp_kind =
      switch kind {
      case .memory: CMP_SQLITE_MEMORY
      case .sqlite: CMP_SQLITE_FILE
      case .lmdb: CMP_LMDB
      }
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
    try run { cmp_import($0, records.records.baseAddress, records.count, conflict, keepsHistory, &$1) }
  }

  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing {
    // C takes an array, so here the records are kept; making them counts on both sides.
    let start = cmp_now()
    let records = RecordSet(generator, range: 0..<rows)
    let making = cmp_now() - start
    var timing = try importRecords(records)
    timing.seconds += making
    return timing
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

  func copy(to path: String) throws -> Timing {
    try run { cmp_copy($0, path, &$1) }
  }

  func content() throws -> UInt64 {
    try run { cmp_content($0, &$1) }.checksum
  }

  func close() throws {
    cmp_close(store)
    store = nil
  }
}
