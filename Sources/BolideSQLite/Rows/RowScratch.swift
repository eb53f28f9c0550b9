/// Memory in which one row after another is put together; it grows as rows need it.
final class RowScratch {
  private(set) var bytes: UnsafeMutableRawPointer
  private(set) var capacity: Int

  init() {
    capacity = 1024
    bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
  }

  deinit { bytes.deallocate() }

  /// Makes room for `count` bytes, of which the first `used` are kept.
  func reserve(_ count: Int, used: Int) {
    guard count > capacity else { return }
    let larger = max(count, capacity * 2)
    let target = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    target.copyMemory(from: bytes, byteCount: used)
    bytes.deallocate()
    bytes = target
    capacity = larger
  }
}
