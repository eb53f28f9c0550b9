import CComparators

/// One side of a comparison: a store that is open and does the jobs it is asked for.
///
/// Each call times only the work itself. Checksums are made the same way on every side: sums of row hashes
/// where order does not matter, chained hashes where it does. A side has what its jobs need; what it lacks throws.
protocol Side: AnyObject {
  /// Imports all records in one transaction, object trump on their key.
  func importRecords(_ records: RecordSet) throws -> Timing
  /// Imports records that are made while they are imported, none of them kept.
  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing
  /// Imports all records by the closure that users write, value by value.
  func importByClosure(_ records: RecordSet) throws -> Timing
  /// Imports all records by the closure that fills typed objects.
  func importByObjects(_ records: RecordSet) throws -> Timing
  /// Imports a feed's file, or stores the records that are in it.
  func importFeed(_ path: String, _ records: RecordSet) throws -> Timing
  /// Decodes a feed's file and stores nothing; counts bytes.
  func decode(_ path: String) throws -> Timing
  /// The newest `limit` rows before each time with at least this magnitude.
  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing
  /// One row for each key.
  func lookup(_ codes: [cmp_text]) throws -> Timing
  /// Every row in order of magnitude, as rows or as objects.
  func sorted(asObjects: Bool) throws -> Timing
  /// Asks requests of a store that has data.
  func ask(_ query: Query) throws -> Timing
  /// Sets `felt` where `significance` is below the bound.
  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing
  /// Deletes where `significance` is below the bound.
  func delete(significanceBelow bound: Int64) throws -> Timing
  /// Reads every change since the store was empty.
  func changes() throws -> Timing
  /// Shows all rows in order of magnitude, untimed.
  func beginFollowing() throws
  /// Moves rows, untimed, and brings the list up to date.
  func follow(_ moves: [Work.Move]) throws -> Timing
  /// A second store with the same content; in memory, where a path is but a name, this many of them.
  func copy(to path: String, times: Int) throws -> Timing
  /// Closes the store, opens it and finds a row, for each key; closing is not timed.
  func reopen(finding codes: [cmp_text]) throws -> Timing
  /// Opens a store in memory with a few sightings, each in one group, again and again.
  func preview(openings: Int, sightings: Int, groups: Int) throws -> Timing
  /// Runs the program `bolide` for its help, again and again.
  func startProgram(times: Int) throws -> Timing
  /// Imports groups without members.
  func importGroups(_ count: Int) throws -> Timing
  /// Puts one sighting into many groups.
  func joinGroups(_ count: Int) throws -> Timing
  /// Saves objects, each in a transaction of its own, and reads the history of the last ones by token.
  func saveOneByOne(_ count: Int) throws -> Timing
  /// The sum of all rows' hashes, untimed.
  func content() throws -> UInt64
  /// Closes the store.
  func close() throws
}

extension Side {
  private func lacks(_ what: String = #function) -> BenchmarkFailure {
    BenchmarkFailure("\(type(of: self)) has no \(what)")
  }

  func importRecords(_ records: RecordSet) throws -> Timing { throw lacks() }
  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing { throw lacks() }
  func importByClosure(_ records: RecordSet) throws -> Timing { try importRecords(records) }
  func importByObjects(_ records: RecordSet) throws -> Timing { try importRecords(records) }
  func importFeed(_ path: String, _ records: RecordSet) throws -> Timing { try importRecords(records) }
  func decode(_ path: String) throws -> Timing { throw lacks() }
  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing { throw lacks() }
  func lookup(_ codes: [cmp_text]) throws -> Timing { throw lacks() }
  func sorted(asObjects: Bool) throws -> Timing { throw lacks() }
  func ask(_ query: Query) throws -> Timing { throw lacks() }
  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing { throw lacks() }
  func delete(significanceBelow bound: Int64) throws -> Timing { throw lacks() }
  func changes() throws -> Timing { throw lacks() }
  func beginFollowing() throws { throw lacks() }
  func follow(_ moves: [Work.Move]) throws -> Timing { throw lacks() }
  func copy(to path: String, times: Int) throws -> Timing { throw lacks() }
  func reopen(finding codes: [cmp_text]) throws -> Timing { throw lacks() }
  func preview(openings: Int, sightings: Int, groups: Int) throws -> Timing { throw lacks() }
  func startProgram(times: Int) throws -> Timing { throw lacks() }
  func importGroups(_ count: Int) throws -> Timing { throw lacks() }
  func joinGroups(_ count: Int) throws -> Timing { throw lacks() }
  func saveOneByOne(_ count: Int) throws -> Timing { throw lacks() }
}

/// What a job took and saw.
struct Timing: Equatable {
  var seconds: Double
  /// Rows written or read, or requests answered: what a rate counts.
  var rows: Int
  var checksum: UInt64 = 0
  /// Comparisons of rows, where a side counts them.
  var comparisons = 0
  /// Rows read, where a side counts them.
  var rowsRead = 0
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
  /// The JSON decoder of Foundation.
  case foundation
  /// A Swift dictionary of structs.
  case dictionary
}

/// A benchmark that cannot go on, with what to say about it.
struct BenchmarkFailure: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
