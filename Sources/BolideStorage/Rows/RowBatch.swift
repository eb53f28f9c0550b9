/// Rows of one table with their numbers: what crosses the storage contract, a chunk at a time.
///
/// All rows stand in one arena in canonical form (``RowFormat``); an entry without bytes says that
/// there is no such row.
public struct RowBatch: Sendable {
  /// The format of every row.
  public let format: RowFormat
  /// The number of each row; 0 where there is none (yet).
  public internal(set) var numbers: [Number]
  /// Room for the rows, of which the first `used` bytes are taken.
  ///
  /// The room is kept initialized and only ever grows, so that appending a row is a bounds check and a copy.
  @usableFromInline var arena: [UInt8]
  @usableFromInline var used = 0
  /// Where each row ends in the arena.
  @usableFromInline var ends: [Int]

  /// An empty batch.
  public init(_ format: RowFormat) {
    self.format = format
    numbers = []
    arena = []
    ends = []
  }

  /// How many rows (and absences) there are.
  public var count: Int { numbers.count }
  /// Whether there is no entry.
  public var isEmpty: Bool { numbers.isEmpty }
  /// How many bytes the rows take.
  public var byteCount: Int { used }

  /// Makes room.
  public mutating func reserve(rows: Int, bytes: Int) {
    numbers.reserveCapacity(rows)
    ends.reserveCapacity(rows)
    makeRoom(bytes - used)
  }

  /// Removes all rows and keeps the memory.
  public mutating func removeAll() {
    numbers.removeAll(keepingCapacity: true)
    used = 0
    ends.removeAll(keepingCapacity: true)
  }

  /// Removes the last entry, if there is one.
  public mutating func removeLast() {
    _ = numbers.popLast()
    _ = ends.popLast()
    used = ends.last ?? 0
  }

  /// Appends a canonical row as it is.
  @inlinable
  public mutating func append(_ row: UnsafeRawBufferPointer, number: Number) {
    appendUninitialized(byteCount: row.count, number: number) { $0.copyMemory(from: row) }
  }

  /// Appends a row seen in another batch of the same format.
  public mutating func append(_ row: RowView, number: Number) { append(row.bytes, number: number) }

  /// Appends an entry that says: no such row.
  public mutating func appendAbsent() { appendEntry(number: 0) }

  /// Appends `count` bytes that `fill` writes: a row that a store reads from its own columns.
  ///
  /// The bytes handed to `fill` are zero; what it throws leaves the batch as it was.
  public mutating func append<Failure: Error>(
    byteCount count: Int, number: Number, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    makeRoom(count)
    let range = used..<(used + count)
    try arena.withUnsafeMutableBufferPointer { (bytes) throws(Failure) in
      let target = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[range])
      target.initializeMemory(as: UInt8.self, repeating: 0)
      try fill(target)
    }
    used += count
    appendEntry(number: number)
  }

  /// Appends `count` bytes that `fill` writes, every one of them.
  @inlinable
  mutating func appendUninitialized(
    byteCount count: Int, number: Number, fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    makeRoom(count)
    let range = used..<(used + count)
    arena.withUnsafeMutableBytes { fill(UnsafeMutableRawBufferPointer(rebasing: $0[range])) }
    used += count
    appendEntry(number: number)
  }

  @inlinable
  mutating func makeRoom(_ count: Int) {
    if used + count > arena.count { grow(by: used + count - arena.count) }
  }

  @usableFromInline
  mutating func grow(by count: Int) {
    // A batch of one row is common: the first room is small, and doubling it soon leads to a large one.
    arena.append(contentsOf: repeatElement(0, count: max(arena.count, count, 256)))
  }

  @usableFromInline
  mutating func appendEntry(number: Number) {
    ends.append(used)
    numbers.append(number)
  }

  /// Gives the row at `index` a number.
  public mutating func setNumber(_ number: Number, at index: Int) { numbers[index] = number }

  /// Whether the entry at `index` has a row.
  public func isPresent(_ index: Int) -> Bool { !range(index).isEmpty }

  /// Looks at the row at `index`; `nil` where there is none.
  @inlinable
  public func withRow<Result, Failure: Error>(
    at index: Int, _ body: (RowView) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let range = range(index)
    if range.isEmpty { return nil }
    return try arena.withUnsafeBufferPointer { (bytes) throws(Failure) in
      try body(
        RowView(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range]), format: format))
    }
  }

  /// Looks at all rows at once: the form for loops.
  @inlinable
  public func withRows<Result, Failure: Error>(
    _ body: (Rows) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try arena.withUnsafeBufferPointer { (bytes) throws(Failure) in
      try ends.withUnsafeBufferPointer { (ends) throws(Failure) in
        try body(Rows(bytes: UnsafeRawBufferPointer(bytes), ends: ends, format: format))
      }
    }
  }

  /// The rows of a batch, valid inside ``RowBatch/withRows(_:)``.
  public struct Rows {
    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let ends: UnsafeBufferPointer<Int>
    @usableFromInline let format: RowFormat

    @inlinable
    init(bytes: UnsafeRawBufferPointer, ends: UnsafeBufferPointer<Int>, format: RowFormat) {
      self.bytes = bytes
      self.ends = ends
      self.format = format
    }

    /// How many entries there are.
    @inlinable public var count: Int { ends.count }

    /// Whether the entry at `index` has a row.
    @inlinable
    public func isPresent(_ index: Int) -> Bool { ends[index] > (index == 0 ? 0 : ends[index - 1]) }

    /// The row at `index`, which must be present.
    @inlinable
    public subscript(_ index: Int) -> RowView {
      let start = index == 0 ? 0 : ends[index - 1]
      return RowView(UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]]), format: format)
    }
  }

  @usableFromInline
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }
}
