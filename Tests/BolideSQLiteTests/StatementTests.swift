import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// Statements that are kept from call to call.
@Suite struct StatementTests {
  @Test func `more sets of columns than statements are kept make no difference`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    let fireball = FireballWatch.fireball
    try store.write { try $0.insert((1...3).map(FireballWatch.sighting), into: 0, fireball, from: 1) }
    let transaction = try store.begin(until: .now + .seconds(30))
    defer { transaction.rollback() }
    var rows = (1...3).map(FireballWatch.sighting)
    for bits in UInt64(0)..<256 {
      let columns = ColumnSet(low: bits)
      // One row changes in these columns, unless the key of another would be taken by it.
      var changed = rows[1]
      for column in columns.members { changed[column] = FireballWatch.sighting(Int(bits) + 10)[column] }
      var refused = rows[2]
      if columns.contains(1) { refused[1] = rows[0][1] }
      var taken: [Taken] = []
      try transaction.update(
        RowBatch([changed, refused], fireball.format, numbers: [2, 3]), of: 0, columns: columns, taken: &taken
      )
      #expect(taken == (columns.contains(1) ? [Taken(row: 1, index: 0, holder: 1)] : []))
      rows[1] = changed

      var found = RowBatch(fireball.format)
      var place: Place?
      try transaction.rows([3, 2, 1], of: 0, columns: columns, into: &found)
      try transaction.find(
        RowBatch(rows, fireball.format), of: 0, by: 0, columns: columns, into: &found)
      try transaction.scan(
        .all, of: 0, backwards: false, from: &place, limit: 5, columns: columns, into: &found)
      #expect(found.numbers == [3, 2, 1, 1, 2, 3, 1, 2, 3])
      for (values, number) in zip(found.values, found.numbers) {
        for column in columns.members { #expect(values[column] == rows[Int(number) - 1][column]) }
      }
    }
  }

  @Test func `many rows are deleted as few are`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    defer { try? store.close() }
    let fireball = FireballWatch.fireball
    try store.write { try $0.insert((1...60).map(FireballWatch.sighting), into: 0, fireball, from: 1) }
    // Once for each number of rows, so that the kept statements are used again; unknown and repeated numbers are skipped.
    for numbers in [[1], [2, 3, 99], Array(4...20), [20, 20] + Array(21...40) + [5_000], Array(41...48)] {
      try store.write { try $0.delete(numbers.map(Number.init), of: 0) }
    }
    #expect(try store.read { try $0.count(of: 0) } == 12)
    let transaction = try store.begin(until: .now + .seconds(30))
    defer { transaction.rollback() }
    let rest = (49...60).map(Number.init)
    try transaction.release(rest, of: 0)
    var taken: [Taken] = []
    let row = RowBatch([FireballWatch.sighting(60)], fireball.format, numbers: [60])
    try transaction.update(row, of: 0, columns: .all(fireball.columns.count), taken: &taken)
    try transaction.delete(Array(rest.dropLast()), of: 0)
    #expect(try transaction.count(of: 0) == 1)
    // Nothing is left released, or the commit would refuse.
    _ = try transaction.commit(pinning: false)
  }

  @Test func `a change of the layout that makes no table is noticed, and a change by others is not one`()
    throws
  {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let other = try folder.open(layout: nil)
    try Shell.run("CREATE TABLE notes (text); DROP TABLE notes", on: folder.store)
    #expect(try other.read { try $0.count(of: 0) } == 0)
    var layout = store.layout
    layout.epoch += 1
    layout.tables[0].properties[0] = "height"
    try store.write { try $0.change(layout) }
    #expect(throwing(.storeSchemaChanged) { try other.snapshot() })
    #expect(try store.read { try $0.count(of: 0) } == 0)
    try other.close()
    try store.close()
  }
}
