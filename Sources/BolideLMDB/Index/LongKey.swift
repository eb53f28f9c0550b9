import BolideStorage
import CLMDB

/// How keys longer than LMDB allows are kept so that equality and order stay exact (rule V-6).
///
/// Of a key longer than 480 bytes the first 480 stand as a *segment*, an entry whose value is the mark
/// of a *node*; the rest stands under that node in the database `bolide.nodes`, after the node's number,
/// and is cut again where it is too long. Index keys are such that none is a prefix of another, so a
/// segment never equals a whole key, and entries with one segment stand between the same neighbours.
enum LongKey {
  /// The length of a segment, and of the longest key that is kept whole.
  static let segmentLength = 480
  /// The length of a segment's value; that of a number is 8, that of an entry that has its number in the key 0.
  static let markLength = 9
  static let mark: UInt8 = 1
  /// The number of a node as it begins a key.
  static let nodeLength = 8

  /// The node that a value marks; `nil` when the value is no mark.
  static func node(_ value: MDB_val) throws(BolideError) -> UInt64? {
    if value.mv_size != markLength { return nil }
    let bytes = value.bytes
    guard bytes[0] == mark else { throw LMDBFailure.damaged("A segment of a long key is damaged") }
    return bytes.big(1, UInt64.self)
  }
}

/// Writes keys of any length into the databases of indexes, within one write transaction.
struct KeyWriter {
  let transaction: OpaquePointer
  let nodes: MDB_dbi

  /// Puts a key of a unique index unless it is there.
  ///
  /// - Returns: 0, or the number of the row that holds the key.
  func claim(_ key: [UInt8], in database: MDB_dbi, for number: Number) throws(BolideError) -> Number {
    var bigEndian = number.bigEndian
    return try withUnsafeBytes(of: &bigEndian) { (value) throws(BolideError) -> Number in
      var data = MDB_val(value)
      let code = try put(key, number: nil, &data, in: database)
      if code == 0 { return 0 }
      guard code == MDB_KEYEXIST else { throw LMDBFailure.error(code, "write a key of a unique index") }
      guard data.mv_size == 8 else { throw LMDBFailure.damaged("An entry of a unique index is damaged") }
      return data.bytes.big(0, Number.self)
    }
  }

  /// Puts a key that ends with the number of its row: an entry of an index that is not unique, or a key with a nil part.
  func add(_ key: [UInt8], _ number: Number, in database: MDB_dbi) throws(BolideError) {
    var data = MDB_val(mv_size: 0, mv_data: nil)
    let code = try put(key, number: number, &data, in: database)
    if code == MDB_KEYEXIST { throw LMDBFailure.damaged("An index has an entry of row \(number) already") }
    try check(code, "write a key of an index")
  }

  /// Removes the entry of a key; `number` is what the entry's key ends with, if it does.
  func remove(_ key: [UInt8], number: Number?, in database: MDB_dbi) throws(BolideError) {
    if key.count <= LongKey.segmentLength {
      try Self.withEntry(nil, key[...], number) { (entry) throws(BolideError) in
        try delete(entry, in: database)
      }
      return
    }
    guard let path = try path(of: key, in: database, creating: false) else {
      throw LMDBFailure.damaged("An index lacks an entry")
    }
    try Self.withEntry(path.nodes.last, path.rest, number) { (entry) throws(BolideError) in
      try delete(entry, in: nodes)
    }
    try removeEmptyNodes(path, of: key, in: database)
  }

  private func delete(_ entry: UnsafeRawBufferPointer, in database: MDB_dbi) throws(BolideError) {
    var value = MDB_val(entry)
    let code = mdb_del(transaction, database, &value, nil)
    if code == MDB_NOTFOUND { throw LMDBFailure.damaged("An index lacks an entry") }
    try check(code, "delete a key of an index")
  }

  /// Puts an entry unless its key is there; LMDB's code, with the data of the entry that is.
  private func put(
    _ key: [UInt8], number: Number?, _ data: inout MDB_val, in database: MDB_dbi
  ) throws(BolideError) -> Int32 {
    var target = database
    var node: UInt64?
    var rest = key[...]
    if key.count > LongKey.segmentLength, let path = try path(of: key, in: database, creating: true) {
      target = nodes
      node = path.nodes.last
      rest = path.rest
    }
    return try Self.withEntry(node, rest, number) { (entry) throws(BolideError) -> Int32 in
      var value = MDB_val(entry)
      return mdb_put(transaction, target, &value, &data, UInt32(MDB_NOOVERWRITE))
    }
  }

