import Testing

@testable import BolideFeeds

/// Reads any document with the reader and writes down what it saw.
private func trace(
  _ bytes: [UInt8], piece: Int = .max, window: (capacity: Int, limit: Int) = (1 << 12, 1 << 12)
) -> String {
  var reader = JSONReader(
    MemoryByteSource(bytes, piece: piece), capacity: window.capacity, limit: window.limit)
  var output = ""
  do throws(FeedFault) {
    try write(&reader, to: &output)
    try reader.finish()
  } catch {
    let place = error.position ?? FeedPosition(offset: -1, line: 0, column: 0)
    return "\(error.kind.code.name) \(place.offset) \(place.line):\(place.column)"
  }
  return output
}

private func write(_ reader: inout JSONReader, to output: inout String) throws(FeedFault) {
  switch try reader.kind() {
  case .null:
    try reader.readNull()
    output += "null"
  case .boolean:
    output += "\(try reader.readBoolean())"
  case .number:
    _ = try reader.readNumber()
    output += String(decoding: reader.text, as: UTF8.self)
  case .text:
    let quality = try reader.readText()
    output += quality == .whole ? "'" + String(decoding: reader.text, as: UTF8.self) + "'" : "\(quality)"
  case .array:
    try reader.enterArray()
    output += "["
    var first = true
    while try reader.nextElement(first: &first) {
      try write(&reader, to: &output)
      output += ";"
    }
    output += "]"
  case .object:
    try reader.enterObject()
    output += "{"
    var first = true
    while let key = try reader.nextKey(in: KeyNames(["a", "number", "sixteen-letters!"]), first: &first) {
      output += "\(key):"
      try write(&reader, to: &output)
      output += ";"
    }
    output += "}"
  }
}

