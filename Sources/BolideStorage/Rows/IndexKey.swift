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
      switch row.format.types[column] {
      case .int16, .int32, .int64, .reference: append(int: row.int(column), to: &key)
      case .boolean: append(flag: row.int(column) != 0, to: &key)
      case .double, .float, .date: append(double: row.double(column), to: &key)
      case .uuid: append(fixed: row.variable(column), to: &key)
      case .string, .uri, .binary: append(bytes: row.variable(column), to: &key)
      case .decimal:
        key.append(1)
        DecimalText.appendKey(text: row.variable(column), to: &key)
      }
    }
    return hasNil
  }

  /// Appends the key part of one value: for the bounds of a range.
  public static func append(_ value: Value, to key: inout [UInt8]) {
    switch value {
    case .null: key.append(0)
    case .int(let number), .reference(let number): append(int: number, to: &key)
    case .bool(let flag): append(flag: flag, to: &key)
    case .double(let number): append(double: number, to: &key)
    case .float(let number): append(double: Double(number), to: &key)
    case .date(let date): append(double: date.timeIntervalSinceReferenceDate, to: &key)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { append(fixed: $0, to: &key) }
    case .binary(let bytes): bytes.withUnsafeBytes { append(bytes: $0, to: &key) }
    case .uri(let text): append(text: text, to: &key)
    case .string(let text): append(text: NormalizedText.normalized(text), to: &key)
    case .decimal(let decimal):
      key.append(1)
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

  // Each part, its first byte included, goes to the key in one step: that is where the time goes.

  private static func append(int value: Int64, to key: inout [UInt8]) {
    append(word: word(of: value), to: &key)
  }

  private static func append(double value: Double, to key: inout [UInt8]) {
    append(word: word(of: value), to: &key)
  }

  /// An integer as an unsigned one that stands to others as it does.
  package static func word(of value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

  /// A double as an unsigned integer that stands to others as it does.
  package static func word(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits & (1 << 63) == 0 ? bits | (1 << 63) : ~bits
  }

  /// The integer that a word was made of.
  package static func int(of word: UInt64) -> Int64 { Int64(bitPattern: word ^ (1 << 63)) }

  /// The double that a word was made of.
  package static func double(of word: UInt64) -> Double {
    Double(bitPattern: word & (1 << 63) == 0 ? ~word : word ^ (1 << 63))
  }

  private static func append(word: UInt64, to key: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: 9, alignment: 1) { part in
      part[0] = 1
      part.storeBytes(of: word.bigEndian, toByteOffset: 1, as: UInt64.self)
      key.append(contentsOf: part)
    }
  }

  private static func append(flag: Bool, to key: inout [UInt8]) {
    key.append(1)
    key.append(flag ? 1 : 0)
  }

  private static func append(fixed bytes: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    key.append(1)
    key.append(contentsOf: bytes)
  }

  private static func append(text: String, to key: inout [UInt8]) {
    var text = text
    text.withUTF8 { append(bytes: UnsafeRawBufferPointer($0), to: &key) }
  }

  private static func append(bytes: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil {
      key.append(1)
      for byte in bytes {
        key.append(byte)
        if byte == 0 { key.append(0xFF) }
      }
      key.append(contentsOf: [0, 0])
    } else {
      withUnsafeTemporaryAllocation(byteCount: bytes.count + 3, alignment: 1) { part in
        part[0] = 1
        UnsafeMutableRawBufferPointer(rebasing: part[1...]).copyMemory(from: bytes)
        part[bytes.count + 1] = 0
        part[bytes.count + 2] = 0
        key.append(contentsOf: part)
      }
    }
  }
}
