/// Scans over the bytes that need no attention, eight at a time.
enum PlainBytes {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The first byte from `start` that is `first`, `second`, a control character or not ASCII.
  ///
  /// A zero byte stops the scan, so the window's padding ends it without a count. Subtracting can borrow
  /// only from a byte that is itself a hit: the lowest hit is always a true one.
  @inline(__always)
  static func end(
    from start: UnsafeMutablePointer<UInt8>, stoppingAt first: UInt8, or second: UInt8
  ) -> UnsafeMutablePointer<UInt8> {
    var pointer = start
    let firsts = ones &* UInt64(first)
    let seconds = ones &* UInt64(second)
    while true {
      let word = UInt64(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt64.self))
      let hits =
        (word | ((word ^ firsts) &- ones) | ((word ^ seconds) &- ones) | (word &- (ones &* 0x20))) & highs
      if hits != 0 { return pointer + hits.trailingZeroBitCount / 8 }
      pointer += 8
    }
  }
}

/// The well-formed byte sequences of UTF-8.
enum UTF8Sequence {
  /// The length of the sequence at `pointer`, whose first byte is not ASCII; 0 when it is malformed.
  ///
  /// Refuses what the standard refuses: overlong forms, surrogates, and scalars above U+10FFFF. Three bytes
  /// after the first are looked at only as far as the sequence goes.
  static func length(at pointer: UnsafePointer<UInt8>) -> Int {
    let first = pointer[0]
    switch first {
    case 0xC2...0xDF:
      return isTrail(pointer[1]) ? 2 : 0
    case 0xE0...0xEF:
      let second = pointer[1]
      let lowest: UInt8 = first == 0xE0 ? 0xA0 : 0x80
      let highest: UInt8 = first == 0xED ? 0x9F : 0xBF
      return second >= lowest && second <= highest && isTrail(pointer[2]) ? 3 : 0
    case 0xF0...0xF4:
      let second = pointer[1]
      let lowest: UInt8 = first == 0xF0 ? 0x90 : 0x80
      let highest: UInt8 = first == 0xF4 ? 0x8F : 0xBF
      return second >= lowest && second <= highest && isTrail(pointer[2]) && isTrail(pointer[3]) ? 4 : 0
    default:
      return 0
    }
  }

  /// Whether the sequence at `pointer` is cut off by the end of the document.
  static func isCut(at pointer: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> Bool {
    let expected =
      switch pointer[0] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    return pointer + expected > end && (pointer + 1..<end).allSatisfy { isTrail($0.pointee) }
  }

  private static func isTrail(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Writes a scalar value at `pointer` and returns the number of bytes.
  static func encode(_ scalar: UInt32, at pointer: UnsafeMutablePointer<UInt8>) -> Int {
    switch scalar {
    case 0..<0x80:
      pointer[0] = UInt8(truncatingIfNeeded: scalar)
      return 1
    case 0..<0x800:
      pointer[0] = 0xC0 | UInt8(truncatingIfNeeded: scalar >> 6)
      pointer[1] = trail(scalar)
      return 2
    case 0..<0x1_0000:
      pointer[0] = 0xE0 | UInt8(truncatingIfNeeded: scalar >> 12)
      pointer[1] = trail(scalar >> 6)
      pointer[2] = trail(scalar)
      return 3
    default:
      pointer[0] = 0xF0 | UInt8(truncatingIfNeeded: scalar >> 18)
      pointer[1] = trail(scalar >> 12)
      pointer[2] = trail(scalar >> 6)
      pointer[3] = trail(scalar)
      return 4
    }
  }

  private static func trail(_ bits: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: bits & 0x3F) }
}
