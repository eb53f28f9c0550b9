/// Rows of one table with their numbers: what crosses the storage contract, a chunk at a time.
///
/// All rows stand in one arena in canonical form (``RowFormat``); an entry without bytes says that
/// there is no such row.
public struct RowBatch: Sendable {
  /// The format of every row.
  public let format: RowFormat
  /// The number of each row; 0 where there is none (yet).
  public internal(set) var numbers: [Number]
  /// Room for the rows, of which the first `used` bytes are taken and set; `nil` before the first row.
  @usableFromInline var arena: RowArena?
  @usableFromInline var used = 0
  /// Where each row ends in the arena.
  @usableFromInline var ends: [Int]

  /// An empty batch.
  public init(_ format: RowFormat) {
    self.format = format
    numbers = []
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
    if bytes > used { _ = room(bytes - used) }
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

  /// Appends a row with some fixed columns as another row of the same format has them.
  package mutating func append(
    _ row: RowView, number: Number, taking columns: [Int], from other: RowView
  ) {
    appendUninitialized(byteCount: row.bytes.count, number: number) { target in
      target.copyMemory(from: row.bytes)
      for column in columns {
        let bit: UInt8 = 1 << UInt8(column & 7)
        target[column >> 3] = other.isNil(column) ? target[column >> 3] & ~bit : target[column >> 3] | bit
        target.storeBytes(
          of: other.int(column).littleEndian, toByteOffset: other.format.positions[column], as: Int64.self)
      }
    }
  }

  /// Appends the fixed columns of a canonical row; its variable columns become nil.
  ///
  /// For a store that keeps whole rows and is asked for none of the others: it copies half of a row.
  public mutating func appendFixed(_ row: UnsafeRawBufferPointer, number: Number) {
    let format = format
    appendUninitialized(byteCount: format.headerLength, number: number) { target in
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: row[..<format.endsStart]))
      for (offset, mask) in format.fixedPresence.enumerated() { target[offset] &= mask }
      UnsafeMutableRawBufferPointer(rebasing: target[format.endsStart...])
        .initializeMemory(as: UInt8.self, repeating: 0)
    }
  }

  /// Appends rows of another batch of the same format, those at some places; all of them are present.
  package mutating func append(_ other: RowBatch, at places: [Int]) {
    other.withRows { rows in
      for place in places { append(rows[place].bytes, number: other.numbers[place]) }
    }
  }

  /// Appends an entry that says: no such row.
  public mutating func appendAbsent() { appendEntry(number: 0) }

  /// Appends `count` bytes that `fill` writes: a row that a store reads from its own columns.
  ///
  /// The bytes handed to `fill` are zero; what it throws leaves the batch as it was.
  public mutating func append<Failure: Error>(
    byteCount count: Int, number: Number, fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let target = UnsafeMutableRawBufferPointer(start: room(count), count: count)
    target.initializeMemory(as: UInt8.self, repeating: 0)
    try fill(target)
    used += count
    appendEntry(number: number)
  }

  /// Appends `count` bytes that `fill` writes, every one of them.
  @inlinable
  mutating func appendUninitialized(
    byteCount count: Int, number: Number, fill: (UnsafeMutableRawBufferPointer) -> Void
  ) {
    fill(UnsafeMutableRawBufferPointer(start: room(count), count: count))
    used += count
    appendEntry(number: number)
  }

  /// Where the next bytes go, of which there is room for so many.
  @inlinable
  mutating func room(_ count: Int) -> UnsafeMutableRawPointer {
    if isKnownUniquelyReferenced(&arena), let arena, used + count <= arena.capacity {
      return arena.base + used
    }
    return makeRoom(count)
  }

  @usableFromInline
  mutating func makeRoom(_ count: Int) -> UnsafeMutableRawPointer {
    // A batch of one row is common: the first room is small, and doubling it soon leads to a large one.
    let capacity = max(used + count, 2 * (arena?.capacity ?? 0), 256)
    let grown: RowArena
    if isKnownUniquelyReferenced(&arena), let arena {
      grown = arena.grown(to: capacity, keeping: used)
    } else {
      grown = RowArena(capacity: max(used + count, 256))
      if let arena { grown.base.copyMemory(from: arena.base, byteCount: used) }
    }
    arena = grown
    return grown.base + used
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
    guard !range.isEmpty, let arena else { return nil }
    defer { withExtendedLifetime(arena) {} }
    let bytes = UnsafeRawBufferPointer(start: arena.base + range.lowerBound, count: range.count)
    return try body(RowView(bytes, format: format))
  }

  /// Looks at all rows at once: the form for loops.
  @inlinable
  public func withRows<Result, Failure: Error>(
    _ body: (Rows) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(arena) {} }
    let bytes = UnsafeRawBufferPointer(
      start: arena.map { UnsafeRawPointer($0.base) }, count: arena == nil ? 0 : used)
    return try ends.withUnsafeBufferPointer { (ends) throws(Failure) in
      try body(Rows(bytes: bytes, ends: ends, format: format))
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

    /// Those of some places, all of them with rows, where a fixed column's 8 bytes pass a test: the form for looking
    /// at one column of many rows.
    ///
    /// - Parameter takesNil: whether rows without a value in the column are among the result.
    @inlinable @inline(__always)
    public func places(
      _ candidates: [Int], fixed column: Int, takesNil: Bool, _ holds: (UInt64) -> Bool
    ) -> [Int] {
      let slot = format.positions[column]
      let presence = column >> 3
      let bit: UInt8 = 1 << UInt8(column & 7)
      return [Int](unsafeUninitializedCapacity: candidates.count) { places, count in
        for place in candidates {
          let start = place == 0 ? 0 : ends[place - 1]
          let isNil = bytes.load(fromByteOffset: start + presence, as: UInt8.self) & bit == 0
          let value = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start + slot, as: UInt64.self))
          // Written in any case and counted if it holds: no branch that is guessed wrong.
          places.initializeElement(at: count, to: place)
          count += (isNil ? takesNil : holds(value)) ? 1 : 0
        }
      }
    }
  }

  @usableFromInline
  func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }
}
