import BolideStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
  /// The kinds of faults, one error code each.
  package enum Kind: Hashable, Sendable, CaseIterable {
    /// Empty, HTML, an error body, another top level, or a member that must be there is not.
    case notTheFeed
    case syntax
    case truncated
    case encoding
    case depth
    case columnMissing
    case trailing
    /// A number longer than what is held in memory.
    case limit
    case unreadable

    /// The error code.
    package var code: ErrorCode {
      switch self {
      case .notTheFeed: .feedNotTheFeed
      case .syntax: .feedSyntax
      case .truncated: .feedTruncated
      case .encoding: .feedEncoding
      case .depth: .feedDepth
      case .columnMissing: .feedColumnMissing
      case .trailing: .feedTrailing
      case .limit: .feedLimit
      case .unreadable: .feedUnreadable
      }
    }
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

  /// The error that a user gets.
  ///
  /// - Parameter source: the document's name.
  package func error(in source: String) -> BolideError {
    let place = position.map { "\(source):\($0.line):\($0.column)" } ?? source
    var details: [String] = []
    if let position { details.append("at byte \(position.offset)") }
    return BolideError(
      kind.code, "\(place): \(message)", details: details,
      underlying: systemCode.map { .init(domain: "errno", code: $0, text: Self.words(of: $0)) },
      payload: position)
  }

  /// The operating system's words for an error number.
  package static func words(of code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
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
