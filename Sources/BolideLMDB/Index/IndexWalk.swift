import BolideStorage
import CLMDB
import Foundation

/// Walks the entries of an index in key order, across the cut of long keys (``LongKey``).
///
/// It stands on an entry, or nowhere after a move that returned false.
struct IndexWalk: ~Copyable {
  private let transaction: OpaquePointer
  private let nodes: MDB_dbi
  private let top: Cursor
  private var topKey = MDB_val()
  private var topData = MDB_val()
  /// The nodes that the walk is inside of, the innermost last. Empty but for long keys.
  private var levels: [Level] = []

  private struct Level {
    let node: UInt64
    let cursor: OpaquePointer
    var key = MDB_val()
    var data = MDB_val()

    /// The key without the node's number.
    var rest: UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(rebasing: key.bytes[LongKey.nodeLength...])
    }
  }

  init(_ transaction: OpaquePointer, _ database: MDB_dbi, nodes: MDB_dbi) throws(BolideError) {
    self.transaction = transaction
    self.nodes = nodes
    top = try Cursor(transaction, database)
  }

  deinit {
    for level in levels { mdb_cursor_close(level.cursor) }
  }
}

// MARK: - The current entry

extension IndexWalk {
  /// The number of the row that the entry leads to.
  func number() throws(BolideError) -> Number {
    let data = levels.last?.data ?? topData
    let number: Number
    switch data.mv_size {
    case 8:
      number = data.bytes.big(0, Number.self)
    case 0:
      let key = levels.last?.key ?? topKey
      let least = levels.isEmpty ? 8 : LongKey.nodeLength + 8
      guard key.mv_size >= least else { throw Self.damaged }
      number = key.bytes.big(key.mv_size - 8, Number.self)
    default:
      throw Self.damaged
    }
    guard number > 0 else { throw Self.damaged }
    return number
  }

  private static var damaged: BolideError { LMDBFailure.damaged("An index entry is damaged") }

  /// Compares the whole key of the entry with bytes: below, equal to or above 0.
  func comparison(to bound: [UInt8]) -> Int {
    bound.withUnsafeBytes { bound in
      if levels.isEmpty { return Self.compare(topKey.bytes, bound, from: 0, isLast: true) ?? 0 }
      if let result = Self.compare(topKey.bytes, bound, from: 0, isLast: false) { return result }
      var offset = topKey.mv_size
      for (index, level) in levels.enumerated() {
        let isLast = index == levels.count - 1
        if let result = Self.compare(level.rest, bound, from: offset, isLast: isLast) { return result }
        offset += level.rest.count
      }
      return 0
    }
  }

  /// Compares one piece of a key with the bound from an offset on; `nil` when the next piece decides.
  @inline(__always)
  private static func compare(
    _ piece: UnsafeRawBufferPointer, _ bound: UnsafeRawBufferPointer, from offset: Int, isLast: Bool
  ) -> Int? {
    let left = bound.count - offset
    let common = min(piece.count, left)
    if common > 0, let one = piece.baseAddress, let other = bound.baseAddress {
      let order = memcmp(one, other + offset, common)
      if order != 0 { return Int(order) }
    }
    if left < piece.count { return 1 }
    if !isLast { return left == piece.count ? 1 : nil }
    return left == piece.count ? 0 : -1
  }
}

// MARK: - Moving

extension IndexWalk {
  /// Moves to the first entry whose key is not below `target`.
  mutating func seek(_ target: [UInt8]) throws(BolideError) -> Bool {
    leaveAll()
    if target.isEmpty {
      guard try top.move(MDB_FIRST, &topKey, &topData) else { return false }
      return try descendToFirst()
    }
    var rest = target[...]
    while true {
      let piece = rest.prefix(LongKey.segmentLength)
      guard try seekHere(piece) else { return try nextAbove() }
      if rest.count > piece.count, isOnSegment(piece), let node = try LongKey.node(currentData) {
        try enter(node)
        rest = rest.dropFirst(piece.count)
      } else {
        return try descendToFirst()
      }
    }
  }

  /// Moves to the last entry whose key is below `target`; to the last of all without one.
  mutating func seekBefore(_ target: [UInt8]?) throws(BolideError) -> Bool {
    if let target, try seek(target) { return try previous() }
    leaveAll()
    guard try top.move(MDB_LAST, &topKey, &topData) else { return false }
    return try descendToLast()
  }

