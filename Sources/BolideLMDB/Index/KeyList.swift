import BolideStorage
import CLMDB
import Foundation

/// Keys of entries of one index, gathered to be used in their order: neighbours are on one page.
struct KeyList {
  /// Keys are enough when there are as many, or when they take as many bytes.
  private static let entryLimit = 1 << 16
  private static let byteLimit = 4 << 20

  private var bytes: [UInt8] = []
  private var entries: [Entry] = []

  /// A key in `bytes`, and the 16 bytes of it that follow what all keys have in common.
  private struct Entry {
    var high: UInt64 = 0
    var low: UInt64 = 0
    let start: Int32
    let length: Int32
  }

  /// A key that is too long to be kept whole, and the row's number where it ends with that.
  struct LongEntry {
    let key: [UInt8]
    let number: Number?
  }

  var isEmpty: Bool { entries.isEmpty }
  /// Whether there are so many that they should be used.
  var isLong: Bool { entries.count >= Self.entryLimit || bytes.count > Self.byteLimit }

  /// Adds the key of a row's entry.
  ///
  /// - Returns: the key, if it is too long to be added.
  @inline(__always)
  mutating func append(_ row: RowView, _ number: Number, of index: StoredIndex) -> LongEntry? {
    let start = bytes.count
    let hasNil = IndexKey.append(row, columns: index.columns, to: &bytes)
    let endsWithNumber = hasNil || !index.isUnique
    let length = bytes.count - start
    if length > LongKey.segmentLength {
      let key = Array(bytes[start...])
      bytes.removeSubrange(start...)
      return LongEntry(key: key, number: endsWithNumber ? number : nil)
    }
    if endsWithNumber { IndexKey.append(number: number, to: &bytes) }
    entries.append(
      Entry(
        start: Int32(truncatingIfNeeded: start), length: Int32(truncatingIfNeeded: bytes.count - start)))
    return nil
  }

  /// Hands out all keys in order, and forgets them.
  mutating func takeSorted(
    _ body: (UnsafeRawBufferPointer) throws(BolideError) -> Void
  ) throws(BolideError) {
    if entries.isEmpty { return }
    var entries = entries
    self.entries = []
    try bytes.withBytes { (bytes) throws(BolideError) in
      Self.sort(&entries, bytes)
      for entry in entries { try body(Self.key(entry, bytes)) }
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

  static func precedes(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let left = one.baseAddress, let right = other.baseAddress else { return one.count < other.count }
    let order = memcmp(left, right, min(one.count, other.count))
    return order != 0 ? order < 0 : one.count < other.count
  }
}
