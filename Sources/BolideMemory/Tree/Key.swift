/// A key of a tree: bytes, of which the first eight are held as a number for quick comparing.
///
/// It looks at memory that its maker keeps alive.
struct Key {
  /// The first eight bytes, big-endian, filled up with zeros.
  let head: UInt64
  /// How many bytes of the head belong to the key; 8 when there is a rest.
  let headLength: UInt8
  /// The bytes after the eighth.
  let rest: UnsafeRawBufferPointer

  @inline(__always)
  init(head: UInt64, headLength: UInt8, rest: UnsafeRawBufferPointer) {
    self.head = head
    self.headLength = headLength
    self.rest = rest
  }

  /// The key of these bytes.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count >= 8 {
      head = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      headLength = 8
      rest = UnsafeRawBufferPointer(rebasing: bytes[8...])
    } else {
      var head: UInt64 = 0
      for byte in bytes { head = head << 8 | UInt64(byte) }
      self.head = bytes.isEmpty ? 0 : head << UInt64(64 - bytes.count * 8)
      headLength = UInt8(bytes.count)
      rest = UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  /// The key of a number: its eight bytes, big-endian.
  @inline(__always)
  init(_ number: UInt64) {
    head = number
    headLength = 8
    rest = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The length of the key in bytes.
  var count: Int { Int(headLength) + rest.count }

  /// Appends the key's bytes.
  func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: head.bigEndian) { bytes.append(contentsOf: $0.prefix(Int(headLength))) }
    bytes.append(contentsOf: rest)
  }

  /// Less than, equal to or greater than zero, as this key is before, at or after the other.
  @inline(__always)
  func compare(to other: Key) -> Int {
    if head != other.head { return head < other.head ? -1 : 1 }
    return compareRest(to: other)
  }

  private func compareRest(to other: Key) -> Int {
    let shared = min(rest.count, other.rest.count)
    if shared > 0, let mine = rest.baseAddress, let theirs = other.rest.baseAddress {
      let order = compareBytes(mine, theirs, shared)
      if order != 0 { return order }
    }
    return count - other.count
  }

  /// The shortest key that is after `left` and not after this one; `left` is before this one.
  func separator(from left: Key) -> Key {
    let difference = head ^ left.head
    if difference != 0 {
      let length = UInt8(difference.leadingZeroBitCount / 8 + 1)
      let mask = UInt64.max << UInt64(64 - Int(length) * 8)
      return Key(head: head & mask, headLength: length, rest: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    var common = 0
    while common < min(rest.count, left.rest.count), rest[common] == left.rest[common] { common += 1 }
    if common >= rest.count { return self }
    return Key(
      head: head, headLength: headLength, rest: UnsafeRawBufferPointer(rebasing: rest[..<(common + 1)]))
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@inline(__always)
private func compareBytes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
  Int(memcmp(left, right, count))
}
