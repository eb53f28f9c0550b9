/// The canonical form of a row of one table, the same bytes on every store.
///
/// ```
/// presence   one bit a column (set: not nil), padded to whole 8-byte words, at least one
/// slots      8 bytes a fixed column, little-endian: integers as Int64, others as the bits of a Double
/// ends       4 bytes a variable column, little-endian: where its bytes end in the byte area
/// bytes      the bytes of the variable columns, in column order
/// ```
/// A nil column has a zero slot or no bytes, -0.0 is 0.0, text is NFC UTF-8, decimals are canonical
/// text, uuids 16 bytes: so two rows are equal exactly when their bytes are.
public final class RowFormat: Sendable, Hashable {
  /// The type of each column.
  public let types: [ValueType]
  /// Where each column's slot (fixed) or end offset (variable) is in a row, in bytes.
  public let positions: [Int]
  /// For a variable column the position of the end offset before its own, or -1 for the first.
  public let previousEnds: [Int]
  /// Whether each column is fixed.
  @usableFromInline let fixed: [Bool]
  /// The variable columns, in order.
  @usableFromInline let variableColumns: [Int]
  /// The presence bits of a row in which all fixed columns, and no others, have a value.
  let fixedPresence: [UInt8]
  /// The length of the presence bits in bytes, a multiple of 8.
  public let presenceLength: Int
  /// Where the end offsets begin.
  public let endsStart: Int
  /// Where the byte area begins; also the length of a row without variable bytes.
  public let headerLength: Int
  /// The number of variable columns.
  public let variableCount: Int

  /// The format for columns of the given types.
  public init(_ types: [ValueType]) {
    self.types = types
    fixed = types.map(\.isFixed)
    presenceLength = max(1, (types.count + 63) / 64) * 8
    variableColumns = types.indices.filter { !types[$0].isFixed }
    var presence = [UInt8](repeating: 0, count: presenceLength)
    for column in types.indices where types[column].isFixed {
      presence[column >> 3] |= 1 << UInt8(column & 7)
    }
    fixedPresence = presence
    let fixedCount = fixed.lazy.filter { $0 }.count
    endsStart = presenceLength + fixedCount * 8
    variableCount = types.count - fixedCount
    headerLength = endsStart + variableCount * 4
    var slot = presenceLength
    var end = endsStart
    var previous = -1
    var positions: [Int] = []
    var previousEnds: [Int] = []
    for isFixed in fixed {
      if isFixed {
        positions.append(slot)
        previousEnds.append(-1)
        slot += 8
      } else {
        positions.append(end)
        previousEnds.append(previous)
        previous = end
        end += 4
      }
    }
    self.positions = positions
    self.previousEnds = previousEnds
  }

  /// The number of columns.
  public var columnCount: Int { types.count }

  /// Whether each of some columns is fixed.
  public func areFixed(_ columns: ColumnSet) -> Bool { columns.members.allSatisfy { fixed[$0] } }

  public static func == (left: RowFormat, right: RowFormat) -> Bool {
    if left === right { return true }
    guard left.types.count == right.types.count else { return false }
    // A type is a byte: a store's own format and a schema's are compared by every call across the contract.
    return left.types.withUnsafeBytes { left in
      right.types.withUnsafeBytes { right in RowView.areEqual(left, right) }
    }
  }
  public func hash(into hasher: inout Hasher) { hasher.combine(types) }

  /// Whether `bytes` can be read as a row of this format without leaving their bounds.
  ///
  /// A store calls it on rows it read from disk before it hands them out.
  public func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= headerLength else { return false }
    var last: UInt32 = 0
    for index in 0..<variableCount {
      let end = UInt32(
        littleEndian: bytes.loadUnaligned(fromByteOffset: endsStart + index * 4, as: UInt32.self))
      guard end >= last else { return false }
      last = end
    }
    return bytes.count == headerLength + Int(last)
  }
}
