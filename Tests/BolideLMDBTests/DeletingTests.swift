import BolideStorage
import Foundation
import Testing

@testable import BolideLMDB

/// Deletes of many rows take entries out of each index in its order.
@Suite struct DeletingTests {
  /// Words whose keys are short, long or nil, and whose notes several share.
  private static func word(_ number: Int) -> (String?, String?) {
    let text = String(number * 7_919 % 100_003)
    let stem = number.isMultiple(of: 501) ? String(repeating: "k", count: 900) : ""
    return (
      number.isMultiple(of: 97) ? nil : stem + text, number.isMultiple(of: 3) ? nil : String(number % 50)
    )
  }

  private func entries(_ snapshot: any Snapshot) throws -> [[Number]] {
    try (0...2).map { try snapshot.numbers(.index($0, lower: nil, upper: nil)).sorted() }
  }

  @Test func `rows go with all their entries, and their keys can be had again`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let count = 3_000
    try store.insert((1...count).map(Self.word))
    let doomed = (1...count).filter { $0 % 5 != 0 }.map(Number.init)
    let staying = (1...count).filter { $0 % 5 == 0 }.map(Number.init)
    try store.write { transaction in
      // Numbers that are not there, or come twice, are skipped.
      try transaction.delete(doomed.shuffled() + [99_999, doomed[0]], of: 0)
      #expect(try transaction.count(of: 0) == staying.count)
    }
    try store.read { (snapshot) throws in
      #expect(try snapshot.numbers() == staying)
      #expect(try entries(snapshot) == [staying, staying, staying])
    }
    #expect(try store.insert(doomed.map { Self.word(Int($0)) }, from: 10_000).isEmpty)
    #expect(
      try store.insert(staying.map { Self.word(Int($0)) }, from: 20_000).count
        == staying.count { $0 % 97 != 0 })
    try store.close()
  }

  @Test func `more rows than are gathered at a time`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    let count = 70_000
    try store.insert((1...count).map { (String($0 * 7_919 % 100_003), String($0 % 50)) })
    try store.write { try $0.delete((1...count).filter { $0 % 700 != 0 }.map(Number.init), of: 0) }
    let staying = (1...count).filter { $0 % 700 == 0 }.map(Number.init)
    try store.read { (snapshot) throws in #expect(try entries(snapshot) == [staying, staying, staying]) }
    try store.close()
  }

  @Test func `released rows are deleted without the keys that others took`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", "x"), ("b", "y"), ("c", "z")])
    try store.write { transaction in
      try transaction.release([1, 2], of: 0)
      var taken: [Taken] = []
      _ = try transaction.insert(Fixture.batch([("a", "new")]), of: 0, numberedFrom: 4, taken: &taken)
      #expect(taken.isEmpty)
      try transaction.delete([1, 2, 3], of: 0)
    }
    try store.read { (snapshot) throws in
      #expect(try snapshot.numbers() == [4])
      #expect(try entries(snapshot) == [[4], [4], [4]])
      #expect(try snapshot.holders(["a", "b", "c"]) == [4, 0, 0])
    }
    try store.close()
  }
}
