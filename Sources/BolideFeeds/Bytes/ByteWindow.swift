/// A sliding view of a document: the bytes that are being looked at and nothing else.
///
/// The readers keep a token contiguous by asking for more bytes while keeping what stands before the cursor.
/// The window starts small and grows up to its limit for one long token; it never holds the document.
/// Sixteen zero bytes follow the last byte, so that a scan stops there without counting and an eight-byte
/// load near the end stays inside the allocation.
struct ByteWindow: ~Copyable {
  /// What asking for more bytes led to.
  enum Refill {
    case more
    case ended
    /// The kept bytes fill the largest window that is allowed.
    case full
  }

  static let padding = 16
  static let openingLimit = 64

  private let source: any ByteSource
  private let limit: Int
  /// How many bytes fit.
  private(set) var capacity: Int
  private var storage: UnsafeMutablePointer<UInt8>
  /// The document's offset of the byte at `storage`, for the cursor and what follows it.
  private var shift = 0

  /// The next byte to read.
  var cursor: UnsafeMutablePointer<UInt8>
  /// One past the last byte at hand; a zero byte stands there.
  private(set) var end: UnsafeMutablePointer<UInt8>
  /// Whether the source has no more bytes.
  private(set) var ended = false
  /// The current line, from 1.
  private var line = 1
  /// The offset of the current line's first byte.
  private var lineStart = 0
  /// The document's first bytes, for messages.
  private(set) var opening: [UInt8] = []

  init(_ source: any ByteSource, capacity: Int = 128 << 10, limit: Int = 1 << 20) {
    self.source = source
    self.capacity = max(capacity, 1)
    self.limit = max(capacity, limit)
    storage = .allocate(capacity: self.capacity + Self.padding)
    storage.initialize(repeating: 0, count: self.capacity + Self.padding)
    cursor = storage
    end = storage
  }

  deinit { storage.deallocate() }

  /// The document's offset of the cursor.
  var offset: Int { shift + (cursor - storage) }

  /// The cursor's place in the document.
  var position: FeedPosition {
    FeedPosition(offset: offset, line: line, column: offset - lineStart + 1)
  }

  /// Notes that the byte at `pointer` is the first of a line.
  mutating func startLine(at pointer: UnsafeMutablePointer<UInt8>) {
    line += 1
    lineStart = shift + (pointer - storage)
  }

  /// Reads more bytes after those at hand, keeping `kept` bytes before the cursor.
  ///
  /// Moves everything: pointers into the window are to be taken again from `cursor`.
  mutating func refill(keeping kept: Int = 0) throws(FeedFault) -> Refill {
    if ended { return .ended }
    let start = cursor - kept
    let held = end - start
    if capacity - held < capacity / 4, capacity < limit {
      grow(from: start, held: held)
    } else if held == capacity {
      return .full
    } else if start != storage {
      storage.update(from: start, count: held)
      shift += start - storage
    }
    cursor = storage + kept
    end = storage + held
    let room = UnsafeMutableRawBufferPointer(start: end, count: capacity - held)
    let count = try source.read(into: room)
    if opening.count < Self.openingLimit {
      opening += UnsafeBufferPointer(start: end, count: min(count, Self.openingLimit - opening.count))
    }
    end += count
    UnsafeMutableRawPointer(end).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    if count == 0 { ended = true }
    return count == 0 ? .ended : .more
  }

  private mutating func grow(from start: UnsafeMutablePointer<UInt8>, held: Int) {
    let larger = min(capacity * 2, limit)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger + Self.padding)
    target.initialize(repeating: 0, count: larger + Self.padding)
    target.update(from: start, count: held)
    shift += start - storage
    storage.deallocate()
    storage = target
    capacity = larger
  }

  /// Sees to it that `count` bytes stand at the cursor, or all that are left.
  mutating func require(_ count: Int) throws(FeedFault) {
    while end - cursor < count, !ended {
      if try refill() == .full { return }
    }
  }

  /// Starts the document again; false where the source cannot.
  mutating func rewind() -> Bool {
    guard source.rewind() else { return false }
    shift = 0
    cursor = storage
    end = storage
    storage.pointee = 0
    ended = false
    line = 1
    lineStart = 0
    return true
  }

  /// Passes over a UTF-8 byte order mark at the start.
  mutating func skipByteOrderMark() throws(FeedFault) {
    try require(3)
    if cursor[0] == 0xEF, cursor[1] == 0xBB, cursor[2] == 0xBF { cursor += 3 }
  }

  /// Passes over the white space of JSON and returns the byte that follows, 0 at the end of the document.
  @inline(__always)
  mutating func nonSpace() throws(FeedFault) -> UInt8 {
    let byte = cursor.pointee
    return byte > 0x20 ? byte : try skipSpace()
  }

  private mutating func skipSpace() throws(FeedFault) -> UInt8 {
    var pointer = cursor
    while true {
      switch pointer.pointee {
      case 0x20, 0x09, 0x0D:
        pointer += 1
      case 0x0A:
        pointer += 1
        startLine(at: pointer)
      case 0 where pointer == end:
        cursor = pointer
        guard try refill() == .more else { return 0 }
        pointer = cursor
      case let byte:
        cursor = pointer
        return byte
      }
    }
  }
}
