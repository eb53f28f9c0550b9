import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// Random trees of every kind of node are printed, read, coded and decoded; a tree that does not come back is made
/// as small as can be before it is shown.
@Suite struct ConditionRoundTripTests {
  private static func check(
    _ seed: UInt64, _ conditions: some Sequence<Condition>, comesBack: (Condition) throws -> Bool
  ) {
    for condition in conditions where (try? comesBack(condition)) != true {
      let smallest = condition.shrunk { (try? comesBack($0)) != true }
      Issue.record("seed \(seed): \(smallest) does not come back, as \(condition) does not")
      return
    }
  }

  private static let seed = UInt64.random(in: 0...UInt64.max)

  @Test func `print then parse gives the same tree`() throws {
    var random = SplitMix64(seed: Self.seed)
    let conditions = (0..<1500).map { _ in random.condition(depth: 4) }
    Self.check(Self.seed, conditions) { try Condition(parsing: $0.description) == $0 }
    #expect(Set(conditions.flatMap(\.nodes)) == Condition.everyNode, "seed \(Self.seed)")
  }

  @Test func `coding then decoding gives the same tree`() throws {
    var random = SplitMix64(seed: Self.seed)
    let conditions = (0..<1500).map { _ in random.condition(depth: 4, values: ValueType.allCases) }
    Self.check(Self.seed, conditions) {
      try JSONDecoder().decode(Condition.self, from: JSONEncoder().encode($0)) == $0
    }
    Self.check(Self.seed, [.and([]), .or([]), .and([.true]), .or([.false]), .not(.and([.or([])]))]) {
      try JSONDecoder().decode(Condition.self, from: JSONEncoder().encode($0)) == $0
    }
  }

  /// Literals that need their attribute's type to be exact get it from the scope.
  @Test func `a tree over a schema comes back with the types of its attributes`() throws {
    let types = ValueType.allCases.filter { $0 != .reference }
    let map = try SchemaMap(
      Schema(
        name: "All",
        entities: [
          EntityDescription(
            name: "All", attributes: types.map { AttributeDescription(name: "\($0)", type: $0) })
        ]))
    let scope = EntityScope(try map.entity("All"), in: map)
    var random = SplitMix64(seed: Self.seed)
    let conditions = try (0..<1500).map { _ in
      let type = types[Int.random(in: 0..<types.count, using: &random)]
      let value = random.value(of: type)
      let path = Operand.path(["\(type)"])
      let condition: Condition =
        switch Int.random(in: 0...3, using: &random) {
        case 0: .in(path, [value, .null, random.value(of: type)])
        case 1: .compare(.literal(value), .greater, path)
        case 2: .not(.compare(path, .notEqual, .literal(value)))
        default: .compare(path, .lessOrEqual, .literal(value))
        }
      return try condition.checked(in: scope)
    }
    Self.check(Self.seed, conditions) { try Condition(parsing: $0.description, in: scope) == $0 }
  }

  /// Lists of one part or none are what they stand for in text.
  @Test(arguments: [
    (Condition.and([]), Condition.true), (.or([]), .false),
    (.and([.compare(.path(["a"]), .equal, .itself)]), .compare(.path(["a"]), .equal, .itself)),
    (.not(.or([.and([.or([.in(.itself, [])])])])), .not(.in(.itself, []))),
    (.and([.or([.true]), .and([])]), .and([.true, .true])),
  ])
  func `short lists read back as what they mean`(_ condition: Condition, _ meaning: Condition) throws {
    #expect(try Condition(parsing: condition.description) == meaning)
  }

  @Test func `sort terms print, parse and decode as the same terms`() throws {
    var random = SplitMix64(seed: Self.seed)
    for _ in 0..<1000 {
      let terms = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let aggregate = Aggregate.allCases[Int.random(in: 0..<Aggregate.allCases.count, using: &random)]
        let path = random.path()
        return SortTerm(
          path: Bool.random(using: &random) ? path : path + [aggregate.rawValue],
          ascending: Bool.random(using: &random),
          options: TextOptions(rawValue: UInt8.random(in: 0...7, using: &random)))
      }
      let text = terms.map(\.description).joined(separator: ",")
      #expect(try SortTerm.list(parsing: text) == terms, "seed \(Self.seed): \(text)")
      let data = try JSONEncoder().encode(terms)
      #expect(try JSONDecoder().decode([SortTerm].self, from: data) == terms, "seed \(Self.seed): \(text)")
    }
  }

  @Test func `a tree that does not come back is made small`() {
    let guilty = Condition.compare(.path(["a", "b"]), .like, .literal(.string("x")), [.caseInsensitive])
    let large = Condition.or([
      .not(.and([.true, .members(.all, ["p"], .or([guilty, .false])), .in(.itself, [.int(1)])])),
      .compare(.itself, .equal, .literal(.null)),
    ])
    func fails(_ condition: Condition) -> Bool { condition.nodes.contains("LIKE") }
    #expect(large.shrunk(while: fails) == .compare(.itself, .like, .itself))
  }
}

