import BolideStorage
import Foundation
import Testing

@testable import BolideLMDB

/// Keys longer than LMDB allows (rule V-6).
@Suite struct LongKeyTests {
  /// Texts about the lengths where keys are cut, each with neighbours that differ in the last byte.
  static let texts: [String] = {
    var texts: Set<String> = ["", "k"]
    for length in [400, 474, 476, 477, 478, 479, 480, 481, 510, 511, 512, 956, 957, 958, 960, 1437, 2_000] {
      let stem = String(repeating: "k", count: length - 1)
      texts.formUnion([stem, stem + "a", stem + "b", stem + "z", stem + "\u{0}"])
    }
    texts.formUnion((0..<200).map { String(repeating: "p", count: 1_000) + String($0) })
    texts.formUnion(["😀", "😁"].map { String(repeating: "😀", count: 199) + $0 })
    return texts.shuffled(using: &Self.random)
  }()
  nonisolated(unsafe) private static var random = SplitMix64(seed: 7)

  @Test func `every length is found, ordered and refused a second time`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let texts = Self.texts
    try store.insert(texts.map { ($0, $0) })
    let taken = try store.insert(texts.map { ($0, nil) }, from: 10_000)
    #expect(taken.map(\.holder) == Array(1...Number(texts.count)))
    let ordered = texts.indices.sorted { texts[$0] < texts[$1] }.map { Number($0 + 1) }
    try store.read { (snapshot) throws in
      #expect(try snapshot.holders(texts) == Array(1...Number(texts.count)))
      #expect(try snapshot.holders(texts.map { $0 + "x" }).allSatisfy { $0 == 0 })
      for index in 0...2 {
        let range = KeyRange.index(index, lower: nil, upper: nil)
        #expect(try snapshot.numbers(range) == ordered)
        #expect(try snapshot.numbers(range, backwards: true) == ordered.reversed())
        #expect(try snapshot.numbers(range, limit: 13) == ordered)
        #expect(try snapshot.numbers(range, backwards: true, limit: 13) == ordered.reversed())
        #expect(try snapshot.numbers(range, limit: 64, columns: ColumnSet()) == ordered)
      }
    }
  }

  @Test func `bounds lie where the texts lie`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let texts = Self.texts
    try store.insert(texts.map { ($0, $0) })
    let ordered = texts.indices.sorted { texts[$0] < texts[$1] }
    var random = SplitMix64(seed: 11)
    try store.read { (snapshot) throws in
      for _ in 0..<20 {
        let lower = texts[Int.random(in: texts.indices, using: &random)]
        let upper =
          texts[Int.random(in: texts.indices, using: &random)]
          + ["", "!"][Int.random(in: 0...1, using: &random)]
        let isInclusive = Bool.random(using: &random)
        let range = KeyRange.index(
          Int.random(in: 0...2, using: &random), lower: .init([.string(lower)], isInclusive: isInclusive),
          upper: .init([.string(upper)], isInclusive: !isInclusive))
        let expected = ordered.filter { place in
          let isAbove = isInclusive ? texts[place] >= lower : texts[place] > lower
          return isAbove && (isInclusive ? texts[place] < upper : texts[place] <= upper)
        }.map { Number($0 + 1) }
        #expect(try snapshot.numbers(range) == expected)
        #expect(try snapshot.numbers(range, backwards: true, limit: 50) == expected.reversed())
      }
    }
  }

  @Test func `equal long keys of rows go by number, also where the scan stops among them`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let long = String(repeating: "n", count: 1_500)
    try store.insert((0..<40).map { ("t\($0)", $0 % 2 == 0 ? long : long + "b") })
    let even = (1...40).filter { $0 % 2 == 1 }.map(Number.init)
    let odd = (1...40).filter { $0 % 2 == 0 }.map(Number.init)
    try store.read { (snapshot) throws in
      for limit in 1...6 {
        #expect(try snapshot.numbers(.index(1, lower: nil, upper: nil), limit: limit) == even + odd)
        #expect(
          try snapshot.numbers(.index(1, lower: nil, upper: nil), backwards: true, limit: limit)
            == (even + odd).reversed())
      }
    }
  }

  @Test func `deletes and updates take the nodes with them`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let stem = String(repeating: "p", count: 1_000)
    let texts = Self.texts + (200..<2_000).map { stem + String($0) }
    try store.insert(texts.map { ($0, $0) })
    let kept = (1...Number(texts.count)).filter { $0 % 3 == 0 }
    try store.write { try $0.delete((1...Number(texts.count)).filter { $0 % 3 != 0 }, of: 0) }
    try store.read { (snapshot) throws in
      let holders = try snapshot.holders(texts)
      #expect(holders == (1...Number(texts.count)).map { $0 % 3 == 0 ? $0 : 0 })
      #expect(try snapshot.numbers(.index(0, lower: nil, upper: nil)).sorted() == kept)
    }
    try store.write { (transaction) throws in
      var taken: [Taken] = []
      let rows = kept.map { (String?("s\($0)"), String?.none) }
      try transaction.update(
        Fixture.batch(rows, numbers: kept), of: 0, columns: ColumnSet([0, 1]), taken: &taken)
      #expect(taken.isEmpty)
    }
    #expect(try store.read { try $0.holders(kept.map { "s\($0)" }) } == kept)
    try store.close()
    // What is left is the entry that counts nodes.
    let file = try PageFile(fixture.path() + "/data.mdb")
    let nodes = file.databases(try file.newestMeta()).first { $0.name.elementsEqual("bolide.nodes".utf8) }
    #expect(nodes?.tree.entries == 1)
  }
}
