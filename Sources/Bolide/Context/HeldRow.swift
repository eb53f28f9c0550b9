import BolideStorage

/// A stored row as an object holds it: a place in memory that rows which were read together share.
///
/// The parts lie side by side, so that a getter finds the bytes without counting a reference.
struct HeldRow {
  private var block: ManagedBuffer<Void, UInt8>?
  /// Where the row is; `nil` where none is held. Valid as long as the row is.
  private(set) var start: UnsafeRawPointer?
  private(set) var count = 0

  /// No row.
  init() {}

  /// A row in memory of its own.
  init(_ row: UnsafeRawBufferPointer) {
    var shelf = RowShelf()
    self = shelf.keep(row)
  }

  fileprivate init(_ start: UnsafeRawPointer, _ count: Int, in block: ManagedBuffer<Void, UInt8>) {
    self.block = block
    self.start = start
    self.count = count
  }

  /// Whether a row is held.
  var isPresent: Bool { start != nil }

  /// Looks at the row's bytes; at none where no row is held.
  func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(block) {} }
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// Memory for rows, which never moves and goes with the last of them.
private final class RowBlock: ManagedBuffer<Void, UInt8> {}

/// Puts rows into memory that they share: an allocation for several instead of one for each.
struct RowShelf {
  /// The size of a block. An object keeps the whole of it alive, so it is small.
  private static let blockSize = 4096
  /// The least multiple of this that takes a row is what it gets.
  private static let alignment = 8

  /// How many rows are still to come, as far as that is known.
  private var expected: Int
  private var block: ManagedBuffer<Void, UInt8>?
  private var free: UnsafeMutableRawPointer?
  private var left = 0

  /// - Parameter expected: how many rows will be kept.
  init(expecting expected: Int = 1) { self.expected = expected }

  /// Copies a row.
  mutating func keep(_ row: UnsafeRawBufferPointer) -> HeldRow {
    let size = (row.count + Self.alignment - 1) & -Self.alignment
    if left < size { open(for: size) }
    expected -= 1
    // A row has at least its presence bits.
    guard let block, let place = free else { return HeldRow() }
    place.copyMemory(from: row.baseAddress ?? UnsafeRawPointer(place), byteCount: row.count)
    free = place + size
    left -= size
    return HeldRow(UnsafeRawPointer(place), row.count, in: block)
  }

  /// Begins a block, as large as the rows to come need if they are like this one.
  private mutating func open(for size: Int) {
    let rows = min(max(1, Self.blockSize / max(size, 1)), max(1, expected))
    left = rows * size
    let opened = RowBlock.create(minimumCapacity: left) { _ in () }
    free = opened.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    block = opened
  }
}
