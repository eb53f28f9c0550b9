import Foundation

/// How much address space a memory map may take.
///
/// Pages are taken from the file only as it grows, so a large map costs nothing but addresses.
enum MapSize {
  private static let smallest = 1 << 30

  /// 1 TiB, halved until the system grants it, but not below 1 GiB.
  static func largest() -> Int {
    var size = 1 << 40
    while size > smallest, !isAvailable(size) { size /= 2 }
    return size
  }

  /// Whether the system would grant a map of that size now.
  static func isAvailable(_ size: Int) -> Bool {
    #if os(Linux)
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANON
    #endif
    guard let address = mmap(nil, size, PROT_NONE, flags, -1, 0), address != MAP_FAILED else { return false }
    munmap(address, size)
    return true
  }
}
