import CComparators

/// One side of a comparison: a store that is open and does the jobs it is asked for.
///
/// Each call times only the work itself. Checksums are made the same way on every side: sums of row hashes
/// where order does not matter, chained hashes where it does.
protocol Side: AnyObject {
  /// Imports all records in one transaction, object trump on their key.
  func importRecords(_ records: RecordSet) throws -> Timing
  /// Imports records that are made while they are imported, none of them kept.
  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing
  /// Imports all records by the closure that users write, value by value.
  func importByClosure(_ records: RecordSet) throws -> Timing
  /// Imports all records by the closure that fills typed objects.
  func importByObjects(_ records: RecordSet) throws -> Timing
  /// The newest `limit` rows before each time with at least this magnitude.
  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing
  /// One row for each key.
  func lookup(_ codes: [cmp_text]) throws -> Timing
  /// Every row in order of magnitude, as rows or as objects.
  func sorted(asObjects: Bool) throws -> Timing
  /// Sets `felt` where `significance` is below the bound.
  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing
  /// Deletes where `significance` is below the bound.
  func delete(significanceBelow bound: Int64) throws -> Timing
  /// Asks requests of a store that has data.
  func ask(_ query: Query) throws -> Timing
  /// Reads every change since the store was empty.
  func changes() throws -> Timing
  /// A second store with the same content.
  func copy(to path: String) throws -> Timing
  /// The sum of all rows' hashes, untimed.
  func content() throws -> UInt64
  /// Closes the store.
  func close() throws
}

extension Side {
  func importByClosure(_ records: RecordSet) throws -> Timing { try importRecords(records) }
  func importByObjects(_ records: RecordSet) throws -> Timing { try importRecords(records) }
}

/// What a job took and saw.
struct Timing: Equatable {
  var seconds: Double
  /// Rows written or read, or requests answered: what a rate counts.
  var rows: Int
  var checksum: UInt64 = 0
}

/// Which program does the work of a measured run.
enum SideName: String, CaseIterable, Sendable {
  /// Bolide through its public interface.
  case bolide
  /// Bolide with history off.
  case bolideWithoutHistory = "bolide-without-history"
  /// The storage contract alone.
  case storage
  /// The C comparator: no history, or what the job is compared with.
  case comparator
}

/// A benchmark that cannot go on, with what to say about it.
struct BenchmarkFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
