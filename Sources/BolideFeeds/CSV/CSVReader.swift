/// A streaming reader for comma-separated values (RFC 4180): quotes, doubled quotes, line ends inside quotes.
///
/// Lines end with CR LF or LF; the last one needs no end. Wholly empty lines are passed over. A field is valid
/// until the next call. Stray quotes spoil a record, not the document.
struct CSVReader: ~Copyable {
  /// What stands after a field.
  enum FieldEnd { case comma, line, document }

  /// What is wrong with a field.
  enum Flaw {
    case strayQuote
    case tooLong

    /// The flaw in words.
    var reason: String {
      switch self {
      case .strayQuote: "a quotation mark stands inside a field"
      case .tooLong: "the field is longer than what is held in memory"
      }
    }
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  var window: ByteWindow
  /// The field that was read last.
  private(set) var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// What is wrong with that field.
  private(set) var flaw: Flaw?
  /// Whether the document's last line had an end.
  private(set) var endsWithLine = true

  init(_ source: any ByteSource, capacity: Int = 128 << 10, limit: Int = 1 << 20) {
    window = ByteWindow(source, capacity: capacity, limit: limit)
  }

  /// The place of the next byte.
  var position: FeedPosition { window.position }

  /// Moves to the next record that is no empty line; false at the end of the document.
  mutating func nextRecord() throws(FeedFault) -> Bool {
    while true {
      try window.require(2)
      switch window.cursor[0] {
      case Self.lineFeed: window.cursor += 1
      case Self.carriageReturn where window.cursor[1] == Self.lineFeed: window.cursor += 2
      default: return window.cursor < window.end
      }
      window.startLine(at: window.cursor)
    }
  }

  /// Reads the next field of the record into `text`.
  mutating func nextField() throws(FeedFault) -> FieldEnd {
    flaw = nil
    if window.cursor == window.end { try window.require(1) }
    if window.cursor.pointee == Self.quote {
      return try readQuoted()
    }
    return try readPlain()
  }

  private mutating func readPlain() throws(FeedFault) -> FieldEnd {
    var kept = 0
    while true {
      let stop = PlainBytes.end(from: window.cursor, stoppingAt: Self.comma, or: Self.quote)
      kept += stop - window.cursor
      window.cursor = stop
      switch stop.pointee {
      case Self.comma, Self.lineFeed:
        return take(kept)
      case Self.carriageReturn:
        if try reload(keeping: &kept, needing: 2) { continue }
        guard window.cursor[1] == Self.lineFeed else {
          throw FeedFault(.syntax, "a carriage return without a line feed", at: position)
        }
        return take(kept)
      case Self.quote:
        flaw = flaw ?? .strayQuote
        window.cursor += 1
        kept += 1
      case 0x80...:
        if try reload(keeping: &kept, needing: 4) { continue }
        let length = try sequence()
        window.cursor += length
        kept += length
      default:
        if window.cursor == window.end {
          if try reload(keeping: &kept, needing: 1) { continue }
          return take(kept)
        }
        window.cursor += 1
        kept += 1
      }
    }
  }

  /// Reads the field whose opening quote is at the cursor; doubled quotes are undone where they stand.
  private mutating func readQuoted() throws(FeedFault) -> FieldEnd {
    let opening = position
    window.cursor += 1
    var start = window.cursor
    var write = start
    var read = start
    while true {
      let stop = PlainBytes.end(from: read, stoppingAt: Self.quote, or: Self.quote)
      if write != read { write.update(from: read, count: stop - read) }
      write += stop - read
      read = stop
      window.cursor = read
      let byte = read.pointee
      // What follows a quote decides what it means: another one, or the end of the field and of the line.
      let needed = byte == Self.quote ? 3 : byte >= 0x80 ? 4 : 1
      if window.end - read < needed, !window.ended {
        var kept = write - start
        if kept > 0, write != read { (read - kept).update(from: start, count: kept) }
        _ = try reload(keeping: &kept, needing: needed)
        read = window.cursor
        write = read
        start = read - kept
        continue
      }
      switch byte {
      case Self.quote where read[1] == Self.quote:
        write.pointee = Self.quote
        write += 1
        read += 2
      case Self.quote:
        if write != read { write.pointee = Self.quote }
        text = UnsafeBufferPointer(start: start, count: write - start)
        window.cursor = read + 1
        return try endQuoted()
      case 0x80...:
        let length = try sequence()
        write.update(from: read, count: length)
        write += length
        read += length
      default:
        if read == window.end {
          throw FeedFault(.truncated, "the document ends inside a quoted field", at: opening)
        }
        if byte == Self.lineFeed { window.startLine(at: read + 1) }
        write.pointee = byte
        write += 1
        read += 1
      }
    }
  }

  /// Looks at what follows a closing quote.
  private mutating func endQuoted() throws(FeedFault) -> FieldEnd {
    switch window.cursor[0] {
    case Self.comma, Self.lineFeed: return end()
    case Self.carriageReturn where window.cursor[1] == Self.lineFeed: return end()
    default:
      if window.cursor == window.end { return end() }
      // The record is spoiled; the rest of the field is read as it stands.
      let end = try readPlain()
      flaw = .strayQuote
      return end
    }
  }

  /// The length of the sequence of UTF-8 at the cursor.
  private func sequence() throws(FeedFault) -> Int {
    let length = UTF8Sequence.length(at: window.cursor)
    if length > 0 { return length }
    if UTF8Sequence.isCut(at: window.cursor, before: window.end) {
      throw FeedFault(.truncated, "the document ends inside a character", at: position)
    }
    throw FeedFault(.encoding, "“\(excerpt([window.cursor.pointee]))” is not UTF-8", at: position)
  }

  /// Reads more where fewer than `count` bytes stand at the cursor; true when bytes were moved or read.
  ///
  /// A field that fills the window is given up: what was kept is dropped and the field is flawed.
  private mutating func reload(keeping kept: inout Int, needing count: Int) throws(FeedFault) -> Bool {
    if window.end - window.cursor >= count || window.ended { return false }
    if try window.refill(keeping: kept) == .full {
      flaw = .tooLong
      kept = 0
    }
    return true
  }

  private mutating func take(_ kept: Int) -> FieldEnd {
    text = UnsafeBufferPointer(start: window.cursor - kept, count: kept)
    return end()
  }

  /// Passes over what ends a field.
  private mutating func end() -> FieldEnd {
    switch window.cursor.pointee {
    case Self.comma:
      window.cursor += 1
      return .comma
    case Self.carriageReturn:
      window.cursor += 2
      window.startLine(at: window.cursor)
      return .line
    case Self.lineFeed:
      window.cursor += 1
      window.startLine(at: window.cursor)
      return .line
    default:
      endsWithLine = false
      return .document
    }
  }
}
