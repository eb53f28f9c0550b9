import Synchronization

/// Counts the pages and blocks that are alive in a store and its forks.
///
/// Forks share pages, so they share a pool; each page is counted once, however many states reach it.
final class PagePool: Sendable {
  private let pages = Atomic<Int>(0)

  /// How many pages are alive; a block of bytes counts as the pages it would fill.
  var livePages: Int { pages.load(ordering: .relaxed) }

  /// Takes memory for a page.
  @inline(__always)
  func allocate(byteCount: Int) -> UnsafeMutableRawPointer {
    pages.wrappingAdd(Self.pageCount(byteCount), ordering: .relaxed)
    return .allocate(byteCount: byteCount, alignment: 16)
  }

  /// Gives memory back.
  @inline(__always)
  func free(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    pages.wrappingSubtract(Self.pageCount(byteCount), ordering: .relaxed)
    memory.deallocate()
  }

  private static func pageCount(_ byteCount: Int) -> Int { (byteCount + Page.size - 1) / Page.size }
}

/// A count of owners at the start of a page or block, changed from any thread.
struct OwnerCount {
  private let location: UnsafeMutablePointer<Atomic<Int>>

  init(at memory: UnsafeMutableRawPointer) {
    location = memory.assumingMemoryBound(to: Atomic<Int>.self)
  }

  /// Starts with one owner.
  func start() { location.initialize(to: Atomic(1)) }

  /// Adds an owner.
  func increment() { location.pointee.wrappingAdd(1, ordering: .relaxed) }

  /// Removes an owner and says whether it was the last.
  func decrement() -> Bool {
    location.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// Bytes too long for a page: immutable, shared by every page that points to them.
struct Block {
  /// The owner count and the length.
  private static let headerLength = 16

  let base: UnsafeMutableRawPointer

  init(base: UnsafeMutableRawPointer) { self.base = base }

  /// Copies bytes into a new block with one owner.
  init(_ bytes: UnsafeRawBufferPointer, in pool: PagePool) {
    base = pool.allocate(byteCount: Self.headerLength + bytes.count)
    OwnerCount(at: base).start()
    base.storeBytes(of: bytes.count, toByteOffset: 8, as: Int.self)
    UnsafeMutableRawBufferPointer(start: base + Self.headerLength, count: bytes.count).copyMemory(from: bytes)
  }

  /// The bytes, valid while the block has an owner.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      start: base + Self.headerLength, count: base.load(fromByteOffset: 8, as: Int.self))
  }

  func retain() { OwnerCount(at: base).increment() }

  func release(in pool: PagePool) {
    guard OwnerCount(at: base).decrement() else { return }
    pool.free(base, byteCount: Self.headerLength + bytes.count)
  }
}
