import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct RowOrderTests {
  let map: SchemaMap
  let reader: RowReader

  init() throws {
    map = try SchemaMap(ZooSchema.schema)
    reader = RowReader(map)
    try reader.add("Keeper", ["name": .string("Bo")])
    try reader.add("Keeper", ["name": .string("Ada")])
    try reader.add("Animal", ["weight": .double(1), "name": .string("b"), "keeper": .reference(1)])
    try reader.add("Animal", ["weight": .double(-1), "name": .string("a"), "keeper": .reference(2)])
    try reader.add("Animal", ["name": .string("b\0"), "price": .decimal(-2)])
    try reader.add("Animal", ["weight": .double(1), "name": .string("B"), "price": .decimal(10)])
  }

  private func sorted(_ terms: String) throws -> [Number] {
    let animal = try map.entity("Animal")
    let order = try RowOrder(
      terms.isEmpty ? [] : SortTerm.list(parsing: terms), entity: animal, map: map)
    let rows = try reader.rows(of: "Animal")
    var places = Array(0..<rows.count)
    try order.sort(&places, of: rows, reader: reader)
    return places.map { rows.numbers[$0] }
  }

  @Test(
    arguments: [
      ("", [1, 2, 3, 4]),
      // Nil is lowest; equal rows follow the number in the direction of the last term.
      ("weight", [3, 2, 1, 4]), ("-weight", [4, 1, 2, 3]),
      ("name", [4, 2, 1, 3]), ("-name", [3, 1, 2, 4]), ("-weight,name", [4, 1, 2, 3]),
      ("weight,-name", [3, 2, 1, 4]), ("tame", [1, 2, 3, 4]), ("-tame", [4, 3, 2, 1]),
      ("price", [1, 2, 3, 4]), ("-price", [4, 3, 2, 1]),
      ("keeper.name", [3, 4, 2, 1]), ("-keeper.name,weight", [1, 2, 3, 4]),
      ("name[c]", [2, 1, 4, 3]), ("-name[c]", [3, 4, 1, 2]), ("keeper.name[cd],-name", [3, 4, 2, 1]),
      ("keeper.animals.@count", [3, 4, 1, 2]), ("-keeper.animals.weight.@max", [1, 2, 4, 3]),
    ] as [(String, [Number])])
  func `rows stand as the terms say`(_ terms: String, _ numbers: [Number]) throws {
    #expect(try sorted(terms) == numbers)
  }

  @Test(
    arguments: [
      ("wieght", ErrorCode.predicateUnknownPath), ("keeper", .predicateType),
      ("keeper.animals", .predicateToMany), ("weight[c]", .predicateType), ("name.x", .predicateUnknownPath),
    ] as [(String, ErrorCode)])
  func `terms that cannot sort are refused`(_ terms: String, _ code: ErrorCode) {
    let error = #expect(throws: BolideError.self) { try sorted(terms) }
    #expect(error?.code == code)
  }

  @Test func `descending keys are the ascending order backwards, for values of every type`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let animal = try map.entity("Animal")
    for property in animal.attributes {
      guard let column = property.column, let type = property.attribute?.type else { continue }
      for _ in 0..<25 {
        let values = (0..<2).map { _ in
          Int.random(in: 0...5, using: &random) == 0 ? Value.null : random.value(of: type)
        }
        let forward = try keys(values, column, SortTerm(property.name), animal)
        let backward = try keys(values, column, SortTerm(property.name, ascending: false), animal)
        let stored = values.map { $0.converted(to: type) ?? .null }
        let ascends = ValueOrder.compare(stored[0], stored[1]) != .orderedDescending
        #expect(forward == ascends, "seed \(seed): \(property.name) \(values)")
        #expect(backward == !ascends, "seed \(seed): \(property.name) \(values)")
      }
    }
  }

  /// Whether a row with the first value comes before one with the second; their numbers ascend.
  private func keys(
    _ values: [Value], _ column: Int, _ term: SortTerm, _ entity: EntityMap
  ) throws -> Bool {
    let order = try RowOrder([term], entity: entity, map: map)
    var batch = RowBatch(entity.format)
    for (index, value) in values.enumerated() {
      var builder = entity.defaults
      builder.set(column, value)
      builder.append(to: &batch, number: Number(index + 1))
    }
    var places = [1, 0]
    try order.sort(&places, of: batch, reader: reader)
    return places == [0, 1]
  }
}
