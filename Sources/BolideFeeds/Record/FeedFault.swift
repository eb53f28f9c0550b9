/// A place in a document.
public struct FeedPosition: Hashable, Sendable, Codable {
  /// The number of bytes before it.
  public let offset: Int
  /// The line, from 1.
  public let line: Int
  /// The column in bytes, from 1.
  public let column: Int

  /// Creates a place from its parts.
  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }
}

/// Why a document is refused as a whole.
package struct FeedFault: Error, Hashable, Sendable {
  /// The kinds of faults; the raw value is the error's code.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Empty, HTML, an error body, another top level, or a member that must be there is not.
    case notTheFeed = "feed.not-the-feed"
    case syntax = "feed.syntax"
    case truncated = "feed.truncated"
    case encoding = "feed.encoding"
    case depth = "feed.depth"
    case columnMissing = "feed.column-missing"
    case trailing = "feed.trailing"
    /// A number, or a heading, longer than what is held in memory.
    case limit = "feed.limit"
    case unreadable = "feed.unreadable"
  }

  package var kind: Kind
  package var message: String
  package var position: FeedPosition?
  /// The system's error number, where the operating system said no.
  package var systemCode: Int32?

  package init(
    _ kind: Kind, _ message: String, at position: FeedPosition? = nil, systemCode: Int32? = nil
  ) {
    self.kind = kind
    self.message = message
    self.position = position
    self.systemCode = systemCode
  }
}

/// Shows bytes in a message: ASCII as it is, everything else escaped.
func excerpt(_ bytes: some Sequence<UInt8>, limit: Int = 60) -> String {
  var text = ""
  for byte in bytes.prefix(limit) {
    switch byte {
    case 0x0A: text += "\\n"
    case 0x0D: text += "\\r"
    case 0x09: text += "\\t"
    case 0x20...0x7E: text.unicodeScalars.append(Unicode.Scalar(byte))
    default: text += "\\x" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
  }
  return text
}
