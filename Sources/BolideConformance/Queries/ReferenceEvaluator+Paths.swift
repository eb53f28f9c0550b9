import Bolide
import BolideStorage
import Foundation

/// Where paths lead, and what aggregates make of it.
extension ReferenceEvaluator {
  /// What is at the end of a path: up to its last to-many each object once, and from there one for each of
  /// them.
  func ends(of path: [String], _ subject: Subject) -> [Subject] {
    guard case .object(let start) = subject else { return [] }
    let steps = relationships(on: path, from: start.entity)
    guard let last = steps.lastIndex(where: \.isToMany) else { return [end(of: path[...], start)] }
    var objects = [start]
    for step in steps[...last] {
      let numbers = Set(objects.flatMap { $0.members[step.name] ?? [] })
      objects = numbers.sorted().compactMap { world.object(step.destination, $0) }
    }
    return objects.map { end(of: path[(last + 1)...], $0) }
  }

  /// What is at the end of a path over to-ones; nil where an object on the way is missing.
  private func end(of path: ArraySlice<String>, _ object: QueryWorld.Object) -> Subject {
    guard let name = path.first else { return .object(object) }
    guard let step = world.relationships(of: object.entity).first(where: { $0.name == name }) else {
      return .value(object.stored(name))
    }
    guard let next = object.members[name]?.first.flatMap({ world.object(step.destination, $0) }) else {
      return .value(.null)
    }
    return end(of: path.dropFirst(), next)
  }

  private func relationships(on path: [String], from entity: String) -> [RelationshipDescription] {
    var holder = entity
    var steps: [RelationshipDescription] = []
    for name in path {
      guard let step = world.relationships(of: holder).first(where: { $0.name == name }) else { break }
      steps.append(step)
      holder = step.destination
    }
    return steps
  }

  /// The type of the attribute at the end of a path.
  func type(of path: [String], from entity: String) -> ValueType? {
    let steps = relationships(on: path, from: entity)
    guard steps.count < path.count else { return nil }
    return world.attributes(of: steps.last?.destination ?? entity).first { $0.name == path.last }?.type
  }

  /// What an aggregate makes of values; `nil` where the result is out of range.
  func result(_ aggregate: Aggregate, _ values: [Value], _ type: ValueType?) -> Value? {
    if aggregate == .count { return .int(Int64(values.count)) }
    let present = values.filter { $0 != .null }
    switch (aggregate, type) {
    case (.minimum, _): return present.min { Self.order($0, $1) < 0 } ?? .null
    case (.maximum, _): return present.max { Self.order($0, $1) < 0 } ?? .null
    case (.average, _) where present.isEmpty: return .null
    case (.sum, .int16), (.sum, .int32), (.sum, .int64):
      return Int64(exactly: present.reduce(Int128(0)) { $0 + Int128($1.integer) }).map(Value.int)
    case (.sum, .decimal): return .decimal(present.map(\.decimal).reduce(0, +))
    case (.average, .decimal): return .decimal(ReferenceNumbers.average(present.map(\.decimal)))
    default:
      let number = ReferenceNumbers.nearest(
        present.flatMap(\.doubles), dividedBy: aggregate == .average ? present.count : 1)
      // Infinities of both signs have no sum.
      return number.isNaN ? nil : .double(number)
    }
  }

  // MARK: Groups

  /// The rows of groups, by the terms, then by what they are grouped by.
  mutating func groups(
    _ objects: [QueryWorld.Object], _ columns: [FetchColumn], _ paths: [[String]], _ having: Condition?,
    _ sort: [SortTerm], entity: String
  ) -> [String] {
    var keys: [[Value]] = paths.isEmpty ? [[]] : []
    var groups: [[QueryWorld.Object]] = paths.isEmpty ? [[]] : []
    for object in objects {
      let key = paths.map { path in ends(of: path, .object(object)).first.map(Self.value) ?? .null }
      if let place = keys.firstIndex(where: { zip($0, key).allSatisfy { Self.order($0, $1) == 0 } }) {
        groups[place].append(object)
      } else {
        keys.append(key)
        groups.append([object])
      }
    }
    var rows: [(sort: [Value], key: [Value], line: String)] = []
    for (key, group) in zip(keys, groups) {
      func known(_ operand: Operand) -> Value {
        switch operand {
        case .literal(let value): return value
        case .path(let path): return paths.firstIndex(of: path).map { key[$0] } ?? .null
        case .aggregate(.count, _): return .int(Int64(group.count))
        case .aggregate(let aggregate, let path):
          let values = group.flatMap { ends(of: path, .object($0)).map(Self.value) }
          guard let result = result(aggregate, values, type(of: path, from: entity)) else {
            hasOverflow = true
            return .null
          }
          return result
        default: return .null
        }
      }
      let line = QueryRequest.line(columns.map { known($0.operand) })
      let order = sort.map { known(Self.operand($0)) }
      func holds(_ condition: Condition) -> Bool {
        switch condition {
        case .true: true
        case .false, .members: false
        case .and(let parts): !parts.map(holds).contains(false)
        case .or(let parts): parts.map(holds).contains(true)
        case .not(let part): !holds(part)
        case .compare(let left, let comparison, let right, let options):
          Self.holds(known(left), comparison, known(right), options)
        case .in(let operand, let values, let options):
          values.contains { Self.holds(known(operand), .equal, $0, options) }
        }
      }
      if having.map(holds) ?? true { rows.append((order, key, line)) }
    }
    return rows.sorted { left, right in
      for (index, term) in sort.enumerated() {
        let order = Self.order(left.sort[index], right.sort[index], term.options)
        if order != 0 { return term.ascending == (order < 0) }
      }
      for (one, other) in zip(left.key, right.key) {
        let order = Self.order(one, other)
        if order != 0 { return (sort.last?.ascending ?? true) == (order < 0) }
      }
      return false
    }.map(\.line)
  }
}

extension QueryWorld.Object {
  /// An attribute as a store keeps it.
  fileprivate func stored(_ name: String) -> Value {
    ReferenceText.stored(values[name] ?? .null)
  }
}

extension Value {
  fileprivate var integer: Int64 { if case .int(let number) = self { number } else { 0 } }

  fileprivate var decimal: Decimal { if case .decimal(let number) = self { number } else { 0 } }

  /// Doubles whose sum the number is: two for an integer that no double is.
  fileprivate var doubles: [Double] {
    switch self {
    case .double(let number): [number]
    case .float(let number): [Double(number)]
    case .int(let number): [Double(number >> 32) * 0x1p32, Double(number & 0xFFFF_FFFF)]
    default: []
    }
  }
}