  mutating func next() throws(BolideError) -> Bool {
    if levels.isEmpty {
      guard try top.move(MDB_NEXT, &topKey, &topData) else { return false }
      return try descendToFirst()
    }
    if try moveInside(MDB_NEXT) { return try descendToFirst() }
    return try nextAbove()
  }

  mutating func previous() throws(BolideError) -> Bool {
    while !levels.isEmpty {
      if try moveInside(MDB_PREV) { return try descendToLast() }
      leave()
    }
    guard try top.move(MDB_PREV, &topKey, &topData) else { return false }
    return try descendToLast()
  }

  private var currentData: MDB_val { levels.last?.data ?? topData }

  /// Goes on after the node that has no more entries.
  private mutating func nextAbove() throws(BolideError) -> Bool {
    while !levels.isEmpty {
      leave()
      let hasNext =
        levels.isEmpty ? try top.move(MDB_NEXT, &topKey, &topData) : try moveInside(MDB_NEXT)
      if hasNext { return try descendToFirst() }
    }
    return false
  }

  private mutating func descendToFirst() throws(BolideError) -> Bool {
    while let node = try LongKey.node(currentData) {
      try enter(node)
      guard try seekHere([]) else { throw Self.emptyNode }
    }
    return true
  }

  private mutating func descendToLast() throws(BolideError) -> Bool {
    while let node = try LongKey.node(currentData) {
      try enter(node)
      guard try seekLastHere() else { throw Self.emptyNode }
    }
    return true
  }

  private static var emptyNode: BolideError { LMDBFailure.damaged("A node of a long key has no entries") }
}

// MARK: - Nodes

extension IndexWalk {
  private mutating func enter(_ node: UInt64) throws(BolideError) {
    // A node is always made after the one above it: a mark that does not ascend would lead in circles.
    guard node > (levels.last?.node ?? 0) else {
      throw LMDBFailure.damaged("A node of a long key is damaged")
    }
    var cursor: OpaquePointer?
    try check(mdb_cursor_open(transaction, nodes, &cursor), "open a cursor")
    guard let cursor else { throw LMDBFailure.damaged("LMDB opened no cursor") }
    levels.append(Level(node: node, cursor: cursor))
  }

  private mutating func leave() {
    if let level = levels.popLast() { mdb_cursor_close(level.cursor) }
  }

  private mutating func leaveAll() {
    while !levels.isEmpty { leave() }
  }

  /// Moves to the first entry of the innermost node, or of the index, that is not below `piece`.
  private mutating func seekHere(_ piece: ArraySlice<UInt8>) throws(BolideError) -> Bool {
    guard let level = levels.last else {
      return try piece.withBytes { (bytes) throws(BolideError) in
        topKey = MDB_val(bytes)
        return try top.move(MDB_SET_RANGE, &topKey, &topData)
      }
    }
    return try KeyWriter.withEntry(level.node, piece, nil) { (bytes) throws(BolideError) in
      levels[levels.count - 1].key = MDB_val(bytes)
      return try moveInside(MDB_SET_RANGE)
    }
  }

  private mutating func seekLastHere() throws(BolideError) -> Bool {
    guard let level = levels.last else { return false }
    let isBelow = try KeyWriter.withEntry(level.node + 1, [], nil) { (bytes) throws(BolideError) in
      var key = MDB_val(bytes)
      return mdb_cursor_get(level.cursor, &key, &levels[levels.count - 1].data, MDB_SET_RANGE) == 0
    }
    return try moveInside(isBelow ? MDB_PREV : MDB_LAST)
  }

  /// Moves the innermost cursor; false when it leaves the node.
  private mutating func moveInside(_ operation: MDB_cursor_op) throws(BolideError) -> Bool {
    guard var level = levels.popLast() else { return false }
    defer { levels.append(level) }
    let code = mdb_cursor_get(level.cursor, &level.key, &level.data, operation)
    if code == MDB_NOTFOUND { return false }
    try check(code, "read an entry")
    return level.key.mv_size > LongKey.nodeLength && level.key.bytes.big(0, UInt64.self) == level.node
  }

  /// Whether the innermost cursor stands on the entry with exactly these bytes.
  private func isOnSegment(_ piece: ArraySlice<UInt8>) -> Bool {
    let bytes = levels.last?.rest ?? topKey.bytes
    return bytes.elementsEqual(piece)
  }
}
