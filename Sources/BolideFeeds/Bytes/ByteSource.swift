#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a document's bytes come from, a piece at a time.
package protocol ByteSource: AnyObject {
  /// Reads at most `target.count` bytes; 0 means that the document has ended.
  func read(into target: UnsafeMutableRawBufferPointer) throws(FeedFault) -> Int

  /// Starts again from the first byte; false where that cannot be done (a pipe).
  func rewind() -> Bool
}

/// The bytes of one file, read with plain system calls.
package final class FileByteSource: ByteSource {
  private let descriptor: Int32

  /// Opens a file for reading.
  ///
  /// - Throws: `feed.unreadable` when the file is missing, is a folder or may not be read.
  package init(path: String) throws(FeedFault) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Self.unreadable(errno) }
  }

  deinit {
    // A failed open leaves no descriptor behind.
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// The file's size in bytes, or nil where it has none (a pipe).
  package var size: Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  package func read(into target: UnsafeMutableRawBufferPointer) throws(FeedFault) -> Int {
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, target.baseAddress, target.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, target.baseAddress, target.count)
      #else
        let count = Darwin.read(descriptor, target.baseAddress, target.count)
      #endif
      if count >= 0 { return count }
      if errno != EINTR { throw Self.unreadable(errno) }
    }
  }

  package func rewind() -> Bool { lseek(descriptor, 0, SEEK_SET) == 0 }

  private static func unreadable(_ code: Int32) -> FeedFault {
    FeedFault(.unreadable, "the file cannot be read: \(FeedFault.words(of: code))", systemCode: code)
  }
}

/// A document that is already in memory, handed out in pieces of a chosen size.
package final class MemoryByteSource: ByteSource {
  private let bytes: [UInt8]
  private let piece: Int
  private var position = 0

  /// - Parameter piece: the most that one read returns; small pieces imitate a slow connection.
  package init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = max(1, piece)
  }

  package func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(target.count, piece, bytes.count - position)
    if count > 0 {
      target.copyBytes(from: bytes[position..<position + count])
      position += count
    }
    return count
  }

  package func rewind() -> Bool {
    position = 0
    return true
  }
}
