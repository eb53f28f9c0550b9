import Foundation

/// Whether a file could grow: what tells a full disk from other failures to write, where the engine says less.
package enum FileRoom {
  /// So little room is none: engines grow their files by more.
  private static let least: UInt64 = 1 << 20

  /// Whether none is left: the file system is full, or the file has the size that the process may give it.
  package static func isUsedUp(_ path: String) -> Bool {
    var system = statvfs()
    if statvfs(path, &system) == 0, UInt64(system.f_bavail) * UInt64(system.f_frsize) < least { return true }
    var limit = rlimit()
    #if os(Linux)
      let code = getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      let code = getrlimit(RLIMIT_FSIZE, &limit)
    #endif
    var status = stat()
    guard code == 0, stat(path, &status) == 0 else { return false }
    return UInt64(limit.rlim_cur) < UInt64(status.st_size) + least
  }
}
