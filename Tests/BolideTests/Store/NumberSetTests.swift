import Bolide
import BolideStorage
import Testing

@Suite struct NumberSetTests {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `it holds what a plain set holds`(seed: UInt64) {
    let source = SeededSource(seed: seed)
    var set = NumberSet()
    var plain: Set<Number> = []
    for _ in 0..<4000 {
      let number = Number(source.next() % 3000) + (source.next() % 8 == 0 ? 1 << 40 : 1)
      if source.next() % 3 == 0 {
        #expect(set.remove(number) == (plain.remove(number) != nil), "seed \(seed)")
      } else {
        #expect(set.insert(number) == plain.insert(number).inserted, "seed \(seed)")
      }
    }
    #expect(set.numbers == plain.sorted(), "seed \(seed)")
    #expect(set.count == plain.count)
    let ranges = set.ranges
    for (left, right) in zip(ranges, ranges.dropFirst()) { #expect(left.upperBound + 1 < right.lowerBound) }
  }

  @Test func `union and difference count what they change`() {
    var left = NumberSet(1...1000)
    left.formUnion(NumberSet(900...1100))
    #expect(left.count == 1100 && left.ranges == [1...1100])
    left.subtract(NumberSet(stride(from: 2, through: 1100, by: 2)))
    #expect(left.count == 550 && left.contains(1099) && !left.contains(1100))
  }

  @Test func `words that are full are one range`() {
    #expect(NumberSet(0...4095).ranges == [0...4095])
    #expect(NumberSet(63...64).ranges == [63...64])
    #expect(NumberSet(511...512).ranges == [511...512])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `successive numbers are added as one by one`(seed: UInt64) {
    let source = SeededSource(seed: seed)
    var set = NumberSet()
    var plain: Set<Number> = []
    for _ in 0..<200 {
      let first = Number(source.next() % 5000) + 1
      let range = first..<(first + Number(source.next() % 1200))
      set.insert(range)
      plain.formUnion(range)
      #expect(set.count == plain.count, "seed \(seed), \(range)")
    }
    #expect(set.numbers == plain.sorted(), "seed \(seed)")
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `numbers added together are added as one by one`(seed: UInt64) {
    let source = SeededSource(seed: seed)
    var set = NumberSet()
    var plain: Set<Number> = []
    for _ in 0..<100 {
      let numbers = (0..<source.next() % 90).map { _ in Number(source.next() % 2_000) + 1 }
      set.insert(contentsOf: source.next().isMultiple(of: 2) ? numbers : numbers.sorted())
      plain.formUnion(numbers)
      #expect(set.count == plain.count, "seed \(seed)")
    }
    #expect(set.numbers == plain.sorted(), "seed \(seed)")
  }

  @Test func `ids are made from ranges by position`() {
    let id = SeededSource(seed: 9).uuid()
    let ids = ManagedObjectIDs(
      storeID: id, [("B", NumberSet([7, 8, 20])), ("A", NumberSet([3]))])
    #expect(ids.map(\.description) == ["A#3", "B#7", "B#8", "B#20"])
    #expect(ids[2].uri == "bolide://\(id.uuidString.lowercased())/B/8")
    #expect(ManagedObjectID(uri: ids[2].uri) == ids[2])
    #expect(ManagedObjectID(uri: "bolide://x/B/8") == nil)
  }
}
