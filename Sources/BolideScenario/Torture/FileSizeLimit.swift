import Foundation

/// A disk that is full, as far as this process's files go: the system refuses to let them grow.
enum FileSizeLimit {
  private static let room: UInt64 = 8 << 10

  /// Lets files grow to a little more than the largest one of a store.
  static func set(above path: String) {
    // The signal would end the process; without it the write fails.
    signal(SIGXFSZ, SIG_IGN)
    let sizes = ["", "-wal", "/data.mdb"].map { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        ? UInt64(status.st_size) : 0
    }
    change { $0.rlim_cur = rlim_t((sizes.max() ?? 0) + room) }
  }

  /// Lets files grow again.
  static func lift() { change { $0.rlim_cur = $0.rlim_max } }

  private static func change(_ body: (inout rlimit) -> Void) {
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
