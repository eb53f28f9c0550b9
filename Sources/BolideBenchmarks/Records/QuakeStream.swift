import CComparators

/// Records that are made while they are read, a piece at a time; none is kept.
final class QuakeStream {
  private let generator: QuakeGenerator
  private let rows: Int
  private let arena = Arena()
  private var next = 0

  init(_ generator: QuakeGenerator, rows: Int) {
    self.generator = generator
    self.rows = rows
  }

  /// Makes at most `room` records; their texts stay valid until the next call.
  func fill(_ quakes: UnsafeMutablePointer<cmp_quake>, room: Int) -> Int {
    arena.reset()
    let count = min(room, rows - next)
    for place in 0..<count {
      generator.fill(&quakes[place], index: next + place, changed: false, arena: arena)
    }
    next += count
    return count
  }
}
