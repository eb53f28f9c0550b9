/// Reading values into fields: a null clears, a value of another kind spoils the record.
extension JSONReader {
  /// Reads a number.
  mutating func readDouble(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    let place = position
    guard try expect(.number, field, of: &record) else { return }
    let number = try readNumber()
    if let start = text.baseAddress, let value = number.double(in: start) {
      record.set(field, to: value)
    } else {
      record.reject(record.fields[field].source, "“\(excerpt(text))” is too large for a double", at: place)
    }
  }

  /// Reads a date in milliseconds since 1970.
  mutating func readEpochMilliseconds(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    let place = position
    guard try expect(.number, field, of: &record) else { return }
    let number = try readNumber()
    if let milliseconds = number.integer, let date = FeedDate.seconds(epochMilliseconds: milliseconds) {
      record.set(field, to: date)
    } else {
      let reason = "“\(excerpt(text))” is no whole number of milliseconds in range"
      record.reject(record.fields[field].source, reason, at: place)
    }
  }

  /// Reads a boolean.
  mutating func readBoolean(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    if try expect(.boolean, field, of: &record) { record.set(field, to: try readBoolean()) }
  }

  /// Reads a text.
  mutating func readText(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    let place = position
    guard try expect(.text, field, of: &record) else { return }
    if try readWholeText(record.fields[field].source, at: place, of: &record) { record.set(field, to: text) }
  }

  /// Reads a date that is written as a text.
  mutating func readDateText(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    let place = position
    guard try expect(.text, field, of: &record) else { return }
    let name = record.fields[field].source
    guard try readWholeText(name, at: place, of: &record) else { return }
    if let date = FeedDate.seconds(text) {
      record.set(field, to: date)
    } else {
      record.reject(name, "“\(excerpt(text))” is no date", at: place)
    }
  }

  /// Reads a text; false, and the record is spoiled, when it cannot be kept.
  mutating func readWholeText(
    _ name: String, at place: FeedPosition, of record: inout FeedRecord
  ) throws(FeedFault) -> Bool {
    switch try readText() {
    case .whole: return true
    case .loneSurrogate: record.reject(name, "an escape is half of a surrogate pair", at: place)
    case .tooLong: record.reject(name, "the text is longer than what is held in memory", at: place)
    }
    return false
  }

  /// Whether a value of a kind comes next; another one is passed over, as null or as a flaw.
  @inline(__always)
  private mutating func expect(
    _ wanted: Kind, _ field: Int, of record: inout FeedRecord
  ) throws(FeedFault) -> Bool {
    let found = try kind()
    if found == wanted { return true }
    try passOver(found, wanted, field, of: &record)
    return false
  }

  private mutating func passOver(
    _ found: Kind, _ wanted: Kind, _ field: Int, of record: inout FeedRecord
  ) throws(FeedFault) {
    if found == .null {
      try readNull()
      record.setNull(field)
    } else {
      let reason = "\(found.name) stands where \(wanted.name) is expected"
      record.reject(record.fields[field].source, reason, at: position)
      try skipValue()
    }
  }
}

/// Reading a document's frame.
extension JSONReader {
  /// Passes over what may precede the document and checks the kind of its only value.
  ///
  /// - Throws: `feed.not-the-feed`, showing the first bytes.
  mutating func openDocument(_ wanted: Kind, named name: String) throws(FeedFault) {
    try window.skipByteOrderMark()
    let byte = try window.nonSpace()
    if window.cursor == window.end {
      throw FeedFault(.notTheFeed, "the document is empty, not \(name)", at: position)
    }
    if byte == (wanted == .array ? UInt8(ascii: "[") : UInt8(ascii: "{")) { return }
    throw FeedFault(
      .notTheFeed, "not \(name): the document begins with “\(excerpt(window.opening))”", at: position)
  }

  /// The fault of a document that ended without what the feed has, showing its first bytes.
  ///
  /// - Parameters:
  ///   - expected: what it is not, in words.
  ///   - note: the message that it has instead.
  func notTheFeed(_ expected: String, note: String?) -> FeedFault {
    let answer = note.map { "the service answered with an error: “\($0)”; " } ?? ""
    return FeedFault(
      .notTheFeed, "\(answer)not \(expected); the document begins with “\(excerpt(window.opening))”")
  }

  /// Reads a count that is written as an integer or as a text; nil when it is neither.
  mutating func readCount() throws(FeedFault) -> Int? {
    switch try kind() {
    case .number:
      return try readNumber().integer.flatMap(Int.init(exactly:))
    case .text:
      guard try readText() == .whole else { return nil }
      return DecimalNumber(text)?.integer.flatMap(Int.init(exactly:))
    default:
      try skipValue()
      return nil
    }
  }

  /// Reads a text for a message; nil when it is none.
  mutating func readNote() throws(FeedFault) -> String? {
    guard try kind() == .text else {
      try skipValue()
      return nil
    }
    return try readText() == .whole ? String(decoding: text.prefix(200), as: UTF8.self) : nil
  }

  /// Whether an array comes next that is to be entered; a null is passed over.
  mutating func expectArray(named name: String) throws(FeedFault) -> Bool {
    switch try kind() {
    case .array: return true
    case .null:
      try readNull()
      return false
    case let kind:
      throw FeedFault(.notTheFeed, "“\(name)” is \(kind.name), not an array", at: position)
    }
  }
}
