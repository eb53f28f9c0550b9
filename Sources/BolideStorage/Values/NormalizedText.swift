import Foundation

/// Bringing text to Unicode NFC (rule V-2), with a byte test that spares most texts the work.
public enum NormalizedText {
  /// Whether the text surely is NFC already: no scalar from U+0300 on, which UTF-8 begins with 0xCC.
  @inlinable
  public static func isPlain(_ utf8: UnsafeRawBufferPointer) -> Bool {
    for byte in utf8 where byte >= 0xCC { return false }
    return true
  }

  /// The NFC form of a text.
  public static func normalized(_ text: String) -> String {
    var text = text
    let plain = text.withUTF8 { isPlain(UnsafeRawBufferPointer($0)) }
    return plain ? text : text.precomposedStringWithCanonicalMapping
  }
}
