/// A streaming JSON reader: strict grammar, strict UTF-8, places for every fault, bounded memory.
///
/// A decoder pulls: it enters an object or array, asks for the next key or element, and reads or skips the
/// value. What was read is valid until the next call. Faults of grammar are thrown and end the document;
/// a value that is well formed but cannot be held is reported by the read call and the document goes on.
struct JSONReader: ~Copyable {
  /// What kind of value stands at the cursor.
  enum Kind {
    case null, boolean, number, text, object, array

    /// The kind in words.
    var name: String {
      switch self {
      case .null: "null"
      case .boolean: "a boolean"
      case .number: "a number"
      case .text: "a text"
      case .object: "an object"
      case .array: "an array"
      }
    }
  }

  /// Whether a text could be kept.
  enum TextQuality {
    case whole
    /// An escape names half of a surrogate pair: no Unicode text.
    case loneSurrogate
    /// Longer than the window's limit; passed over.
    case tooLong
  }

  /// How deep objects and arrays may nest.
  static let depthLimit = 128

  var window: ByteWindow
  private var depth = 0
  /// The text that was read last.
  var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  init(_ source: any ByteSource, capacity: Int = 128 << 10, limit: Int = 1 << 20) {
    window = ByteWindow(source, capacity: capacity, limit: limit)
  }

  /// The place of the next byte.
  var position: FeedPosition { window.position }

  /// Starts the document again; false where the source cannot.
  mutating func rewind() -> Bool {
    depth = 0
    return window.rewind()
  }

  // MARK: Structure

  /// The kind of the value that comes next; white space before it is passed over.
  @inline(__always)
  mutating func kind() throws(FeedFault) -> Kind {
    switch try window.nonSpace() {
    case UInt8(ascii: "\""): return .text
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): return .number
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    default: throw unexpected("a value")
    }
  }

  /// Enters the object at the cursor.
  mutating func enterObject() throws(FeedFault) { try enter(UInt8(ascii: "{"), "an object") }

  /// Enters the array at the cursor.
  mutating func enterArray() throws(FeedFault) { try enter(UInt8(ascii: "["), "an array") }

  private mutating func enter(_ bracket: UInt8, _ name: String) throws(FeedFault) {
    guard try window.nonSpace() == bracket else { throw unexpected(name) }
    if depth == Self.depthLimit {
      throw FeedFault(.depth, "values nest deeper than \(Self.depthLimit) levels", at: position)
    }
    depth += 1
    window.cursor += 1
  }

  /// Moves to the next element of the array that was entered; false after the last one, when it is left.
  mutating func nextElement(first: inout Bool) throws(FeedFault) -> Bool {
    if try window.nonSpace() == UInt8(ascii: "]") {
      window.cursor += 1
      depth -= 1
      return false
    }
    if first {
      first = false
    } else {
      guard window.cursor.pointee == UInt8(ascii: ",") else { throw unexpected("“,” or “]”") }
      window.cursor += 1
      if try window.nonSpace() == UInt8(ascii: "]") { throw unexpected("a value") }
    }
    return true
  }

  /// Moves to the value of the next key of the object that was entered; nil after the last one, when it is left.
  ///
  /// Returns the key's place in `names`, or −1 for any other key.
  mutating func nextKey(in names: borrowing KeyNames, first: inout Bool) throws(FeedFault) -> Int? {
    var byte = try window.nonSpace()
    if byte == UInt8(ascii: "}") {
      window.cursor += 1
      depth -= 1
      return nil
    }
    if first {
      first = false
    } else {
      guard byte == UInt8(ascii: ",") else { throw unexpected("“,” or “}”") }
      window.cursor += 1
      byte = try window.nonSpace()
    }
    guard byte == UInt8(ascii: "\"") else { throw unexpected("a key") }
    let quality = try readText()
    // The name is looked up before anything else is read, since reading may move the window.
    let index = quality == .whole ? names.index(of: text) : -1
    guard try window.nonSpace() == UInt8(ascii: ":") else { throw unexpected("“:”") }
    window.cursor += 1
    return index
  }

  /// Checks that only white space is left.
  mutating func finish() throws(FeedFault) {
    _ = try window.nonSpace()
    if window.cursor == window.end { return }
    throw FeedFault(.trailing, "the document goes on after its end: \(seen())", at: position)
  }

  // MARK: Values

  /// Passes over the value at the cursor, checking its grammar.
  mutating func skipValue() throws(FeedFault) {
    switch try kind() {
    case .null: try readNull()
    case .boolean: _ = try readBoolean()
    case .number: _ = try readNumber()
    case .text: try skipText()
    case .object:
      try enterObject()
      var first = true
      let none = KeyNames([])
      while try nextKey(in: none, first: &first) != nil { try skipValue() }
    case .array:
      try enterArray()
      var first = true
      while try nextElement(first: &first) { try skipValue() }
    }
  }

  mutating func readNull() throws(FeedFault) { try readWord("null") }

  mutating func readBoolean() throws(FeedFault) -> Bool {
    let isTrue = window.cursor.pointee == UInt8(ascii: "t")
    try readWord(isTrue ? "true" : "false")
    return isTrue
  }

  private mutating func readWord(_ word: StaticString) throws(FeedFault) {
    try window.require(word.utf8CodeUnitCount)
    for index in 0..<word.utf8CodeUnitCount {
      // The padding's zeros end the comparison before it leaves the window.
      guard window.cursor[index] == word.utf8Start[index] else {
        window.cursor += index
        throw unexpected("“\(word)”")
      }
    }
    window.cursor += word.utf8CodeUnitCount
  }

  /// Reads the number at the cursor; `text` holds its bytes.
  mutating func readNumber() throws(FeedFault) -> DecimalNumber {
    while true {
      let number = DecimalNumber(scanning: window.cursor)
      if window.cursor + number.count >= window.end, !window.ended {
        if try window.refill() == .full {
          throw FeedFault(.limit, "a number is longer than what is held in memory", at: position)
        }
        continue
      }
      if !number.isValid {
        window.cursor += number.count
        throw unexpected("a digit")
      }
      text = UnsafeBufferPointer(start: window.cursor, count: number.count)
      window.cursor += number.count
      return number
    }
  }

  // MARK: Faults

  /// The fault of a byte that does not belong where it stands.
  func unexpected(_ expected: String) -> FeedFault {
    if window.cursor == window.end {
      return FeedFault(.truncated, "the document ends where \(expected) is expected", at: position)
    }
    return FeedFault(.syntax, "\(seen()) stands where \(expected) is expected", at: position)
  }

  /// The byte at the cursor, for a message.
  func seen() -> String { "“\(excerpt([window.cursor.pointee]))”" }
}
