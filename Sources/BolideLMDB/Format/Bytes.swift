import BolideStorage
import CLMDB

extension MDB_val {
  /// Points LMDB at bytes, for the duration of one call.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  /// The bytes that LMDB points at: valid until the next write or the end of the transaction.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension Array<UInt8> {
  /// Looks at the bytes, throwing only what `body` throws.
  @inline(__always)
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}

extension ArraySlice<UInt8> {
  /// Looks at the bytes, throwing only what `body` throws.
  @inline(__always)
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
  }
}

extension [UInt8] {
  /// Appends a number in big-endian order, as keys need it.
  mutating func appendBig(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends a signed number so that its bytes are in the order of the numbers.
  mutating func appendOrdered(_ value: Int64) { appendBig(UInt64(bitPattern: value) ^ (1 << 63)) }

  /// Appends a number in little-endian order, as values have it.
  mutating func appendLittle(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a number in seven bits a byte, the low ones first.
  mutating func appendVariable(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a text with its length, or the mark of no text.
  mutating func appendText(_ text: String?) {
    guard let text else {
      appendVariable(0)
      return
    }
    appendVariable(UInt64(text.utf8.count) + 1)
    append(contentsOf: text.utf8)
  }

  /// The least bytes above all that begin with these; `nil` when there are none such.
  var successor: [UInt8]? {
    var result = self
    while let last = result.popLast() {
      if last < 0xFF {
        result.append(last + 1)
        return result
      }
    }
    return nil
  }
}

/// Takes numbers and texts from stored bytes one after the other, and throws where they end too soon.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0
  private let what: String

  init(_ bytes: UnsafeRawBufferPointer, _ what: String) {
    self.bytes = bytes
    self.what = what
  }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func little<T: FixedWidthInteger>(_ type: T.Type) throws(BolideError) -> T {
    guard offset + MemoryLayout<T>.size <= bytes.count else { throw damaged }
    defer { offset += MemoryLayout<T>.size }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
  }

  mutating func variable() throws(BolideError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = bytes[offset]
      offset += 1
      result |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return result }
      shift += 7
    }
    throw damaged
  }

  mutating func text() throws(BolideError) -> String? {
    let mark = try variable()
    if mark == 0 { return nil }
    guard mark - 1 <= UInt64(bytes.count - offset) else { throw damaged }
    let end = offset + Int(mark - 1)
    defer { offset = end }
    return String(decoding: bytes[offset..<end], as: UTF8.self)
  }

  var damaged: BolideError { LMDBFailure.damaged("\(what) is damaged") }
}

extension UnsafeRawBufferPointer {
  /// A big-endian number at an offset that is inside.
  @inline(__always)
  func big<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
    T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}
