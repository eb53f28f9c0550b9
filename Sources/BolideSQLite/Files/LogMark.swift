import BolideStorage
import CSQLite

/// The mark that every commit leaves in a store, by which a log is told to be the file's own.
///
/// SQLite applies whatever log stands beside a file, also that of another database or of another state of this one. So
/// every commit writes a random number into a table of one row, together with the number before it. A log holds a
/// version of that row for each of its commits, and the file holds either the version before the log or one of the
/// log's: a checkpoint copies low pages first, and the row stands on the lowest but one. A file whose mark the log does
/// not know is older or newer than the log, or is another store.
enum LogMark {
  /// Made first, so that it is on the second page.
  static let table = """
    CREATE TABLE bolide_log (
      mark INTEGER NOT NULL,
      previous INTEGER NOT NULL
    )
    """

  /// Gives a new store its first mark.
  static func begin(on connection: Connection) throws(BolideError) {
    try connection.execute(
      "INSERT INTO bolide_log (mark, previous) VALUES (\(Int64.random(in: .min ... .max)), 0)",
      while: "creating the store")
  }

  /// Moves the mark on, at the end of a write transaction.
  static func move(on connection: Connection) throws(BolideError) {
    let update = try connection.kept("UPDATE bolide_log SET previous = mark, mark = ?1")
    defer { update.reset() }
    try connection.check(update.bind(1, Int64.random(in: .min ... .max)), while: "marking a commit")
    _ = try connection.step(update, while: "marking a commit")
  }

  /// Whether the store has a mark, which those of early versions have not.
  static func exists(on connection: Connection) throws(BolideError) -> Bool {
    try page(on: connection) != nil
  }

  /// The page of the marks.
  static func page(on connection: Connection) throws(BolideError) -> Int64? {
    try connection.value(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = 'bolide_log'",
      while: "looking at its log")
  }

  /// The mark in the state that the connection sees.
  static func current(on connection: Connection) throws(BolideError) -> Int64? {
    try connection.value("SELECT mark FROM bolide_log", while: "looking at its log")
  }
}
