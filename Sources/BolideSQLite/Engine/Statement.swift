import BolideStorage
import CSQLite

/// A prepared statement; its connection owns it and finalizes it.
struct Statement {
  let handle: OpaquePointer

  /// Tells SQLite that bound memory stays valid until the statement is stepped.
  static let borrowed: sqlite3_destructor_type? = nil
  /// Tells SQLite to copy bound memory.
  static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// Makes the statement ready to be bound and stepped again.
  func reset() { sqlite3_reset(handle) }

  func bind(_ parameter: Int32, _ value: Int64) -> Int32 { sqlite3_bind_int64(handle, parameter, value) }
  func bind(_ parameter: Int32, _ value: Double) -> Int32 { sqlite3_bind_double(handle, parameter, value) }
  func bindNull(_ parameter: Int32) -> Int32 { sqlite3_bind_null(handle, parameter) }

  /// Binds a text, whole, whatever it holds (U+0000, too); SQLite copies it.
  func bind(_ parameter: Int32, _ value: String) -> Int32 {
    var value = value
    return value.withUTF8 { bytes in
      Self.withAddress(of: UnsafeRawBufferPointer(bytes)) { address, count in
        sqlite3_bind_text64(
          handle, parameter, address.assumingMemoryBound(to: CChar.self), UInt64(count), Self.copied,
          UInt8(SQLITE_UTF8))
      }
    }
  }

  func bind(_ parameter: Int32, _ value: String?) -> Int32 {
    if let value { bind(parameter, value) } else { bindNull(parameter) }
  }

  /// Binds bytes; SQLite copies them.
  func bind(_ parameter: Int32, bytes: some Collection<UInt8>) -> Int32 {
    let bind = { (bytes: UnsafeRawBufferPointer) in
      Self.withAddress(of: bytes) { address, count in
        sqlite3_bind_blob64(handle, parameter, address, UInt64(count), Self.copied)
      }
    }
    return bytes.withContiguousStorageIfAvailable { bind(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { bind($0) }
  }

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// The bytes of a text or blob, valid until the next step.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let address = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: address, count: Int(sqlite3_column_bytes(handle, column)))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  /// Hands out the address and length of bytes; SQLite takes a null address for NULL, so that none is.
  static func withAddress<Result>(
    of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawPointer, Int) -> Result
  ) -> Result {
    body(bytes.baseAddress ?? emptyAddress, bytes.count)
  }

  /// An address for values of no bytes; nothing is read from it.
  nonisolated(unsafe) static let emptyAddress = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
}
