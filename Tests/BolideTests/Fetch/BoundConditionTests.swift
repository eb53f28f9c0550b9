import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct BoundConditionTests {
  let map: SchemaMap
  let reader: RowReader

  init() throws {
    map = try SchemaMap(ZooSchema.schema)
    reader = RowReader(map)
    try reader.add("Keeper", ["name": .string("Ada"), "age": .int(41)])
    try reader.add("Keeper", ["name": .string("Bo")])
    try reader.add(
      "Animal",
      [
        "name": .string("Zoë"), "weight": .double(2.5), "legs": .int(4), "tame": .bool(true),
        "born": .date(Date(timeIntervalSinceReferenceDate: 0.1)),
        "price": .decimal(Decimal(string: "1.10") ?? 0),
        "ratio": .float(0.1), "tag": .binary([1, 2]), "page": .uri("x:a"),
        "id": .uuid(UUID(uuid: (9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))), "keeper": .reference(1),
      ])
    try reader.add("Animal", ["name": .string(""), "weight": .double(-1), "legs": .int(0)])
    try reader.add("Animal", ["keeper": .reference(2)])
  }

  /// The numbers of the animals a predicate holds for.
  private func matches(_ text: String) throws -> [Number] {
    let animal = try map.entity("Animal")
    let condition = try Condition(parsing: text, in: EntityScope(animal, in: map))
    let bound = try BoundCondition(condition, entity: animal, map: map)
    return try reader.numbers(of: "Animal", meeting: bound)
  }

  @Test(
    arguments: [
      ("TRUEPREDICATE", [1, 2, 3]), ("FALSEPREDICATE", []),
      // Equality is Swift's on optionals, any other operator with nil is false, NOT is exact (V-5).
      ("weight == nil", [3]), ("weight != nil", [1, 2]), ("weight == 2.5", [1]), ("weight != 2.5", [2, 3]),
      ("weight < 3", [1, 2]), ("NOT weight < 3", [3]), ("weight > nil", []),
      ("NOT weight >= nil", [1, 2, 3]),
      ("3 > weight", [1, 2]), ("nil == weight", [3]),
      ("weight IN {2.5, nil}", [1, 3]), ("weight IN {}", []), ("weight NOT IN {2.5}", [2, 3]),
      ("legs BETWEEN {0, 3}", [2]), ("legs > 2.0", [1]), ("legs IN {4, 5}", [1]),
      ("legs > -99999999999", [1, 2]),
      ("name == \"Zoe\\u0308\"", [1]), ("name < 'a'", [1, 2]), ("name == ''", [2]),
      ("name IN {'', 'b'}", [2]),
      ("name >= 'Zo'", [1]), ("name != 'q'", [1, 2, 3]),
      ("tame == true", [1]), ("tame == 1", [1]), ("tame != true", [2, 3]), ("tame IN {TRUE}", [1]),
      ("born == 2001-01-01T00:00:00.1Z", [1]), ("born > '2001-01-01'", [1]), ("born < @inf", [1]),
      ("price == 1.1", [1]), ("price > 1.0999999999999999999999", [1]), ("price IN {1.10}", [1]),
      ("price < 2", [1]),
      ("ratio == 0.1", [1]), ("ratio IN {0.1}", [1]), ("weight > ratio", [1]), ("ratio < weight", [1]),
      ("ratio != weight", [1, 2]), ("ratio == weight", [3]),
      ("tag == 0x0102", [1]), ("tag > 0x01", [1]), ("tag < 0x010200", [1]), ("page == 'x:a'", [1]),
      ("id == 09000000-0000-0000-0000-000000000001", [1]), ("id > 08ffffff-ffff-ffff-ffff-ffffffffffff", [1]),
      ("weight < legs + 0", nil), ("1 == 1", [1, 2, 3]), ("1 < 1.5", [1, 2, 3]), ("nil == nil", [1, 2, 3]),
      ("1 > nil", []), ("'a' == 'b'", []),
      ("SELF == Animal#2", [2]), ("SELF != Animal#2", [1, 3]), ("SELF IN {#1, #3, #9}", [1, 3]),
      ("keeper == nil", [2]), ("keeper == Keeper#1", [1]), ("keeper IN {#2}", [3]),
      ("keeper != Keeper#1", [2, 3]),
      ("keeper.name == 'Ada'", [1]), ("keeper.name == nil", [2]), ("keeper.age > 40", [1]),
      ("keeper.age == nil", [2, 3]), ("keeper.name IN {'Bo', null}", [2, 3]), ("keeper.name < name", [1]),
      ("weight < weight", []), ("legs == legs", [1, 2, 3]),
      ("keeper.boss.name == nil", [1, 2, 3]),
      ("name == 'Zoë' AND (legs == 0 OR legs == 4) AND NOT tame == false", [1]),
    ] as [(String, [Number]?)])
  func `rows are found as the rules say`(_ text: String, _ numbers: [Number]?) throws {
    guard let numbers else {
      #expect(throws: BolideError.self) { try matches(text) }
      return
    }
    #expect(try matches(text) == numbers)
  }

  @Test(
    arguments: [
      ("name CONTAINS 'o'", [1]), ("name BEGINSWITH 'Zo'", [1]), ("name ENDSWITH 'ë'", [1]),
      ("name ENDSWITH 'e'", []), ("name ENDSWITH[d] 'e'", [1]), ("name BEGINSWITH[c] 'zO'", [1]),
      ("name CONTAINS ''", [1, 2]), ("NOT name CONTAINS ''", [3]), ("name CONTAINS nil", []),
      ("name LIKE 'Z??'", [1]), ("name LIKE[cd] 'z*E'", [1]), ("name ==[cd] 'ZOE'", [1]),
      ("name !=[cd] 'ZOE'", [2, 3]), ("name ==[c] nil", [3]), ("name IN[cd] {'zoe', nil}", [1, 3]),
      ("name IN[c] {'zoe', ''}", [2]), ("name >[c] 'zo'", [1]), ("name <[cd] 'zof'", [1, 2]),
      ("'Zoë Ada' CONTAINS name", [1, 2]), ("'ZOË' BEGINSWITH[c] name", [1, 2]), ("page LIKE '?:*'", [1]),
      ("name CONTAINS keeper.name", []), ("keeper.name CONTAINS[c] 'A'", [1]),
      ("'abc' LIKE 'a*'", [1, 2, 3]),
    ] as [(String, [Number])])
  func `texts are looked into`(_ text: String, _ numbers: [Number]) throws {
    #expect(try matches(text) == numbers)
  }

  @Test(
    arguments: [
      ("ANY animals.weight > 2", [1]), ("ALL animals.weight > 2", [3]), ("NONE animals.weight > 2", [2, 3]),
      ("ANY animals.weight == nil", [1, 2]), ("ALL animals.name == nil", [2, 3]),
      ("ANY animals == Animal#3", [2]), ("animals CONTAINS Animal#4", [1]), ("Animal#1 IN animals", [1]),
      ("ANY animals IN {#1, #3}", [1, 2]), ("NOT ANY animals.legs == 4", [2, 3]),
      ("ANY animals (weight > 2 AND legs == 4)", [1]), ("ANY animals (weight > legs + 1)", nil),
      ("ANY animals (SELF == Animal#1 OR keeper == Keeper#2)", [1, 2]),
      ("ANY animals.keeper.name == 'Ada'", [1]),
      ("ANY animals.keeper == Keeper#2", [2]), ("ANY animals.name ==[cd] 'zoe'", [1]),
      ("ANY animals.weight BETWEEN {2, 3}", [1]), ("ANY animals.weight NOT IN {2.5}", [1, 2]),
      ("ALL animals (ANY keeper.animals.legs == 4)", [1, 3]), ("ANY boss.animals.legs == 4", [3]),
      ("ANY staff.animals.name == nil", []), ("ANY staff.staff.name == 'x'", []),
      ("animals.@count == 2", [1]), ("animals.@count < 2 AND animals.@count > 0", [2]),
      ("animals.weight.@sum == 2.5", [1]), ("animals.weight.@sum == 0", [2, 3]),
      ("animals.weight.@avg == nil", [2, 3]), ("animals.weight.@min == animals.weight.@max", [1, 2, 3]),
      ("animals.name.@max == 'Zoë'", [1]), ("animals.legs.@avg == 3", [1]),
      ("animals.price.@sum == 1.1", [1]),
      ("boss.animals.@count == 2", [3]), ("boss.animals.@sum.legs == 6", [3]),
      ("animals.legs.@max IN {4}", [1]),
      ("animals.keeper.age.@max == 41", [1]), ("age > animals.@count", [1]),
    ] as [(String, [Number]?)])
  func `members of to-many relationships are asked`(_ text: String, _ numbers: [Number]?) throws {
    try reader.add("Keeper", ["name": .string("Cy"), "boss": .reference(1)])
    try reader.add("Animal", ["legs": .int(2), "keeper": .reference(1)])
    let keeper = try map.entity("Keeper")
    func keepers() throws -> [Number] {
      let bound = try BoundCondition(
        Condition(parsing: text, in: EntityScope(keeper, in: map)), entity: keeper, map: map)
      return try reader.numbers(of: "Keeper", meeting: bound)
    }
    guard let numbers else {
      #expect(throws: BolideError.self) { try keepers() }
      return
    }
    #expect(try keepers() == numbers)
  }

  @Test func `a sum out of range is an error`() throws {
    for _ in 0..<2 { try reader.add("Keeper", ["boss": .reference(1), "age": .int(Int64(Int32.max))]) }
    let keeper = try map.entity("Keeper")
    let bound = try BoundCondition(
      Condition(parsing: "staff.age.@sum == 4294967294"), entity: keeper, map: map)
    #expect(try reader.numbers(of: "Keeper", meeting: bound) == [1])
  }

  @Test func `the other side of a one-to-one is followed`() throws {
    // Badge holds the reference, so Keeper finds its badge by the index.
    try reader.add("Badge", ["text": .string("chief"), "keeper": .reference(2)])
    let keeper = try map.entity("Keeper")
    let scope = EntityScope(keeper, in: map)
    func keepers(_ text: String) throws -> [Number] {
      let bound = try BoundCondition(
        Condition(parsing: text, in: scope), entity: keeper, map: map)
      return try reader.numbers(of: "Keeper", meeting: bound)
    }
    #expect(try keepers("badge.text == 'chief'") == [2])
    #expect(try keepers("badge == nil") == [1])
    #expect(try keepers("badge.keeper.name == 'Bo'") == [2])
    #expect(try keepers("badge == Badge#1") == [2])
  }

  @Test(
    arguments: [
      ("wieght > 1", ErrorCode.predicateUnknownPath, 1, "did you mean weight?"),
      ("legs == 1 AND keeper.nam == 'x'", .predicateUnknownPath, 15, "Keeper has no property nam"),
      ("name.first == 'x'", .predicateUnknownPath, 1, "is an attribute"),
      ("keeper.animals == nil", .predicateToMany, 1, "Keeper.animals is to-many"),
      ("weight CONTAINS 'a'", .predicateType, 17, "CONTAINS is about texts, but weight is of type double"),
      ("legs ==[c] 3", .predicateType, 12, "==[c] is about texts"),
      ("born IN[c] {}", .predicateType, 1, "IN[c]"),
      ("keeper.animals CONTAINS 'a'", .predicateToMany, 1, "to-many"),
      ("ANY keeper.name == 'a'", .predicateType, 5, "keeper.name has no to-many relationship on its way"),
      ("ANY keeper.animals.weight == 'a'", .predicateType, 30, "keeper.animals.weight is of type double"),
      ("ANY keeper.animals (wieght > 1)", .predicateUnknownPath, 21, "did you mean weight?"),
      ("ANY keeper.animals.name (x == 1)", .predicateUnknownPath, 26, "leads nowhere"),
      ("ANY keeper.animals > 3", .predicateType, 22, "is an object of Animal"),
      ("keeper.animals.@sum > 1", .predicateType, 1, "keeper.animals.@sum is asked of values an object"),
      ("keeper.animals.name.@avg > 1", .predicateType, 1, "of type string"),
      ("weight.@sum > 1", .predicateType, 1, "no to-many relationship on its way"),
      ("@count > 1", .predicateType, 1, "no to-many relationship on its way"),
      ("keeper.animals.keeper.@count > 1", .predicateType, 1, "does not count a to-many"),
      ("weight == 'heavy'", .predicateType, 11, "weight is of type double"),
      ("legs > 1.5", .predicateType, 8, "legs is of type int16"),
      ("name > 3", .predicateType, 8, "an integer"),
      ("name IN {'a', 3}", .predicateType, 1, "an integer"), ("tame == 2", .predicateType, 9, "boolean"),
      ("born == 'yesterday'", .predicateType, 9, "date"),
      ("weight > legs", .predicateType, 10, "legs is of type"),
      ("keeper > Keeper#1", .predicateType, 10, "objects have no order"),
      ("keeper == Animal#1", .predicateType, 11, "an object of Keeper"),
      ("keeper == Zebra#1", .predicateUnknownPath, 11, "no entity Zebra"),
      ("keeper == 3", .predicateType, 11, "an object"), ("1 IN {1}", .predicateType, 1, "constant"),
      ("1 == 'a'", .predicateType, 6, "a string"),
    ] as [(String, ErrorCode, Int, String)])
  func `what does not fit the entity is an error with a column`(
    _ text: String, _ code: ErrorCode, _ column: Int, _ words: String
  ) throws {
    let scope = EntityScope(try map.entity("Animal"), in: map)
    let error = #expect(throws: BolideError.self) { try Condition(parsing: text, in: scope) }
    #expect(error?.code == code)
    #expect((error?.payload as? TextPosition)?.column == column)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    // A tree built in code, or text read without an entity, is refused as well.
    let tree = try Condition(parsing: text)
    let later = #expect(throws: BolideError.self) {
      try BoundCondition(tree, entity: map.entity("Animal"), map: map)
    }
    #expect(later?.code == code)
  }

  @Test func `NaN and trees too deep are refused`() throws {
    let animal = try map.entity("Animal")
    let nan = Condition.compare(.path(["weight"]), .equal, .literal(.double(.nan)))
    #expect(throws: BolideError.self) { try BoundCondition(nan, entity: animal, map: map) }
    var deep = Condition.true
    for _ in 0..<300 { deep = .not(deep) }
    let error = #expect(throws: BolideError.self) { try BoundCondition(deep, entity: animal, map: map) }
    #expect(error?.code == .predicateDepth)
  }

  @Test func `text checked against an entity reads back with its types`() throws {
    let scope = EntityScope(try map.entity("Animal"), in: map)
    let text =
      "price == 1.1 AND ratio < 0.1 AND page == \"x:a\" AND weight == 3.0 AND born > 2001-01-01T00:00:00Z"
    let condition = try Condition(parsing: text, in: scope)
    #expect(condition.description == text)
    #expect(try Condition(parsing: condition.description, in: scope) == condition)
    #expect(condition.paths == [["price"], ["ratio"], ["page"], ["weight"], ["born"]])
    let bound = try BoundCondition(condition, entity: map.entity("Animal"), map: map)
    #expect(bound.columns.count == 5)
  }

  @Test func `fields without a row are asked the same way`() throws {
    let scope = FieldScope(of: "a transaction", fields: ["author": .string, "number": .int64])
    let condition = try Condition(parsing: "author != 'me' AND number > 2", in: scope)
    func holds(_ author: Value, _ number: Int64) -> Bool {
      condition.holds { $0 == .path(["author"]) ? author : .int(number) }
    }
    #expect(holds(.null, 3))
    #expect(holds(.string("you"), 3))
    #expect(!holds(.string("me"), 3))
    #expect(!holds(.null, 2))
    let error = #expect(throws: BolideError.self) { try Condition(parsing: "auhtor == nil", in: scope) }
    #expect(error?.message == "column 1: a transaction has no auhtor; did you mean author?")
    #expect(throws: BolideError.self) { try Condition(parsing: "SELF == A#1", in: scope) }
  }

  @Test func `random comparisons agree with Swift's operators on optionals`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let animal = try map.entity("Animal")
    let column = try #require(animal.property("weight").column)
    for _ in 0..<400 {
      let choices: [Double?] = [nil, 0, -1, 2.5, .infinity, random.double()]
      let left = choices[Int.random(in: 0..<choices.count, using: &random)]
      let right = choices[Int.random(in: 0..<choices.count, using: &random)]
      var builder = animal.defaults
      builder.set(column, left.map(Value.double) ?? .null)
      var batch = RowBatch(animal.format)
      builder.append(to: &batch, number: 1)
      for comparison in Comparison.allCases {
        guard let mirrored = comparison.mirrored else { continue }
        let expected: Bool =
          switch comparison {
          case .equal: left == right
          case .notEqual: left != right
          case .less: if let left, let right { left < right } else { false }
          case .lessOrEqual: if let left, let right { left <= right } else { false }
          case .greater: if let left, let right { left > right } else { false }
          case .greaterOrEqual: if let left, let right { left >= right } else { false }
          default: false
          }
        let literal = Operand.literal(right.map(Value.double) ?? .null)
        for condition in [
          Condition.compare(.path(["weight"]), comparison, literal),
          .compare(literal, mirrored, .path(["weight"])),
        ] {
          let bound = try BoundCondition(condition, entity: animal, map: map)
          let holds =
            try batch.withRows { try bound.places([0], in: $0, numbers: [1], reader: reader) } == [0]
          #expect(holds == expected, "seed \(seed): \(left as Any) \(comparison) \(right as Any)")
        }
      }
    }
  }
}
