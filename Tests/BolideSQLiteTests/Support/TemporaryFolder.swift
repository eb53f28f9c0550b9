import BolideSQLite
import BolideStorage
import CSQLite
import Foundation
import Testing

/// A folder for one test, removed with it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "bolide-sqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the store that most tests use.
  var store: String { path + "/test.sqlite" }

  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  func open(
    _ name: String = "test.sqlite", layout: Layout? = FireballWatch.layout,
    options: OpenOptions = OpenOptions()
  ) throws -> any OpenStore {
    try SQLiteBackend().open(Location(path: "\(path)/\(name)"), layout: layout, options: options)
  }
}

/// SQL by other means than the store's: what a person with the `sqlite3` shell would see and do.
enum Shell {
  /// Runs SQL on a file and returns the rows, columns joined by `|`.
  @discardableResult
  static func run(_ sql: String, on path: String) throws -> [String] {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
      throw ShellFailure(text: String(cString: sqlite3_errmsg(handle)))
    }
    var rows: [String] = []
    let code = withUnsafeMutablePointer(to: &rows) { rows in
      sqlite3_exec(
        handle, sql,
        { context, count, values, _ in
          let row = (0..<Int(count)).map { values?[$0].map { String(cString: $0) } ?? "NULL" }
          context?.assumingMemoryBound(to: [String].self).pointee.append(row.joined(separator: "|"))
          return 0
        }, rows, nil)
    }
    guard code == SQLITE_OK else { throw ShellFailure(text: String(cString: sqlite3_errmsg(handle))) }
    return rows
  }

  /// Runs SQL, and a body before the connection is closed: as if the program had been killed then.
  static func keeping(_ sql: String, on path: String, _ body: () throws -> Void) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw ShellFailure(text: String(cString: sqlite3_errmsg(handle))) }
    try body()
  }

  struct ShellFailure: Error {
    var text: String
  }
}

extension OpenStore {
  /// Runs a transaction, waiting long for others.
  @discardableResult
  func write<Result>(_ body: (any WriteTransaction) throws -> Result) throws -> Result {
    let transaction = try begin(until: .now + .seconds(30))
    defer { transaction.rollback() }
    let result = try body(transaction)
    _ = try transaction.commit(pinning: false)
    return result
  }

  func read<Result>(_ body: (any Snapshot) throws -> Result) throws -> Result {
    let snapshot = try snapshot()
    defer { snapshot.close() }
    return try body(snapshot)
  }
}

extension Reader {
  /// All rows of a table by a range, as values.
  func values(of table: TableID, _ layout: TableLayout, by range: KeyRange = .all) throws -> [[Value]] {
    var batch = RowBatch(layout.format)
    var place: Place?
    repeat {
      try scan(
        range, of: table, backwards: false, from: &place, limit: 100,
        columns: .all(layout.columns.count), into: &batch)
    } while place != nil
    return batch.values
  }

  func numbers(of table: TableID, _ layout: TableLayout, by range: KeyRange = .all) throws -> [Number] {
    var batch = RowBatch(layout.format)
    var place: Place?
    repeat {
      try scan(
        range, of: table, backwards: false, from: &place, limit: 3, columns: ColumnSet(), into: &batch)
    } while place != nil
    return batch.numbers
  }
}

extension WriteTransaction {
  /// Inserts rows given as values; returns how many were inserted.
  @discardableResult
  func insert(_ rows: [[Value]], into table: TableID, _ layout: TableLayout, from first: Number) throws -> Int
  {
    var taken: [Taken] = []
    return try insert(
      RowBatch(rows, layout.format), of: table, numberedFrom: first, taken: &taken)
  }

  /// Appends the next transaction to history.
  func append(_ runs: [ChangeRun], author: String? = "test", tombstones: [Tombstones] = []) throws {
    let head = try head()
    try append(
      TransactionRecord(
        mark: Mark(transaction: head.transaction + 1, nonce: UInt64.max - head.transaction),
        timestamp: 662_688_000.25, author: author, contextName: nil, processName: "tests", processID: 7),
      runs: runs, tombstones: tombstones)
  }
}

extension RowBatch {
  init(_ rows: [[Value]], _ format: RowFormat, numbers: [Number] = []) {
    self.init(format)
    var builder = RowBuilder(format)
    for (place, row) in rows.enumerated() {
      builder.clear()
      for (column, value) in row.enumerated() { builder.set(column, value) }
      builder.append(to: &self, number: place < numbers.count ? numbers[place] : 0)
    }
  }

  var values: [[Value]] {
    (0..<count).map { place in
      withRow(at: place) { row in (0..<format.columnCount).map(row.value) } ?? []
    }
  }
}
