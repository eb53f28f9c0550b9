import Foundation

/// The bytes of a batch's rows: room that grows without being filled or, where the system can help it, copied.
///
/// Only a batch that alone refers to an arena writes to it, which is why it may be sent.
@usableFromInline
final class RowArena: @unchecked Sendable {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let capacity: Int
  /// Whether the bytes went to a larger arena.
  private var isMoved = false

  private init(base: UnsafeMutableRawPointer, capacity: Int) {
    self.base = base
    self.capacity = capacity
  }

  convenience init(capacity: Int) {
    self.init(base: .allocate(byteCount: capacity, alignment: 16), capacity: capacity)
  }

  deinit { if !isMoved { free(base) } }

  /// Makes a larger arena of this one, which its only owner gives up.
  func grown(to capacity: Int, keeping count: Int) -> RowArena {
    guard let base = realloc(self.base, capacity) else {
      let copy = RowArena(capacity: capacity)
      copy.base.copyMemory(from: self.base, byteCount: count)
      return copy
    }
    isMoved = true
    return RowArena(base: base, capacity: capacity)
  }
}
