import BolideStorage
import CSQLite
import Testing

@testable import BolideSQLite

/// Ranges cut into pieces, against the plain comparison of whole keys.
@Suite struct ScanPieceTests {
  /// All tuples of three values, ascending; nil is lowest.
  private static let tuples: [[Value]] = {
    let values: [Value] = [.null, .int(0), .int(1), .int(2)]
    return values.flatMap { first in values.flatMap { second in values.map { [first, second, $0] } } }
  }()

  private static let bounds: [KeyRange.Bound?] = {
    let values: [Value] = [.null, .int(0), .int(1)]
    var tuples: [[Value]] = [[]]
    tuples += values.map { [$0] }
    tuples += values.flatMap { first in values.map { [first, $0] } }
    tuples += values.flatMap { first in values.flatMap { second in values.map { [first, second, $0] } } }
    return [nil] + tuples.flatMap { tuple in [true, false].map { KeyRange.Bound(tuple, isInclusive: $0) } }
  }()

  @Test func `pieces hold the rows of a range, each once and in order`() {
    for lower in Self.bounds {
      for upper in Self.bounds {
        let expected = Self.tuples.filter { tuple in
          (lower.map { Self.isAbove(tuple, $0) } ?? true) && (upper.map { Self.isBelow(tuple, $0) } ?? true)
        }
        let found = ScanPiece.pieces(from: lower, to: upper).flatMap { piece in
          Self.tuples.filter { Self.holds(piece, $0) }
        }
        #expect(found == expected, "\(String(describing: lower)) to \(String(describing: upper))")
      }
    }
  }

  private static func key(_ values: some Sequence<Value>) -> [UInt8] {
    var key: [UInt8] = []
    for value in values { IndexKey.append(value, to: &key) }
    return key
  }

  private static func isAbove(_ tuple: [Value], _ bound: KeyRange.Bound) -> Bool {
    let (one, other) = (key(tuple.prefix(bound.values.count)), key(bound.values))
    return one == other ? bound.isInclusive : other.lexicographicallyPrecedes(one)
  }

  private static func isBelow(_ tuple: [Value], _ bound: KeyRange.Bound) -> Bool {
    let (one, other) = (key(tuple.prefix(bound.values.count)), key(bound.values))
    return one == other ? bound.isInclusive : one.lexicographicallyPrecedes(other)
  }

  /// What SQLite does with a piece: `IS` for the equal columns, comparisons that NULL never satisfies.
  private static func holds(_ piece: ScanPiece, _ tuple: [Value]) -> Bool {
    guard Array(tuple.prefix(piece.equal.count)) == piece.equal else { return false }
    guard piece.lower != nil || piece.upper != nil else { return true }
    let value = tuple[piece.equal.count]
    if value.isNull { return false }
    if let lower = piece.lower {
      let bound = KeyRange.Bound([lower.value ?? .int(.min)], isInclusive: lower.isInclusive)
      if !isAbove([value], bound) { return false }
    }
    if let upper = piece.upper?.value {
      let bound = KeyRange.Bound([upper], isInclusive: piece.upper?.isInclusive ?? false)
      if !isBelow([value], bound) { return false }
    }
    return true
  }

  @Test func `no scan sorts or passes over rows that are not in its range`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    try store.write { transaction in
      try transaction.insert((1...200).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
      var added: [Bool] = []
      try transaction.link(0, (1...200).map { Link(from: $0, to: $0 % 3 + 1, order: $0 % 7) }, added: &added)
    }
    let transaction = try #require(try store.begin(until: .now + .seconds(30)) as? SQLiteTransaction)
    defer { transaction.rollback() }
    let place = KeyRange.Bound([.string("place 2"), .double(20)], isInclusive: false)
    let ranges: [KeyRange] = [
      .all, .numbers(5...90), .index(0, lower: nil, upper: nil),
      .index(1, lower: KeyRange.Bound([.decimal(3)], isInclusive: true), upper: nil),
      .index(2, lower: place, upper: nil), .index(2, lower: nil, upper: place),
      .index(2, lower: KeyRange.Bound([.null], isInclusive: true), upper: place),
    ]
    for range in ranges {
      for backwards in [false, true] {
        var at: Place?
        repeat {
          var batch = RowBatch(FireballWatch.fireball.format)
          try transaction.scan(
            range, of: 0, backwards: backwards, from: &at, limit: 7, columns: .all(8), into: &batch)
        } while at != nil
      }
    }
    var links: [Link] = []
    for side in [LinkSide.forward, .inverse] {
      var last: Link?
      repeat {
        links.removeAll()
        try transaction.links(0, of: [1, 2, 3], side: side, after: last, limit: 5, into: &links)
        last = links.last
      } while links.count == 5
    }
    // What SQLite counted itself: sorts, and steps of a full scan, which a keyset walk never continues by.
    let connection = try #require(transaction.session?.connection)
    for statement in connection.counters() {
      #expect(statement.sorts == 0, "\(statement.sql)")
      #expect(statement.automaticIndexes == 0, "\(statement.sql)")
    }
  }
}

extension Connection {
  /// SQLite's own counters of all statements of the connection.
  fileprivate func counters() -> [(sql: String, sorts: Int32, automaticIndexes: Int32)] {
    var result: [(sql: String, sorts: Int32, automaticIndexes: Int32)] = []
    var statement = sqlite3_next_stmt(handle, nil)
    while let next = statement {
      result.append(
        (
          String(cString: sqlite3_sql(next)), sqlite3_stmt_status(next, SQLITE_STMTSTATUS_SORT, 0),
          sqlite3_stmt_status(next, SQLITE_STMTSTATUS_AUTOINDEX, 0)
        ))
      statement = sqlite3_next_stmt(handle, next)
    }
    return result
  }
}
