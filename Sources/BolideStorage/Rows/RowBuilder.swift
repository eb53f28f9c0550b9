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
  private var present: [UInt64]
  private var slots: [UInt64]
  /// Start and length of each variable column in `scratch`.
  private var pieces: [(start: Int, count: Int)]
  private var scratch: [UInt8] = []

  /// A builder whose columns are all nil.
  public init(_ format: RowFormat) {
    self.format = format
    present = Array(repeating: 0, count: format.presenceLength / 8)
    slots = Array(repeating: 0, count: format.columnCount)
    pieces = Array(repeating: (0, 0), count: format.columnCount)
  }

  /// Makes all columns nil and none given.
  public mutating func clear() {
    given = ColumnSet()
    for index in present.indices { present[index] = 0 }
    scratch.removeAll(keepingCapacity: true)
  }

  /// Starts from an existing row, with no column given.
  public mutating func load(_ row: RowView) {
    clear()
    for column in 0..<format.columnCount where !row.isNil(column) { copy(column, from: row) }
    given = ColumnSet()
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
  public func isNil(_ column: Int) -> Bool { present[column >> 6] & (1 << UInt64(column & 63)) == 0 }

  /// Makes a column nil.
  public mutating func setNil(_ column: Int) {
    given.insert(column)
    present[column >> 6] &= ~(1 << UInt64(column & 63))
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
    if bytes.allSatisfy({ $0 < 0x80 }) {
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
    var length = format.headerLength
    for column in 0..<format.columnCount where !format.fixed[column] && !isNil(column) {
      length += pieces[column].count
    }
    batch.append(byteCount: length, number: number) { target in
      for (index, word) in present.enumerated() {
        target.storeBytes(of: word.littleEndian, toByteOffset: index * 8, as: UInt64.self)
      }
      var end = 0
      scratch.withUnsafeBytes { source in
        for column in 0..<format.columnCount {
          let isNil = isNil(column)
          let position = format.positions[column]
          if format.fixed[column] {
            if !isNil {
              target.storeBytes(of: slots[column].littleEndian, toByteOffset: position, as: UInt64.self)
            }
            continue
          }
          if !isNil, pieces[column].count > 0 {
            let piece = pieces[column]
            UnsafeMutableRawBufferPointer(rebasing: target[(format.headerLength + end)...])
              .copyMemory(
                from: UnsafeRawBufferPointer(rebasing: source[piece.start..<(piece.start + piece.count)]))
            end += piece.count
          }
          target.storeBytes(of: UInt32(end).littleEndian, toByteOffset: position, as: UInt32.self)
        }
      }
    }
  }

  private mutating func setSlot(_ column: Int, _ bits: UInt64) {
    given.insert(column)
    present[column >> 6] |= 1 << UInt64(column & 63)
    slots[column] = bits
  }

  private mutating func setVariable(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
    given.insert(column)
    present[column >> 6] |= 1 << UInt64(column & 63)
    pieces[column] = (scratch.count, bytes.count)
    scratch.append(contentsOf: bytes)
  }
}
