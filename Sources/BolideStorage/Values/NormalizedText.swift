import Foundation

/// Bringing text to Unicode NFC (rule V-2), with a byte test that spares most texts the work.
public enum NormalizedText {
  /// Whether the text surely is NFC already: no scalar from U+0300 on, which UTF-8 begins with 0xCC.
  @inlinable
  public static func isPlain(_ utf8: UnsafeRawBufferPointer) -> Bool {
    for byte in utf8 where byte >= 0xCC { return false }
    return true
  }

  /// Whether all bytes are below 0x80, looking at eight at a time.
  @inlinable
  public static func isASCII(_ utf8: UnsafeRawBufferPointer) -> Bool {
    guard let start = utf8.baseAddress else { return true }
    var high: UInt64 = 0
    if utf8.count < 8 {
      for offset in 0..<utf8.count { high |= UInt64(start.load(fromByteOffset: offset, as: UInt8.self)) }
    } else {
      let last = utf8.count &- 8
      var offset = 0
      while offset < last {
        high |= start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        offset &+= 8
      }
      high |= start.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }
    return high & 0x8080_8080_8080_8080 == 0
  }

  /// The NFC form of a text.
  public static func normalized(_ text: String) -> String {
    var text = text
    let plain = text.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
    return plain ? text : text.precomposedStringWithCanonicalMapping
  }
}