  /// Gives the bytes of an entry's key: the node's number, what is left of the key, the row's number.
  @inline(__always)
  static func withEntry<Result>(
    _ node: UInt64?, _ rest: ArraySlice<UInt8>, _ number: Number?,
    _ body: (UnsafeRawBufferPointer) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    if node == nil, number == nil {
      return try rest.withBytes { (bytes) throws(BolideError) in try body(bytes) }
    }
    return try withUnsafeTemporaryAllocation(byteCount: rest.count + 16, alignment: 8) {
      (buffer) throws(BolideError) in
      var end = 0
      if let node {
        buffer.storeBytes(of: node.bigEndian, toByteOffset: 0, as: UInt64.self)
        end = LongKey.nodeLength
      }
      rest.withBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[end...]).copyMemory(from: $0) }
      end += rest.count
      if let number {
        buffer.storeBytes(of: number.bigEndian, toByteOffset: end, as: Number.self)
        end += 8
      }
      return try body(UnsafeRawBufferPointer(rebasing: buffer[..<end]))
    }
  }
}

// MARK: - Segments and nodes

extension KeyWriter {
  /// The nodes that a long key leads through, and what is left of it under the last.
  struct Path {
    var nodes: [UInt64]
    var rest: ArraySlice<UInt8>
  }

  /// Follows the segments of a long key, making those that are missing where asked; else `nil`.
  private func path(
    of key: [UInt8], in database: MDB_dbi, creating: Bool
  ) throws(BolideError) -> Path? {
    var path = Path(nodes: [], rest: key[...])
    while path.rest.count > LongKey.segmentLength {
      let segment = path.rest.prefix(LongKey.segmentLength)
      let target = path.nodes.isEmpty ? database : nodes
      let parent = path.nodes.last
      let found = try Self.withEntry(parent, segment, nil) { (entry) throws(BolideError) -> UInt64? in
        var value = MDB_val(entry)
        var data = MDB_val()
        let code = mdb_get(transaction, target, &value, &data)
        if code == MDB_NOTFOUND { return nil }
        try check(code, "read a segment of a long key")
        return try LongKey.node(data)
      }
      if let found {
        path.nodes.append(found)
      } else if creating {
        path.nodes.append(try makeNode(parent, segment, in: target))
      } else {
        return nil
      }
      path.rest = path.rest.dropFirst(LongKey.segmentLength)
    }
    return path
  }

  private func makeNode(
    _ parent: UInt64?, _ segment: ArraySlice<UInt8>, in database: MDB_dbi
  ) throws(BolideError) -> UInt64 {
    let node = try nextNode()
    var mark: [UInt8] = [LongKey.mark]
    mark.appendBig(node)
    return try mark.withBytes { (mark) throws(BolideError) in
      try Self.withEntry(parent, segment, nil) { (entry) throws(BolideError) in
        var value = MDB_val(entry)
        var data = MDB_val(mark)
        try check(
          mdb_put(transaction, database, &value, &data, UInt32(MDB_NOOVERWRITE)),
          "write a segment of a long key")
      }
      return node
    }
  }

  /// Counts the nodes in the entry of node 0.
  private func nextNode() throws(BolideError) -> UInt64 {
    try Self.withEntry(0, [], nil) { (entry) throws(BolideError) in
      var value = MDB_val(entry)
      var data = MDB_val()
      var last: UInt64 = 0
      let code = mdb_get(transaction, nodes, &value, &data)
      if code != MDB_NOTFOUND {
        try check(code, "read the last node")
        guard data.mv_size == 8 else { throw LMDBFailure.damaged("The number of the last node is damaged") }
        last = data.bytes.big(0, UInt64.self)
      }
      let next = last + 1
      try withUnsafeBytes(of: next.bigEndian) { (bytes) throws(BolideError) in
        data = MDB_val(bytes)
        try check(mdb_put(transaction, nodes, &value, &data, 0), "count a node")
      }
      return next
    }
  }

  /// Removes the segments of a key whose nodes have nothing left, from the last upwards.
  private func removeEmptyNodes(
    _ path: Path, of key: [UInt8], in database: MDB_dbi
  ) throws(BolideError) {
    for level in path.nodes.indices.reversed() {
      if try hasEntries(path.nodes[level]) { return }
      let start = level * LongKey.segmentLength
      let segment = key[start..<(start + LongKey.segmentLength)]
      let parent = level == 0 ? nil : path.nodes[level - 1]
      try Self.withEntry(parent, segment, nil) { (entry) throws(BolideError) in
        try delete(entry, in: level == 0 ? database : nodes)
      }
    }
  }

  private func hasEntries(_ node: UInt64) throws(BolideError) -> Bool {
    let cursor = try Cursor(transaction, nodes)
    return try Self.withEntry(node, [], nil) { (prefix) throws(BolideError) in
      var key = MDB_val(prefix)
      var data = MDB_val()
      guard try cursor.move(MDB_SET_RANGE, &key, &data) else { return false }
      return key.mv_size >= LongKey.nodeLength && key.bytes.big(0, UInt64.self) == node
    }
  }
}
