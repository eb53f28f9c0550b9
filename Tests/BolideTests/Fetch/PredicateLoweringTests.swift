import BolideStorage
import Foundation
import Testing

@testable import Bolide

private struct Keeper: Codable {
  var objectID = PredicateLoweringTests.id(1)
  var name = ""
  var age: Int32?
}

private struct Animal {
  var name = ""
  var nick: String?
  var weight: Double?
  var height = 0.0
  var legs: Int16 = 0
  var tame = false
  var sold: Bool?
  var born: Date?
  var id: UUID?
  var kind = Kind.cat
  var keeper: Keeper?
  var owner = Keeper()
  var tags: [String] = []
  var objectID = PredicateLoweringTests.id(1)

  enum Kind: String, Codable { case cat, dog }
}

@Suite struct PredicateLoweringTests {
  private nonisolated(unsafe) static let names: [AnyKeyPath: String] = [
    \Animal.name: "name", \Animal.nick: "nick", \Animal.weight: "weight", \Animal.height: "height",
    \Animal.legs: "legs", \Animal.tame: "tame", \Animal.sold: "sold", \Animal.born: "born", \Animal.id: "id",
    \Animal.kind: "kind", \Animal.keeper: "keeper", \Animal.owner: "owner", \Animal.tags: "tags",
    \Keeper.name: "name", \Keeper.age: "age", \Keeper.objectID: "", \Animal.objectID: "",
  ]

  private func text(_ predicate: Predicate<Animal>) throws -> String {
    try Condition(predicate) { Self.names[$0] }.description
  }

  private func error(_ predicate: Predicate<Animal>) -> BolideError? {
    #expect(throws: BolideError.self) { try Condition(predicate) { Self.names[$0] } }
  }

