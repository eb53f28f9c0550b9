extension JSONReader {
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  /// The longest escape: two halves of a surrogate pair.
  private static let escapeLength = 12

  /// Reads the text whose opening quote is at the cursor into `text`.
  ///
  /// Escapes are undone where they stand, since a text never grows by that. A byte that belongs to no number
  /// follows the text, so that a number in it can be scanned without a count.
  mutating func readText() throws(FeedFault) -> TextQuality {
    window.cursor += 1
    var quality = TextQuality.whole
    var start = window.cursor
    var write = start
    var read = start
    while true {
      let stop = PlainBytes.end(from: read, stoppingAt: Self.quote, or: Self.backslash)
      if write != read { write.update(from: read, count: stop - read) }
      write += stop - read
      read = stop
      let byte = read.pointee
      if byte == Self.quote {
        if write != read { write.pointee = Self.quote }
        text = UnsafeBufferPointer(start: start, count: write - start)
        window.cursor = read + 1
        return quality
      }
      let needed = byte == Self.backslash ? Self.escapeLength : byte >= 0x80 ? 4 : 1
      if window.end - read < needed, !window.ended {
        // What is kept so far is moved up to the cursor, so that the window keeps both in one piece.
        let kept = write - start
        let joined = read - kept
        if joined != start { joined.update(from: start, count: kept) }
        window.cursor = read
        if try window.refill(keeping: kept) == .full {
          text = UnsafeBufferPointer(start: nil, count: 0)
          try skipRestOfText()
          return .tooLong
        }
        read = window.cursor
        write = read
        start = read - kept
        continue
      }
      if byte == Self.backslash {
        let scalar: UInt32
        do throws(EscapeFault) { scalar = try Self.unescape(&read) } catch {
          guard error == .loneSurrogate else {
            window.cursor = read
            throw badEscape()
          }
          quality = .loneSurrogate
          continue
        }
        write += UTF8Sequence.encode(scalar, at: write)
      } else {
        let length = byte >= 0x80 ? UTF8Sequence.length(at: read) : 0
        window.cursor = read
        if length == 0 { throw badByte() }
        write.update(from: read, count: length)
        write += length
        read += length
      }
    }
  }

  /// Passes over the text whose opening quote is at the cursor.
  mutating func skipText() throws(FeedFault) {
    window.cursor += 1
    try skipRestOfText()
  }

  private mutating func skipRestOfText() throws(FeedFault) {
    while true {
      window.cursor = PlainBytes.end(from: window.cursor, stoppingAt: Self.quote, or: Self.backslash)
      let byte = window.cursor.pointee
      if byte == Self.quote {
        window.cursor += 1
        return
      }
      let needed = byte == Self.backslash ? Self.escapeLength : byte >= 0x80 ? 4 : 1
      if window.end - window.cursor < needed, !window.ended {
        try window.require(needed)
      } else if byte == Self.backslash {
        do throws(EscapeFault) { _ = try Self.unescape(&window.cursor) } catch {
          if error != .loneSurrogate { throw badEscape() }
        }
      } else {
        let length = byte >= 0x80 ? UTF8Sequence.length(at: window.cursor) : 0
        if length == 0 { throw badByte() }
        window.cursor += length
      }
    }
  }

  /// The fault of the escape at the cursor.
  private func badEscape() -> FeedFault {
    let length = window.cursor[1] == UInt8(ascii: "u") ? 6 : 2
    if window.end - window.cursor < length {
      return FeedFault(.truncated, "the document ends inside an escape", at: position)
    }
    return unexpected("an escape")
  }

  /// The fault of a byte that may not stand in a text.
  private func badByte() -> FeedFault {
    if window.cursor.pointee >= 0x80 {
      if UTF8Sequence.isCut(at: window.cursor, before: window.end) {
        return FeedFault(.truncated, "the document ends inside a character", at: position)
      }
      return FeedFault(.encoding, "\(seen()) is not UTF-8", at: position)
    }
    return unexpected("the rest of a text")
  }

  /// Why an escape gives no scalar value.
  private enum EscapeFault: Error { case malformed, loneSurrogate }

  /// Reads the escape at `pointer` and moves behind it; a malformed one leaves it where it was.
  private static func unescape(
    _ pointer: inout UnsafeMutablePointer<UInt8>
  ) throws(EscapeFault) -> UInt32 {
    let plain: UInt8
    switch pointer[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = pointer[1]
    case UInt8(ascii: "n"): plain = 0x0A
    case UInt8(ascii: "r"): plain = 0x0D
    case UInt8(ascii: "t"): plain = 0x09
    case UInt8(ascii: "b"): plain = 0x08
    case UInt8(ascii: "f"): plain = 0x0C
    case UInt8(ascii: "u"):
      return try unescapeScalar(&pointer)
    default: throw .malformed
    }
    pointer += 2
    return UInt32(plain)
  }

  private static func unescapeScalar(
    _ pointer: inout UnsafeMutablePointer<UInt8>
  ) throws(EscapeFault) -> UInt32 {
    guard let unit = hexadecimal(pointer + 2) else { throw .malformed }
    switch unit {
    case 0xD800...0xDBFF:
      // A half that is not followed by its other half stands alone; what follows is read for itself.
      guard pointer[6] == backslash, pointer[7] == UInt8(ascii: "u"), let low = hexadecimal(pointer + 8),
        0xDC00...0xDFFF ~= low
      else {
        pointer += 6
        throw .loneSurrogate
      }
      pointer += 12
      return 0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    case 0xDC00...0xDFFF:
      pointer += 6
      throw .loneSurrogate
    default:
      pointer += 6
      return unit
    }
  }

  private static func hexadecimal(_ pointer: UnsafeMutablePointer<UInt8>) -> UInt32? {
    var value: UInt32 = 0
    for index in 0..<4 {
      let digit: UInt8
      switch pointer[index] {
      case let byte where byte &- UInt8(ascii: "0") <= 9: digit = byte &- UInt8(ascii: "0")
      case let byte where (byte | 0x20) &- UInt8(ascii: "a") <= 5:
        digit = (byte | 0x20) &- UInt8(ascii: "a") + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}
