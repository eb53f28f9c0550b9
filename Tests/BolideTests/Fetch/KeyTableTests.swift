import Testing

@testable import Bolide

@Suite struct KeyTableTests {
  @Test func `keys keep the places in which they came, however many there are`() {
    var table = KeyTable()
    func place(_ key: [UInt8]) -> (place: Int, isNew: Bool) {
      key.withUnsafeBytes { table.place(of: $0) }
    }
    // Of every length around eight bytes, one the beginning of another, zeros included.
    var keys: [[UInt8]] = (0..<20).map { Array(repeating: 0, count: $0) }
    for number in 0..<5_000 { keys.append(Array("key \(number)".utf8) + [0, UInt8(number & 0xFF)]) }
    for round in 0..<2 {
      for (index, key) in keys.enumerated() {
        let (found, isNew) = place(key)
        #expect(found == index && isNew == (round == 0))
      }
    }
    #expect(table.count == keys.count)
    #expect(keys.indices.allSatisfy { Array(table[$0]) == keys[$0] })
  }
}
