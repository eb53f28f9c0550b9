import Foundation

/// Bytes whose order is the order of values (rules V-2 to V-4): the keys of ordered indexes.
///
/// A nil part is the byte 0, another part the byte 1 and then: integers and references 8 bytes
/// big-endian with the sign flipped; doubles, floats and dates 8 bytes in IEEE total order; booleans
/// one byte; uuids 16 bytes; texts and binaries their bytes with 0 written as `00 FF`, ended by
/// `00 00`; decimals as ``DecimalText`` says. Every part ends itself, so keys compare part by part and
/// no key is a prefix of another with as many parts.
public enum IndexKey {
  /// Appends the key of a row in an index.
  ///
  /// - Returns: whether some part is nil; such a key never conflicts in a unique index (rule U-2).
  @discardableResult
  public static func append(_ row: RowView, columns: [Int], to key: inout [UInt8]) -> Bool {
    var hasNil = false
    for column in columns {
      if row.isNil(column) {
        hasNil = true
        key.append(0)
        continue
      }
      key.append(1)
      switch row.format.types[column] {
      case .int16, .int32, .int64, .reference: append(int: row.int(column), to: &key)
      case .boolean: key.append(row.int(column) == 0 ? 0 : 1)
      case .double, .float, .date: append(double: row.double(column), to: &key)
      case .uuid: key.append(contentsOf: row.variable(column))
      case .string, .uri, .binary: append(bytes: row.variable(column), to: &key)
      case .decimal: DecimalText.appendKey(text: row.variable(column), to: &key)
      }
    }
    return hasNil
  }

  /// Appends the key part of one value: for the bounds of a range.
  public static func append(_ value: Value, to key: inout [UInt8]) {
    if value.isNull {
      key.append(0)
      return
    }
    key.append(1)
    switch value {
    case .null: break
    case .int(let number), .reference(let number): append(int: number, to: &key)
    case .bool(let flag): key.append(flag ? 1 : 0)
    case .double(let number): append(double: number, to: &key)
    case .float(let number): append(double: Double(number), to: &key)
    case .date(let date): append(double: date.timeIntervalSinceReferenceDate, to: &key)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { key.append(contentsOf: $0) }
    case .binary(let bytes): bytes.withUnsafeBytes { append(bytes: $0, to: &key) }
    case .uri(let text): append(text: text, to: &key)
    case .string(let text): append(text: NormalizedText.normalized(text), to: &key)
    case .decimal(let decimal):
      var text = DecimalText.text(of: decimal)
      text.withUTF8 { DecimalText.appendKey(text: UnsafeRawBufferPointer($0), to: &key) }
    }
  }

  /// Appends a number as 8 bytes big-endian: what ends a non-unique key and what a row's own key is.
  ///
  /// Numbers are positive, so no sign is flipped.
  public static func append(number: Number, to key: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
  }

  private static func append(int value: Int64, to key: inout [UInt8]) {
    let flipped = UInt64(bitPattern: value) ^ (1 << 63)
    withUnsafeBytes(of: flipped.bigEndian) { key.append(contentsOf: $0) }
  }

  private static func append(double value: Double, to key: inout [UInt8]) {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    let ordered = bits & (1 << 63) == 0 ? bits | (1 << 63) : ~bits
    withUnsafeBytes(of: ordered.bigEndian) { key.append(contentsOf: $0) }
  }

  private static func append(text: String, to key: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(bytes: UnsafeRawBufferPointer($0), to: &key) }
  }

  private static func append(bytes: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    if bytes.contains(0) {
      for byte in bytes {
        key.append(byte)
        if byte == 0 { key.append(0xFF) }
      }
    } else {
      key.append(contentsOf: bytes)
    }
    key.append(0)
    key.append(0)
  }
}
