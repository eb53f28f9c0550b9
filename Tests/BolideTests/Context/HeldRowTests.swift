import Testing

@testable import Bolide

/// Rows that share memory: each stays as it is, whatever comes after it and whichever of them is let go.
@Suite struct HeldRowTests {
  private func bytes(of row: HeldRow) -> [UInt8] { row.withUnsafeBytes { [UInt8]($0) } }

  @Test func `rows of many lengths stay as they are while others are added`() {
    let rows = (0..<600).map { index in
      (0..<(8 + index * 37 % 900)).map { UInt8(truncatingIfNeeded: index &* 31 &+ $0) }
    }
    var shelf = RowShelf(expecting: rows.count)
    let held = rows.map { row in row.withUnsafeBytes { shelf.keep($0) } }
    for (row, kept) in zip(rows, held) { #expect(bytes(of: kept) == row) }
  }

  @Test func `a row outlives the others and the shelf`() {
    var last = HeldRow()
    do {
      var shelf = RowShelf(expecting: 3)
      for value in 1...3 as ClosedRange<UInt8> {
        last = [UInt8](repeating: value, count: 100).withUnsafeBytes { shelf.keep($0) }
      }
    }
    #expect(bytes(of: last) == [UInt8](repeating: 3, count: 100))
  }

  @Test func `more rows than were expected, and rows longer than a block, are kept, too`() {
    var shelf = RowShelf(expecting: 1)
    let long = [UInt8](repeating: 7, count: 10_000)
    let held = (0..<5).map { _ in long.withUnsafeBytes { shelf.keep($0) } }
    for row in held { #expect(bytes(of: row) == long) }
  }

  @Test func `no row is none`() {
    #expect(!HeldRow().isPresent)
    #expect(bytes(of: HeldRow()).isEmpty)
    #expect([UInt8](repeating: 0, count: 8).withUnsafeBytes { HeldRow($0) }.isPresent)
  }
}