  @Test func `comparisons and logic`() throws {
    let limit = 2.5
    let date = Date(timeIntervalSinceReferenceDate: 0)
    #expect(try text(#Predicate { $0.height > limit && $0.legs == 4 }) == "height > 2.5 AND legs == 4")
    #expect(
      try text(#Predicate { $0.height < 1 || $0.height >= 2 || $0.legs != 3 })
        == "height < 1.0 OR height >= 2.0 OR legs != 3")
    #expect(
      try text(#Predicate { !($0.legs <= 3) && $0.name == "Zoë" }) == "NOT legs <= 3 AND name == \"Zoë\"")
    #expect(try text(#Predicate { $0.tame }) == "tame == true")
    #expect(try text(#Predicate { !$0.tame && $0.tame == false }) == "NOT tame == true AND tame == false")
    #expect(try text(#Predicate { ($0.legs == 4) == true }) == "legs == 4")
    #expect(try text(#Predicate { ($0.legs == 4) != true }) == "NOT legs == 4")
    #expect(try text(#Predicate { $0.born == date }) == "born == 2001-01-01T00:00:00Z")
    #expect(try text(#Predicate { 4 < $0.legs }) == "4 < legs")
    #expect(try text(#Predicate { $0.legs > -4 }) == "legs > -4")
    #expect(try text(#Predicate { _ in true }) == "TRUEPREDICATE")
    #expect(
      try text(#Predicate { $0.name.isEmpty || !$0.owner.name.isEmpty })
        == "name == \"\" OR NOT owner.name == \"\"")
  }

  @Test func `optionals`() throws {
    let none: Double? = nil
    #expect(try text(#Predicate { $0.weight == nil }) == "weight == null")
    #expect(try text(#Predicate { $0.weight != none }) == "weight != null")
    #expect(try text(#Predicate { $0.weight == 3 }) == "weight == 3.0")
    #expect(try text(#Predicate { $0.weight! > 3 }) == "weight > 3.0")
    #expect(try text(#Predicate { ($0.weight ?? 0) > 3 }) == "weight > 3.0")
    #expect(try text(#Predicate { ($0.weight ?? 5) > 3 }) == "weight == null OR weight > 3.0")
    #expect(
      try text(#Predicate { ($0.weight ?? 3) != 3 }) == "NOT weight == null AND weight != 3.0")
    #expect(
      try text(#Predicate { ($0.weight ?? $0.height) > 3 })
        == "weight > 3.0 OR weight == null AND height > 3.0")
    #expect(try text(#Predicate { $0.sold ?? false }) == "sold == true")
    #expect(try text(#Predicate { $0.sold ?? true }) == "sold == null OR sold == true")
    #expect(try text(#Predicate { $0.keeper?.name == "Ada" }) == "keeper.name == \"Ada\"")
    #expect(try text(#Predicate { $0.keeper?.age == nil }) == "keeper.age == null")
    #expect(try text(#Predicate { ($0.keeper?.age ?? 0) > 40 }) == "keeper.age > 40")
    #expect(
      try text(#Predicate { $0.nick?.isEmpty == true }) == "NOT nick == null AND nick == \"\"")
    #expect(
      try text(#Predicate { $0.nick?.isEmpty ?? true }) == "nick == null OR nick == \"\"")
    #expect(
      try text(#Predicate { $0.weight.flatMap { $0 > 3 } == true }) == "NOT weight == null AND weight > 3.0")
  }

  @Test func `collections and ranges`() throws {
    let names = ["a", "b"]
    let ids: Set<UUID?> = [nil]
    let range = 1.0...2.0
    #expect(try text(#Predicate { names.contains($0.name) }) == "name IN {\"a\", \"b\"}")
    #expect(try text(#Predicate { ids.contains($0.id) }) == "id IN {null}")
    #expect(try text(#Predicate { [1, 2].contains($0.legs) }) == "legs IN {1, 2}")
    #expect(
      try text(#Predicate { names.contains($0.nick ?? "a") })
        == "nick == null OR nick IN {\"a\", \"b\"}")
    #expect(try text(#Predicate { range.contains($0.height) }) == "height >= 1.0 AND height <= 2.0")
    #expect(try text(#Predicate { (1...4).contains($0.legs) }) == "legs >= 1 AND legs <= 4")
    #expect(try text(#Predicate { (1..<4).contains($0.height) }) == "height >= 1.0 AND height < 4.0")
  }

  @Test func `texts and choices`() throws {
    let part = "a"
    #expect(try text(#Predicate { $0.name.contains(part) }) == #"name CONTAINS "a""#)
    #expect(try text(#Predicate { $0.name.starts(with: "a") }) == #"name BEGINSWITH "a""#)
    #expect(try text(#Predicate { part.contains($0.name) }) == #""a" CONTAINS name"#)
    #expect(
      try text(#Predicate { ($0.nick ?? "").contains("x") && $0.nick?.contains("y") == true })
        == #"nick CONTAINS "x" AND (NOT nick == null AND nick CONTAINS "y")"#)
    #expect(
      try text(#Predicate { ($0.nick ?? "x").contains("x") }) == #"nick == null OR nick CONTAINS "x""#)
    #expect(
      try text(#Predicate { ($0.tame ? 1 : 2) == $0.legs })
        == "tame == true AND 1 == legs OR NOT tame == true AND 2 == legs")
    #expect(
      try text(#Predicate { $0.tame ? $0.legs == 2 : $0.height > 1 })
        == "tame == true AND legs == 2 OR NOT tame == true AND height > 1.0")
  }

  @Test func `members of collections`() throws {
    let words = ["a", "b"]
    #expect(try text(#Predicate { $0.tags.contains("x") }) == #"ANY tags == "x""#)
    #expect(try text(#Predicate { $0.tags.contains { $0 == "x" } }) == #"ANY tags == "x""#)
    #expect(try text(#Predicate { $0.tags.allSatisfy { $0 > "x" } }) == #"ALL tags > "x""#)
    #expect(
      try text(#Predicate { $0.tags.count == 1 && !$0.tags.isEmpty })
        == "tags.@count == 1 AND NOT tags.@count == 0")
    #expect(try text(#Predicate { $0.tags.filter { $0 == "x" }.isEmpty }) == #"NONE tags == "x""#)
    #expect(
      try text(#Predicate { animal in words.contains { $0 == animal.name } })
        == #""a" == name OR "b" == name"#)
    #expect(
      error(#Predicate { animal in animal.tags.contains { $0 == animal.name } })?.code
        == .predicateUnsupportedExpression)
  }

  static func id(_ number: Number) -> ManagedObjectID {
    ManagedObjectID(storeID: UUID(), entityName: "Keeper", number: number)
  }

  @Test func `objects are compared by their ids`() throws {
    let id = Self.id(3)
    let unsaved = Self.id(-3)
    #expect(try text(#Predicate { $0.owner.objectID == id }) == "owner == Keeper#3")
    #expect(try text(#Predicate { $0.keeper?.objectID != id }) == "keeper != Keeper#3")
    #expect(try text(#Predicate { $0.objectID == id }) == "SELF == Keeper#3")
    #expect(try text(#Predicate { [id].contains($0.objectID) }) == "SELF == Keeper#3")
    #expect(error(#Predicate { $0.objectID == unsaved })?.message.contains("was not saved") == true)
    let data = try JSONEncoder().encode([id])
    #expect(try JSONDecoder().decode([ManagedObjectID].self, from: data) == [id])
    #expect(throws: EncodingError.self) { try JSONEncoder().encode([unsaved]) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ManagedObjectID].self, from: Data("[\"Keeper#3\"]".utf8))
    }
  }

  @Test func `what depends on no object is its value`() throws {
    let words = ["a", "bc"]
    let none: [Int16] = []
    #expect(try text(#Predicate { $0.name == words[1] }) == #"name == "bc""#)
    #expect(try text(#Predicate { $0.nick == words.max() }) == #"nick == "bc""#)
    #expect(try text(#Predicate { (none.min() ?? 3) == $0.legs }) == "3 == legs")
    #expect(try text(#Predicate { words[1].count == 2 && $0.tame }) == "TRUEPREDICATE AND tame == true")
    // Out of range: an error where Swift would trap.
    let largest = Int64.max
    let lowest = Int64.min
    for predicate: Predicate<Animal> in [
      #Predicate { _ in largest + 1 > 0 }, #Predicate { _ in -lowest > 0 },
      #Predicate { _ in largest / 0 > 0 },
      #Predicate { _ in lowest % 0 == 0 }, #Predicate { $0.name == words[7] },
    ] {
      #expect(error(predicate)?.code == .predicateUnsupportedExpression)
    }
  }

  @Test func `captured values`() throws {
    let keeper = Keeper(name: "Ada", age: 4)
    let kind = Animal.Kind.dog
    #expect(try text(#Predicate { $0.owner.name == keeper.name }) == "owner.name == \"Ada\"")
    #expect(try text(#Predicate { $0.kind == kind }) == "kind == \"dog\"")
  }

  @Test func `what has no counterpart is named with its properties`() {
    let cases: [(Predicate<Animal>, String)] = [
      (#Predicate { $0.height + 1 > 2 }, "arithmetic with +, - or * over height"),
      (#Predicate { $0.tags.starts(with: ["a"]) }, "starts(with:) over tags"),
      (#Predicate { $0.tags.contains { $0 == "x" } == $0.tame }, "a test with =="),
      (#Predicate { $0.tags[0] == "x" }, "a subscript over tags"),
      (#Predicate { $0.name.count == 1 }, "String.count over name is no stored property"),
      (#Predicate { $0.legs % 2 == 0 }, "the remainder % over legs"),
    ]
    for (predicate, words) in cases {
      let error = error(predicate)
      #expect(error?.code == .predicateUnsupportedExpression)
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
      #expect(
        error?.remedy.isEmpty == false && error?.remedy != ErrorCode.predicateUnsupportedExpression.remedy)
    }
  }

  @Test func `lowered predicates say what Swift says`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let names = ["a", "b"]
    let predicates: [Predicate<Animal>] = [
      #Predicate { ($0.weight ?? 2) > 1 }, #Predicate { ($0.weight ?? 2) != 2 },
      #Predicate { ($0.weight ?? $0.height) <= 1 }, #Predicate { $0.weight == nil || !($0.weight == 1) },
      #Predicate { $0.sold ?? $0.tame }, #Predicate { $0.sold != true && !$0.tame },
      #Predicate { $0.nick?.isEmpty ?? true }, #Predicate { $0.nick?.isEmpty == false },
      #Predicate { names.contains($0.nick ?? "b") }, #Predicate { $0.nick.flatMap { $0 == "a" } != true },
    ]
    for _ in 0..<100 {
      var animal = Animal()
      animal.weight = [nil, 0, 1, 2][Int.random(in: 0...3, using: &random)]
      animal.height = Double.random(in: 0...2, using: &random).rounded()
      animal.tame = Bool.random(using: &random)
      animal.sold = [nil, true, false][Int.random(in: 0...2, using: &random)]
      animal.nick = [nil, "", "a", "c"][Int.random(in: 0...3, using: &random)]
      let values: [String: Value] = [
        "weight": animal.weight.map(Value.double) ?? .null, "height": .double(animal.height),
        "tame": .bool(animal.tame), "sold": animal.sold.map(Value.bool) ?? .null,
        "nick": animal.nick.map(Value.string) ?? .null,
      ]
      for predicate in predicates {
        let condition = try Condition(predicate) { Self.names[$0] }
        let holds = condition.holds { operand in
          if case .path(let path) = operand { values[path[0]] ?? .null } else { .null }
        }
        #expect(try holds == predicate.evaluate(animal), "seed \(seed): \(condition) of \(values)")
      }
    }
  }
}
