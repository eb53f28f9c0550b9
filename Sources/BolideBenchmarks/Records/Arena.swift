import CComparators

/// Where the texts of records stand: blocks that are filled in order and freed together.
final class Arena {
  private static let blockSize = 1 << 20
  private static let longestText = 255

  private var blocks: [UnsafeMutablePointer<UInt8>] = []
  private var used = blockSize

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// The bytes of the blocks in use.
  var byteCount: Int { blocks.count * Self.blockSize }

  /// Places one text, written by `write`.
  func text(_ write: (inout TextWriter) -> Void) -> cmp_text {
    if used + Self.longestText > Self.blockSize {
      blocks.append(.allocate(capacity: Self.blockSize))
      used = 0
    }
    let start = blocks[blocks.count - 1] + used
    var writer = TextWriter(start: start, room: Self.longestText)
    write(&writer)
    used += writer.count
    return cmp_text(
      bytes: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self), length: UInt32(writer.count))
  }

  /// Starts over in the first block; texts placed before must not be used any more.
  func reset() {
    for block in blocks.dropFirst() { block.deallocate() }
    blocks.removeSubrange(min(1, blocks.count)...)
    used = blocks.isEmpty ? Self.blockSize : 0
  }
}

/// Appends ASCII to a place in an arena and never past its end.
struct TextWriter {
  let start: UnsafeMutablePointer<UInt8>
  let room: Int
  private(set) var count = 0

  init(start: UnsafeMutablePointer<UInt8>, room: Int) {
    self.start = start
    self.room = room
  }

  mutating func append(byte: UInt8) {
    precondition(count < room, "a generated text is too long")
    start[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    for offset in 0..<text.utf8CodeUnitCount { append(byte: text.utf8Start[offset]) }
  }

  mutating func append(hex word: UInt32) {
    for shift in stride(from: 28, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: word >> UInt32(shift)) & 15
      append(byte: digit < 10 ? 48 + digit : 87 + digit)
    }
  }

  mutating func append(decimal number: UInt64) {
    if number >= 10 { append(decimal: number / 10) }
    append(byte: 48 + UInt8(truncatingIfNeeded: number % 10))
  }
}
