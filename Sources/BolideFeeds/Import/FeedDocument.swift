/// A document of a feed, and its name for messages.
public struct FeedDocument: Sendable {
  private enum Content: Sendable {
    case file(String)
    case bytes([UInt8])
  }

  /// What messages call the document.
  public let name: String
  private let content: Content

  /// A file, read in pieces while it is imported; a pipe will do.
  public static func file(_ path: String) -> FeedDocument {
    FeedDocument(name: path, content: .file(path))
  }

  /// Bytes that are in memory already.
  public static func bytes(_ bytes: [UInt8], named name: String) -> FeedDocument {
    FeedDocument(name: name, content: .bytes(bytes))
  }

  /// Opens the document at its first byte.
  func open() throws(FeedFault) -> (source: any ByteSource, size: Int?) {
    switch content {
    case .bytes(let bytes): return (MemoryByteSource(bytes), bytes.count)
    case .file(let path):
      let file = try FileByteSource(path: path)
      return (file, file.size)
    }
  }
}