extension Condition {
  /// Conditions that are a little smaller.
  private var smaller: [Condition] {
    func lists(_ parts: [Condition], _ list: ([Condition]) -> Condition) -> [Condition] {
      parts
        + parts.indices.flatMap { index in
          var fewer = parts
          fewer.remove(at: index)
          let changed = parts[index].smaller.map { part in
            var changed = parts
            changed[index] = part
            return list(changed)
          }
          return (fewer.count > 1 ? [list(fewer)] : []) + changed
        }
    }
    switch self {
    case .true, .false: return []
    case .and(let parts): return lists(parts, Condition.and)
    case .or(let parts): return lists(parts, Condition.or)
    case .not(let part): return [part] + part.smaller.map(Condition.not)
    case .compare(let left, let comparison, let right, let options):
      return (left == .itself ? [] : [.compare(.itself, comparison, right, options)])
        + (right == .itself ? [] : [.compare(left, comparison, .itself, options)])
        + (options.isEmpty ? [] : [.compare(left, comparison, right)])
    case .in(let operand, let values, let options):
      return (operand == .itself ? [] : [.in(.itself, values, options)])
        + values.indices.map { index in
          var fewer = values
          fewer.remove(at: index)
          return .in(operand, fewer, options)
        }
    case .members(let quantifier, let path, let condition):
      return [condition] + condition.smaller.map { .members(quantifier, path, $0) }
        + (path.count > 1 ? [.members(quantifier, [path[0]], condition)] : [])
    }
  }

  /// The condition made as small as can be while something holds.
  fileprivate func shrunk(while fails: (Condition) -> Bool) -> Condition {
    var smallest = self
    while let smaller = smallest.smaller.first(where: fails) { smallest = smaller }
    return smallest
  }

  /// The kinds of nodes in the tree.
  fileprivate var nodes: [String] {
    func kind(_ operand: Operand) -> String {
      switch operand {
      case .path: "path"
      case .literal: "literal"
      case .object: "object"
      case .stored: "object of a store"
      case .itself: "SELF"
      case .aggregate(let aggregate, _): aggregate.rawValue
      }
    }
    switch self {
    case .true: return ["true"]
    case .false: return ["false"]
    case .and(let parts): return ["AND"] + parts.flatMap(\.nodes)
    case .or(let parts): return ["OR"] + parts.flatMap(\.nodes)
    case .not(let part): return ["NOT"] + part.nodes
    case .compare(let left, let comparison, let right, let options):
      return [comparison.rawValue, kind(left), kind(right), options.text]
    case .in(let operand, _, let options): return ["IN", kind(operand), options.text]
    case .members(let quantifier, _, let condition): return [quantifier.rawValue] + condition.nodes
    }
  }

  fileprivate static var everyNode: Set<String> {
    var nodes: Set<String> = ["true", "false", "AND", "OR", "NOT", "IN", "path", "literal", "object", "SELF"]
    nodes.formUnion(Comparison.allCases.map(\.rawValue))
    nodes.formUnion(Quantifier.allCases.map(\.rawValue))
    nodes.formUnion(Aggregate.allCases.map(\.rawValue))
    nodes.formUnion(["", "[c]", "[d]", "[cd]"])
    return nodes
  }
}

extension SplitMix64 {
  /// A condition whose text reads back as it is: lists have two parts or more.
  ///
  /// - Parameter values: the types of literals; unless you say otherwise those that text alone tells.
  fileprivate mutating func condition(
    depth: Int,
    values: [ValueType] = [.int64, .double, .boolean, .date, .string, .uuid, .binary, .reference]
  ) -> Condition {
    switch Int.random(in: 0...(depth > 0 ? 9 : 4), using: &self) {
    case 0: return Bool.random(using: &self) ? .true : .false
    case 1:
      let list = (0..<Int.random(in: 0...3, using: &self)).map { _ in value(of: values) }
      return .in(operand(values), list, textOptions())
    case 2...4:
      let comparison = Comparison.allCases[Int.random(in: 0..<Comparison.allCases.count, using: &self)]
      let left = operand(values)
      let right = operand(values)
      // An object is in no text: this is read as a question about members.
      if comparison == .contains, case .path = left, case .object = right { return .true }
      return .compare(left, comparison, right, textOptions())
    case 5: return .not(condition(depth: depth - 1, values: values))
    case 6:
      let quantifier = Quantifier.allCases[Int.random(in: 0..<3, using: &self)]
      return .members(quantifier, path(), condition(depth: depth - 1, values: values))
    default:
      let parts = (0..<Int.random(in: 2...3, using: &self)).map { _ in
        condition(depth: depth - 1, values: values)
      }
      return Bool.random(using: &self) ? .and(parts) : .or(parts)
    }
  }

  private mutating func textOptions() -> TextOptions {
    Bool.random(using: &self) ? [] : TextOptions(rawValue: UInt8.random(in: 1...3, using: &self))
  }

  private mutating func operand(_ values: [ValueType]) -> Operand {
    switch Int.random(in: 0...6, using: &self) {
    case 0: return .itself
    case 1: return .object(entity: "Group", number: Int64.random(in: 1...Int64.max, using: &self))
    case 2, 3: return .literal(value(of: values))
    case 4:
      let aggregate = Aggregate.allCases[Int.random(in: 0..<Aggregate.allCases.count, using: &self)]
      return .aggregate(aggregate, Bool.random(using: &self) ? [] : path())
    default: return .path(path())
    }
  }

  fileprivate mutating func path() -> [String] {
    let names = ["name", "IN", "not", "x1", "größe", "_a", "inf", "e5", "deadbeef", "any", "like"]
    return (0..<Int.random(in: 1...3, using: &self)).map { _ in
      names[Int.random(in: 0..<names.count, using: &self)]
    }
  }

  private mutating func value(of types: [ValueType]) -> Value {
    if Int.random(in: 0...9, using: &self) == 0 { return .null }
    return value(of: types[Int.random(in: 0..<types.count, using: &self)])
  }
}
