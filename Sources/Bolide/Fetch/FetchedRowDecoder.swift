import BolideStorage

/// Decodes a type of the program from a row, one property a column of the same name.
struct FetchedRowDecoder: Decoder {
  let row: FetchedRow
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer<Key>(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.isNoRow(at: codingPath) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw Self.isNoRow(at: codingPath)
  }

  static func isNoRow(at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: path,
        debugDescription: "a row is decoded by the names of its columns, and a value as one value"))
  }
}

/// The columns of a row by the coding keys of a type.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: FetchedRow
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] { row.columns.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    try ValueContainer(value: value(key), codingPath: [key]).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw FetchedRowDecoder.isNoRow(at: [key])
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw FetchedRowDecoder.isNoRow(at: [key])
  }

  func superDecoder() -> any Decoder { FetchedRowDecoder(row: row) }

  func superDecoder(forKey key: Key) -> any Decoder { FetchedRowDecoder(row: row) }

  private func value(_ key: Key) throws -> Value {
    if let value = row[key.stringValue] { return value }
    throw DecodingError.keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "the rows have no column \(key.stringValue)"))
  }
}

/// One value of a row.
private struct ValueContainer: Decoder, SingleValueDecodingContainer {
  let value: Value
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw FetchedRowDecoder.isNoRow(at: codingPath)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw FetchedRowDecoder.isNoRow(at: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull }

  func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    // The types that attributes have; others, such as enumerations, ask for one of these in their turn.
    if let stored = type as? any AttributeValue.Type {
      if let content = stored.init(value) as? Content { return content }
    } else if let integer = type as? any FixedWidthInteger.Type {
      if case .int(let number) = value, let content = Self.exactly(number, integer) as? Content {
        return content
      }
    } else {
      return try Content(from: self)
    }
    throw DecodingError.typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "\(CanonicalText.text(value)) is no \(type)"))
  }

  private static func exactly<Integer: FixedWidthInteger>(_ number: Int64, _ type: Integer.Type) -> Any? {
    Integer(exactly: number)
  }
}