@Suite struct JSONReaderTests {
  @Test(arguments: [
    ("null", "null"), (" true ", "true"), ("[false]", "[false;]"), ("[]", "[]"), ("{}", "{}"), ("0", "0"),
    ("-0.5e+10", "-0.5e+10"), ("\"\"", "''"), ("[1 , 2\r\n]", "[1;2;]"),
    (#"{"a":1,"b":{"number":[{}]},"sixteen-letters!":2}"#, "{0:1;-1:{1:[{};];};2:2;}"),
    (#"{"\u0061":1,"seventeen-letters":2,"":3}"#, "{0:1;-1:2;-1:3;}"),
    (#""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, "'\"\\/\u{8}\u{C}\n\r\té😀'"),
    (#""\u0000""#, "'\0'"), (#""é漢😀""#, "'é漢😀'"),
    (#"["\ud83d"]"#, "[loneSurrogate;]"), (#"["\ude00\ud83d"]"#, "[loneSurrogate;]"),
    (#"["\ud83d\u0041","A"]"#, "[loneSurrogate;'A';]"),
  ])
  func `a document is read as what it says`(_ document: String, _ expected: String) {
    #expect(trace(Array(document.utf8)) == expected)
  }

  @Test(arguments: [
    ("", "feed.truncated 0 1:1"), ("  ", "feed.truncated 2 1:3"), ("[1", "feed.truncated 2 1:3"),
    ("[1,", "feed.truncated 3 1:4"), ("{\"a\"", "feed.truncated 4 1:5"), ("\"ab", "feed.truncated 3 1:4"),
    ("\"a\\", "feed.truncated 2 1:3"), ("tru", "feed.truncated 3 1:4"), ("\"\\u00", "feed.truncated 1 1:2"),
    ("-", "feed.truncated 1 1:2"),
    ("1.", "feed.truncated 2 1:3"), ("1e", "feed.truncated 2 1:3"),
    ("[1,]", "feed.syntax 3 1:4"), ("[,1]", "feed.syntax 1 1:2"), ("[1 2]", "feed.syntax 3 1:4"),
    ("{\"a\":1,}", "feed.syntax 7 1:8"), ("{a:1}", "feed.syntax 1 1:2"), ("{\"a\" 1}", "feed.syntax 5 1:6"),
    ("{1:1}", "feed.syntax 1 1:2"), ("[\n\n  x]", "feed.syntax 5 3:3"), ("nul!", "feed.syntax 3 1:4"),
    ("NaN", "feed.syntax 0 1:1"), ("+1", "feed.syntax 0 1:1"), (".5", "feed.syntax 0 1:1"),
    ("01", "feed.trailing 1 1:2"), ("1.e5", "feed.syntax 2 1:3"), ("-x", "feed.syntax 1 1:2"),
    ("[1}", "feed.syntax 2 1:3"), ("\"a\u{1}\"", "feed.syntax 2 1:3"), ("\"a\nb\"", "feed.syntax 2 1:3"),
    ("\"\\x\"", "feed.syntax 1 1:2"), ("\"\\u12G4\"", "feed.syntax 1 1:2"), ("[] []", "feed.trailing 3 1:4"),
    ("nullx", "feed.trailing 4 1:5"), ("'a'", "feed.syntax 0 1:1"), ("[1/**/]", "feed.syntax 2 1:3"),
  ])
  func `a malformed document is refused where it goes wrong`(_ document: String, _ expected: String) {
    #expect(trace(Array(document.utf8)) == expected)
  }

  @Test(
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF8], [0xC3], [0xE6, 0xBC], [0xC3, 0x28], [0xFF],
    ] as [[UInt8]])
  func `bytes that are no UTF-8 are refused`(_ bytes: [UInt8]) {
    #expect(trace([0x22, 0x61] + bytes + [0x22]) == "feed.encoding 2 1:3")
    #expect(trace([0x5B, 0x22, 0x61] + bytes + [0x22, 0x5D], piece: 1) == "feed.encoding 3 1:4")
  }

  @Test func `nesting is limited`() {
    let deepest = JSONReader.depthLimit
    let good = String(repeating: "[", count: deepest) + String(repeating: "]", count: deepest)
    #expect(trace(Array(good.utf8)).hasPrefix("[[["))
    let bad = String(repeating: "[", count: deepest + 1)
    #expect(trace(Array(bad.utf8)) == "feed.depth \(deepest) 1:\(deepest + 1)")
  }

  @Test func `the result does not depend on how the bytes arrive`() {
    let document = Array(
      #" {"a" : [1.25e-3, -17, true,null , "plain é漢😀 \u00e9\ud83d\ude00\\ end"],\#n"x":{"number":"\ud800"}} "#
        .utf8)
    let whole = trace(document)
    #expect(whole == #"{0:[1.25e-3;-17;true;null;'plain é漢😀 é😀\ end';];-1:{1:loneSurrogate;};}"#)
    for piece in 1...20 {
      for capacity in [12, 13, 16, 31, 64] {
        #expect(trace(document, piece: piece, window: (capacity, 256)) == whole, "\(piece), \(capacity)")
      }
    }
  }

  @Test func `a long text that is kept is given up, and one that is passed over needs no memory`() throws {
    let count = 3_000_000
    let text = [0x22] + [UInt8](repeating: 0x61, count: count) + [0x22]
    var reader = JSONReader(
      MemoryByteSource([0x5B] + text + [0x2C] + text + [0x2C, 0x31, 0x5D]), capacity: 1024, limit: 4096)
    var first = true
    try reader.enterArray()
    #expect(try reader.nextElement(first: &first))
    #expect(try reader.readText() == .tooLong)
    #expect(try reader.nextElement(first: &first))
    try reader.skipValue()
    #expect(try reader.nextElement(first: &first))
    let number = try reader.readNumber()
    #expect(number.integer == 1)
    let capacity = reader.window.capacity
    #expect(capacity == 4096)
    let offset = reader.position.offset
    #expect(offset == 2 * count + 8)
  }

  @Test func `a number longer than the window is refused`() {
    let document = [UInt8](repeating: 0x31, count: 100_000)
    #expect(trace(document).hasPrefix("feed.limit 0"))
  }
}
