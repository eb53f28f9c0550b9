import Foundation

/// Builds one row at a time, column by column in any order, and appends it to a batch.
///
/// It remembers which columns were given since ``clear()``: an explicit nil is given, too (rule U-3).
/// One builder serves a whole import; per row it allocates nothing.
public struct RowBuilder: Sendable {
  /// The format of the row.
  public let format: RowFormat
  /// The columns set since the builder was cleared or loaded.
  public private(set) var given = ColumnSet()
  /// The first part of the row as it will stand there: presence words, then the slots of the fixed columns.
  private var head: [UInt64]
  /// Start and length of each variable column in `scratch`.
  private var pieces: [(start: Int, count: Int)]
  /// Bytes of variable columns, in the order they were set; only `scratchCount` of them count.
  private var scratch: [UInt8]
  private var scratchCount = 0
  /// The last variable column that was set, and whether all were set in column order, each once: then
  /// the bytes of the row stand in `scratch` as they are.
  private var lastVariable = -1
  private var isInOrder = true

  /// A builder whose columns are all nil.
  public init(_ format: RowFormat) {
    self.format = format
    head = Array(repeating: 0, count: format.endsStart / 8)
    pieces = Array(repeating: (0, 0), count: format.columnCount)
    scratch = Array(repeating: 0, count: 256)
  }

  /// Makes all columns nil and none given.
  public mutating func clear() {
    given = ColumnSet()
    head.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    forgetVariables()
  }

  private mutating func forgetVariables() {
    scratchCount = 0
    lastVariable = -1
    isInOrder = true
  }

  /// Starts from what another builder of the same format holds, with no column given.
  public mutating func restart(from template: RowBuilder) {
    given = ColumnSet()
    head.withUnsafeMutableBufferPointer { head in
      template.head.withUnsafeBufferPointer { _ = head.update(fromContentsOf: $0) }
    }
    forgetVariables()
    if template.scratchCount == 0 { return }
    for column in pieces.indices { pieces[column] = template.pieces[column] }
    if scratch.count < template.scratch.count { scratch = template.scratch }
    for index in 0..<template.scratchCount { scratch[index] = template.scratch[index] }
    scratchCount = template.scratchCount
    lastVariable = template.lastVariable
    isInOrder = template.isInOrder
  }

