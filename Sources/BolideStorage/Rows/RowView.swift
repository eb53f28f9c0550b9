import Foundation

/// A look at one canonical row; valid only inside the closure that it was handed to.
public struct RowView {
  /// The row's bytes, valid for ``format``.
  public let bytes: UnsafeRawBufferPointer
  /// The format they are in.
  public let format: RowFormat

  /// Looks at bytes that ``RowFormat/isValid(_:)`` accepts.
  @inlinable
  public init(_ bytes: UnsafeRawBufferPointer, format: RowFormat) {
    self.bytes = bytes
    self.format = format
  }

  /// Whether the column has no value.
  @inlinable
  public func isNil(_ column: Int) -> Bool {
    let byte = bytes.load(fromByteOffset: column >> 3, as: UInt8.self)
    return byte & (1 << UInt8(column & 7)) == 0
  }

  /// The presence bits of the first 64 columns: set where there is a value.
  @inlinable
  public var presence: UInt64 { UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) }

  /// The integer, boolean (0, 1) or reference in a fixed column; 0 when nil.
  @inlinable
  public func int(_ column: Int) -> Int64 {
    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: format.positions[column], as: Int64.self))
  }

  /// The double, float or date (seconds since 2001-01-01 UTC) in a fixed column; 0 when nil.
  @inlinable
  public func double(_ column: Int) -> Double {
    Double(
      bitPattern: UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: format.positions[column], as: UInt64.self)))
  }

  /// The bytes of a variable column; none when nil.
  @inlinable
  public func variable(_ column: Int) -> UnsafeRawBufferPointer {
    let previous = format.previousEnds[column]
    let start = previous < 0 ? 0 : end(at: previous)
    return UnsafeRawBufferPointer(
      rebasing: bytes[
        (format.headerLength + start)..<(format.headerLength + end(at: format.positions[column]))])
  }

  /// The text of a string, uri or decimal column.
  public func text(_ column: Int) -> String {
    String(decoding: variable(column), as: UTF8.self)
  }

  /// The column's value in its own type.
  public func value(_ column: Int) -> Value {
    if isNil(column) { return .null }
    switch format.types[column] {
    case .int16, .int32, .int64: return .int(int(column))
    case .boolean: return .bool(int(column) != 0)
    case .reference: return .reference(int(column))
    case .double: return .double(double(column))
    case .float: return .float(Float(double(column)))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: double(column)))
    case .string: return .string(text(column))
    case .uri: return .uri(text(column))
    case .binary: return .binary([UInt8](variable(column)))
    case .decimal: return DecimalText.value(of: text(column)).map(Value.decimal) ?? .null
    case .uuid:
      let bytes = variable(column)
      guard bytes.count == 16 else { return .null }
      return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    }
  }

  /// Whether the two rows are equal in every column; both have the same format.
  @inlinable
  public func isEqual(to other: RowView) -> Bool { Self.areEqual(bytes, other.bytes) }

  @usableFromInline
  static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count else { return false }
    guard let one = one.baseAddress, let start = other.baseAddress else { return true }
    return memcmp(one, start, other.count) == 0
  }

  /// The columns in which the two rows differ; both have the same format.
  public func differences(from other: RowView) -> ColumnSet {
    var result = ColumnSet()
    for column in 0..<format.columnCount where !isEqual(to: other, at: column) { result.insert(column) }
    return result
  }

  /// Those of some columns in which the two rows differ; both have the same format.
  public func differences(from other: RowView, in columns: [Int]) -> ColumnSet {
    var result = ColumnSet()
    for column in columns where !isEqual(to: other, at: column) { result.insert(column) }
    return result
  }

  /// Whether the column has the same value in both rows; both have the same format.
  public func isEqual(to other: RowView, at column: Int) -> Bool {
    if isNil(column) != other.isNil(column) { return false }
    if format.fixed[column] { return int(column) == other.int(column) }
    return Self.areEqual(variable(column), other.variable(column))
  }

  @inlinable
  func end(at position: Int) -> Int {
    Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
  }
}
