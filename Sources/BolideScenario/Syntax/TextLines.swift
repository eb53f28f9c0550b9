/// Lines of a text by their byte ranges.
package enum TextLines {
  private static let lineFeed: UInt8 = 0x0A

  /// The range of each line without its line feed; a final line feed opens no further line.
  package static func ranges(of bytes: [UInt8]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: lineFeed) ?? bytes.count
      result.append(start..<end)
      start = end + 1
    }
    return result
  }

  /// Where the bytes stop being UTF-8, or nil if they never do.
  static func firstInvalid(_ bytes: [UInt8]) -> SourcePosition? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    for (offset, range) in ranges(of: bytes).enumerated() {
      var decoder = UTF8()
      var iterator = bytes[range].makeIterator()
      var column = 1
      decoding: while true {
        switch decoder.decode(&iterator) {
        case .scalarValue: column += 1
        case .emptyInput: break decoding
        case .error: return SourcePosition(line: offset + 1, column: column)
        }
      }
    }
    return SourcePosition(line: 1, column: 1)
  }
}