  /// Starts from an existing row, with no column given.
  public mutating func load(_ row: RowView) {
    given = ColumnSet()
    forgetVariables()
    let bytes = row.bytes
    head.withUnsafeMutableBytes {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<format.endsStart]))
    }
    let variable = UnsafeRawBufferPointer(rebasing: bytes[format.headerLength...])
    makeRoom(variable.count)
    scratch.withUnsafeMutableBytes { $0.copyMemory(from: variable) }
    scratchCount = variable.count
    var start = 0
    for column in format.variableColumns {
      let end = row.end(at: format.positions[column])
      pieces[column] = (start, end - start)
      if !isNil(column) { lastVariable = column }
      start = end
    }
  }

  /// Takes one column's value from a row of the same format.
  public mutating func copy(_ column: Int, from row: RowView) {
    if row.isNil(column) {
      setNil(column)
    } else if format.fixed[column] {
      setSlot(column, UInt64(bitPattern: row.int(column)))
    } else {
      setVariable(column, row.variable(column))
    }
  }

  /// Whether the column is nil now.
  public func isNil(_ column: Int) -> Bool {
    head[column >> 6] & Self.bit(column) == 0
  }

  /// Makes a column nil.
  public mutating func setNil(_ column: Int) {
    given.insert(column)
    if isNil(column) { return }
    head[column >> 6] &= ~Self.bit(column)
    if format.fixed[column] {
      head[format.positions[column] >> 3] = 0
    } else {
      isInOrder = false
    }
  }

  /// Sets an integer, boolean or reference column; the caller has checked the range.
  public mutating func set(_ column: Int, int value: Int64) {
    setSlot(column, UInt64(bitPattern: value))
  }

  /// Sets a double, float or date column; -0.0 becomes 0.0. NaN is the caller's to refuse (rule V-3).
  public mutating func set(_ column: Int, double value: Double) {
    setSlot(column, (value == 0 ? 0.0 : value).bitPattern)
  }

  /// Sets a string or uri column; text of a string column is brought to NFC (rule V-2).
  ///
  /// Bytes that are no UTF-8 are repaired with U+FFFD, as `String(decoding:as:)` does.
  public mutating func set(_ column: Int, utf8 bytes: UnsafeRawBufferPointer) {
    if NormalizedText.isASCII(bytes) {
      setVariable(column, bytes)
    } else {
      set(column, text: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Sets a string, uri or decimal column from text; a decimal's text is canonical already.
  public mutating func set(_ column: Int, text: String) {
    var text = format.types[column] == .string ? NormalizedText.normalized(text) : text
    text.withUTF8 { setVariable(column, UnsafeRawBufferPointer($0)) }
  }

  /// Sets a binary or uuid (16 bytes) column.
  public mutating func set(_ column: Int, bytes: UnsafeRawBufferPointer) { setVariable(column, bytes) }

  /// Sets a column from a value that ``Value/fits(_:)`` its type.
  public mutating func set(_ column: Int, _ value: Value) {
    switch value {
    case .null: setNil(column)
    case .bool(let flag): set(column, int: flag ? 1 : 0)
    case .int(let number), .reference(let number): set(column, int: number)
    case .double(let number): set(column, double: number)
    case .float(let number): set(column, double: Double(number))
    case .date(let date): set(column, double: date.timeIntervalSinceReferenceDate)
    case .decimal(let decimal): set(column, text: DecimalText.text(of: decimal))
    case .string(let text), .uri(let text): set(column, text: text)
    case .binary(let bytes): bytes.withUnsafeBytes { setVariable(column, $0) }
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { setVariable(column, $0) }
    }
  }

  /// Appends the row to a batch of the same format.
  public func append(to batch: inout RowBatch, number: Number = 0) {
    var length = scratchCount
    if !isInOrder {
      length = 0
      for column in 0..<format.columnCount where !format.fixed[column] && !isNil(column) {
        length += pieces[column].count
      }
    }
    batch.appendUninitialized(byteCount: format.headerLength + length, number: number) { target in
      head.withUnsafeBytes { target.copyMemory(from: $0) }
      scratch.withUnsafeBytes { source in
        pieces.withUnsafeBufferPointer { pieces in
          write(UnsafeMutableRawBufferPointer(rebasing: target[format.endsStart...]), source, pieces)
        }
      }
    }
  }

  /// Writes the end offsets and the bytes of the variable columns.
  private func write(
    _ target: UnsafeMutableRawBufferPointer, _ source: UnsafeRawBufferPointer,
    _ pieces: UnsafeBufferPointer<(start: Int, count: Int)>
  ) {
    let bytes = UnsafeMutableRawBufferPointer(rebasing: target[(format.variableCount * 4)...])
    if isInOrder { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<scratchCount])) }
    var end = 0
    var place = 0
    for column in format.variableColumns {
      if !isNil(column) {
        let piece = pieces[column]
        if !isInOrder {
          let piece = UnsafeRawBufferPointer(rebasing: source[piece.start..<(piece.start + piece.count)])
          UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: piece)
        }
        end += piece.count
      }
      target.storeBytes(of: UInt32(end).littleEndian, toByteOffset: place, as: UInt32.self)
      place += 4
    }
  }

  /// The presence bit of a column in its word, as the word stands in a row.
  private static func bit(_ column: Int) -> UInt64 { (UInt64(1) << UInt64(column & 63)).littleEndian }

  private mutating func setSlot(_ column: Int, _ bits: UInt64) {
    given.insert(column)
    let place = format.positions[column] >> 3
    head.withUnsafeMutableBufferPointer { head in
      head[column >> 6] |= Self.bit(column)
      head[place] = bits.littleEndian
    }
  }

  private mutating func setVariable(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
    given.insert(column)
    head[column >> 6] |= Self.bit(column)
    if column <= lastVariable { isInOrder = false }
    lastVariable = column
    let end = scratchCount + bytes.count
    makeRoom(end)
    pieces[column] = (scratchCount, bytes.count)
    let start = scratchCount
    scratch.withUnsafeMutableBytes { scratch in
      UnsafeMutableRawBufferPointer(rebasing: scratch[start..<end]).copyMemory(from: bytes)
    }
    scratchCount = end
  }

  private mutating func makeRoom(_ count: Int) {
    if count > scratch.count {
      scratch.append(contentsOf: repeatElement(0, count: max(scratch.count, count - scratch.count)))
    }
  }
}
