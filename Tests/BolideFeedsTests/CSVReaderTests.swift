import Testing

@testable import BolideFeeds

/// Reads a table and writes down what it saw: `field|field` a record, `!` after a flawed field.
private func trace(
  _ bytes: [UInt8], piece: Int = .max, window: (capacity: Int, limit: Int) = (1 << 12, 1 << 12)
) -> [String] {
  var reader = CSVReader(
    MemoryByteSource(bytes, piece: piece), capacity: window.capacity, limit: window.limit)
  var lines: [String] = []
  do throws(FeedFault) {
    try reader.window.skipByteOrderMark()
    while try reader.nextRecord() {
      let place = reader.position
      var fields: [String] = []
      var end = CSVReader.FieldEnd.comma
      while end == .comma {
        end = try reader.nextField()
        fields.append(String(decoding: reader.text, as: UTF8.self) + (reader.flaw == nil ? "" : "!"))
      }
      lines.append("\(place.offset) \(place.line) " + fields.joined(separator: "|"))
    }
  } catch {
    let place = error.position ?? FeedPosition(offset: -1, line: 0, column: 0)
    lines.append("\(error.kind.code.name) \(place.offset) \(place.line):\(place.column)")
  }
  return lines
}

@Suite struct CSVReaderTests {
  @Test(
    arguments: [
      ("", []), ("\n\r\n", []), ("a", ["0 1 a"]), ("a,b\r\nc,d\r\n", ["0 1 a|b", "5 2 c|d"]),
      ("a,\n,b\n,", ["0 1 a|", "3 2 |b", "6 3 |"]), ("\u{FEFF}a\n", ["3 1 a"]),
      ("\"a,b\",\"c\"\"d\"\n", ["0 1 a,b|c\"d"]), ("\"a\nb\"\r\nc", ["0 1 a\nb", "7 3 c"]),
      ("\"\",\"\"\"\"", ["0 1 |\""]), ("\"x\r\ny\",z\n\n\nq", ["0 1 x\r\ny|z", "11 5 q"]),
      ("é漢😀,\"é\"\"漢\"", ["0 1 é漢😀|é\"漢"]), ("a\"b,c\nd", ["0 1 a\"b!|c", "6 2 d"]),
      ("\"a\"b,c\n", ["0 1 b!|c"]), ("a\tb\0c", ["0 1 a\tb\0c"]),
      ("\"abc\n", ["feed.truncated 0 1:1"]), ("a,\"b", ["feed.truncated 2 1:3"]),
      ("a\rb", ["feed.syntax 1 1:2"]), ("\"a\"\rb", ["feed.syntax 3 1:4"]),
    ] as [(String, [String])])
  func `a table is read as what it says`(_ table: String, _ expected: [String]) {
    let bytes = Array(table.utf8)
    #expect(trace(bytes) == expected)
    for piece in 1...9 {
      for capacity in [5, 8, 13, 64] {
        #expect(trace(bytes, piece: piece, window: (capacity, 128)) == expected, "\(piece), \(capacity)")
      }
    }
  }

  @Test func `bytes that are no UTF-8 are refused`() {
    #expect(trace([0x61, 0xC3, 0x28]) == ["feed.encoding 1 1:2"])
    #expect(trace([0x22, 0x61, 0xFF, 0x22]) == ["feed.encoding 2 1:3"])
    #expect(trace([0x61, 0xE6, 0xBC]) == ["feed.truncated 1 1:2"])
  }

  @Test func `a field longer than the window spoils its record alone`() {
    let long = String(repeating: "x", count: 10_000)
    for table in ["a,\(long),b\nc,d\n", "a,\"\(long)\"\"\n\(long)\",b\nc,d\n"] {
      let lines = trace(Array(table.utf8), window: (64, 256))
      #expect(lines.count == 2)
      #expect(lines[0].contains("!|b"))
      #expect(lines[1].hasSuffix(" c|d"))
    }
  }
}
