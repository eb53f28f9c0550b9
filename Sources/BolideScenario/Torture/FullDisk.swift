import Foundation

/// How files are kept from growing for a while.
package enum FullDisk: String, Hashable, Sendable, CaseIterable {
  /// A file takes all the room of the small file system that the store is on.
  case ballast
  /// The system refuses to let the files of this process grow: a full disk as far as they go.
  case sizeLimit = "limit"

  /// What a run calls it.
  package var text: String {
    switch self {
    case .ballast: "on a small file system"
    case .sizeLimit: "by a limit of the size of files"
    }
  }

  /// Leaves the store at a path a few kilobytes to grow, until ``end(for:)``.
  package func begin(for path: String) throws {
    switch self {
    case .ballast: try Self.fill(Self.ballast(beside: path))
    case .sizeLimit:
      // The signal would end the process; without it the write fails.
      signal(SIGXFSZ, SIG_IGN)
      let sizes = ["", "-wal", "/data.mdb"].map { suffix in
        var status = stat()
        return stat(path + suffix, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
          ? UInt64(status.st_size) : 0
      }
      Self.changeLimit { $0.rlim_cur = rlim_t((sizes.max() ?? 0) + Self.room) }
    }
  }

  /// Makes room again.
  package func end(for path: String) {
    switch self {
    case .ballast: unlink(Self.ballast(beside: path))
    case .sizeLimit: Self.changeLimit { $0.rlim_cur = $0.rlim_max }
    }
  }

  /// What is left to a store.
  private static let room: UInt64 = 8 << 10

  // MARK: Ballast

  private static func ballast(beside path: String) -> String {
    URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: "ballast").path
  }

  /// Makes a file that takes the room of its file system but for a little.
  private static func fill(_ path: String) throws {
    let descriptor = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 0, count: Int(room))
    var size = 0
    while true {
      let count = write(descriptor, block, block.count)
      if count <= 0 { break }
      size += count
    }
    guard errno == ENOSPC else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    ftruncate(descriptor, off_t(max(0, size - Int(room))))
  }

  // MARK: The limit

  private static func changeLimit(_ body: (inout rlimit) -> Void) {
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limit = rlimit()
    getrlimit(resource, &limit)
    body(&limit)
    setrlimit(resource, &limit)
  }
}
