import BolideStorage
import CLMDB
import Foundation

/// Entries of one index that is not unique, kept back until there are many or somebody looks.
///
/// Rows come in the order of their input, so the places of their entries are all over the tree. Sorted,
/// neighbours go to one page after the other, and into an empty index they are appended.
struct PendingKeys {
  /// Entries are written when there are as many, or when their keys take as many bytes.
  private static let entryLimit = 1 << 16
  private static let byteLimit = 4 << 20

  private let index: StoredIndex
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  /// A key in `bytes`, and the 16 bytes of it that follow what all keys have in common.
  private struct Entry {
    var high: UInt64 = 0
    var low: UInt64 = 0
    let start: Int32
    let length: Int32
  }

  init(_ index: StoredIndex) { self.index = index }

  /// Keeps a row's entry; one with a long key is written at once.
  mutating func add(_ row: RowView, _ number: Number, _ writer: KeyWriter) throws(BolideError) {
    let start = bytes.count
    IndexKey.append(row, columns: index.columns, to: &bytes)
    let length = bytes.count - start
    if length > LongKey.segmentLength {
      let key = Array(bytes[start...])
      bytes.removeSubrange(start...)
      try writer.add(key, number, in: index.database)
      return
    }
    IndexKey.append(number: number, to: &bytes)
    entries.append(Entry(start: Int32(truncatingIfNeeded: start), length: Int32(length + 8)))
    if entries.count == Self.entryLimit || bytes.count > Self.byteLimit { try write(writer.transaction) }
  }

  /// Writes all entries that were kept.
  mutating func write(_ transaction: OpaquePointer) throws(BolideError) {
    if entries.isEmpty { return }
    var entries = entries
    self.entries = []
    try bytes.withBytes { (bytes) throws(BolideError) in
      Self.sort(&entries, bytes)
      let cursor = try Cursor(transaction, index.database)
      let flags = UInt32(try isAbove(entries[0], bytes, cursor) ? MDB_APPEND : MDB_NOOVERWRITE)
      for entry in entries {
        var key = MDB_val(Self.key(entry, bytes))
        var data = MDB_val(mv_size: 0, mv_data: nil)
        let code = mdb_cursor_put(cursor.handle, &key, &data, flags)
        if code == MDB_KEYEXIST { throw LMDBFailure.damaged("\(index.name) has an entry already") }
        try check(code, "write a key of \(index.name)")
      }
    }
    entries.removeAll(keepingCapacity: true)
    self.entries = entries
    bytes.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  private static func key(_ entry: Entry, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = Int(entry.start)
    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + Int(entry.length))])
  }

  /// Whether an entry stands above all that the index has.
  private func isAbove(
    _ entry: Entry, _ bytes: UnsafeRawBufferPointer, _ cursor: borrowing Cursor
  ) throws(BolideError) -> Bool {
    var last = MDB_val()
    var data = MDB_val()
    guard try cursor.move(MDB_LAST, &last, &data) else { return true }
    return Self.precedes(last.bytes, Self.key(entry, bytes))
  }

  private static func sort(_ entries: inout [Entry], _ bytes: UnsafeRawBufferPointer) {
    let common = commonPrefix(entries, bytes)
    entries.withUnsafeMutableBufferPointer { entries in
      for place in entries.indices {
        let key = key(entries[place], bytes)
        entries[place].high = word(key, common)
        entries[place].low = word(key, common + 8)
      }
      entries.sort { one, other in
        if one.high != other.high { return one.high < other.high }
        if one.low != other.low { return one.low < other.low }
        return precedes(key(one, bytes), key(other, bytes))
      }
    }
  }

  /// How many bytes at the beginning all keys have in common.
  private static func commonPrefix(_ entries: [Entry], _ bytes: UnsafeRawBufferPointer) -> Int {
    let first = key(entries[0], bytes)
    var common = first.count
    for entry in entries {
      let key = key(entry, bytes)
      common = min(common, key.count)
      var length = 0
      while length < common, key[length] == first[length] { length += 1 }
      common = length
    }
    return common
  }

  /// Eight bytes of a key as a number in their order; what is behind its end counts as 0.
  @inline(__always)
  private static func word(_ key: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    if offset + 8 <= key.count { return key.big(offset, UInt64.self) }
    var word: UInt64 = 0
    for place in offset..<(offset + 8) { word = word << 8 | (place < key.count ? UInt64(key[place]) : 0) }
    return word
  }

  private static func precedes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let left = one.baseAddress, let right = other.baseAddress else { return one.count < other.count }
    let order = memcmp(left, right, min(one.count, other.count))
    return order != 0 ? order < 0 : one.count < other.count
  }
}
