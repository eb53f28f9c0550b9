import Bolide
import BolideStorage

/// Makes random requests that fit a world.
struct QueryGenerator: Sendable {
  /// What the requests are asked of.
  var world: QueryWorld
  /// Whether batch requests are among them, which change what is stored.
  var makesBatches = true
  private var random: QueryRandom

  init(world: QueryWorld, seed: UInt64) {
    self.world = world
    random = QueryRandom(seed: seed)
  }

  /// The next request.
  mutating func next() -> QueryRequest {
    var request = QueryRequest(entity: random.pick(["Thing", "Thing", "Special", "Owner", "Tag"]))
    if !random.chance(6) { request.condition = condition(of: request.entity, depth: 3) }
    request.includesSubentities = !random.chance(6)
    if makesBatches, random.chance(30) {
      batch(&request)
      return request
    }
    if random.chance(2) { request.limit = random.pick([0, 1, 2, 5, 20]) }
    if random.chance(4) { request.offset = random.pick([1, 3, 10]) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: request.result = .count
    case 1, 2:
      request.result = .rows(
        (0...Int.random(in: 0...2, using: &random)).map { _ in
          FetchColumn(operand(of: request.entity).operand)
        },
        isDistinct: random.chance(2))
    case 3: group(&request)
    default: break
    }
    if case .groups = request.result { return request }
    for _ in 0..<Int.random(in: 0...3, using: &random) { request.sort.append(term(of: request.entity)) }
    return request
  }

  private mutating func batch(_ request: inout QueryRequest) {
    request.includesSubentities = true
    let seen = world.everything
    if random.chance(4) {
      request.result = .delete(seen: seen)
      return
    }
    let unique = Set(world.constraints(of: request.entity).joined())
    let free = world.attributes(of: request.entity).filter { !unique.contains($0.name) }
    var values: [String: Value] = [:]
    for attribute in free.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)) {
      values[attribute.name] = random.chance(6) ? .null : random.value(of: attribute.type)
    }
    request.result = .update(values, seen: seen)
  }

  private mutating func term(of entity: String) -> SortTerm {
    let (operand, type) = operand(of: entity)
    let path: [String] =
      switch operand {
      case .path(let path): path
      case .aggregate(let aggregate, let path): path + [aggregate.rawValue]
      default: []
      }
    var term = SortTerm(path: path, ascending: Bool.random(using: &random))
    if type == .string || type == .uri, random.chance(2) {
      term.options = TextOptions(rawValue: UInt8.random(in: 1...7, using: &random))
    }
    return term
  }

  private mutating func group(_ request: inout QueryRequest) {
    let paths = (0..<Int.random(in: 0...2, using: &random)).map { _ in attribute(of: request.entity) }
    var operands: [(operand: Operand, type: ValueType)] = paths.map { (.path($0.path), $0.type) }
    for _ in 0...Int.random(in: 0...2, using: &random) {
      let (path, type) = attribute(of: request.entity)
      let aggregate = random.pick(Self.aggregates(of: type))
      operands.append(
        aggregate == .count
          ? (.aggregate(.count, []), .int64)
          : (.aggregate(aggregate, path), Self.result(of: aggregate, type)))
    }
    var having: Condition?
    if random.chance(2) {
      let one = comparison(random.pick(operands), in: nil)
      let other = comparison(random.pick(operands), in: nil)
      having = random.pick([one, one, .and([one, other]), .or([one, .not(other)])])
    }
    request.result = .groups(
      operands.map { FetchColumn($0.operand) }, by: paths.map { $0.path.joined(separator: ".") },
      having: having)
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      switch random.pick(operands).operand {
      case .path(let path): request.sort.append(SortTerm(path: path, ascending: random.chance(2)))
      case .aggregate(let aggregate, let path):
        request.sort.append(SortTerm(path: path + [aggregate.rawValue], ascending: random.chance(2)))
      default: break
      }
    }
  }

  // MARK: Conditions

  private mutating func condition(of entity: String, depth: Int) -> Condition {
    switch Int.random(in: 0..<(depth > 0 ? 12 : 7), using: &random) {
    case 0..<2: return indexed(of: entity) ?? comparison(operand(of: entity), in: entity)
    case 2..<7: return comparison(operand(of: entity), in: entity)
    case 7, 8:
      return .and([condition(of: entity, depth: depth - 1), condition(of: entity, depth: depth - 1)])
    case 9: return .or([condition(of: entity, depth: depth - 1), condition(of: entity, depth: depth - 1)])
    case 10: return .not(condition(of: entity, depth: depth - 1))
    default: return members(of: entity, depth: depth)
    }
  }

  /// A condition that an index or a number helps with: objects, a value or several, a range, a prefix; of what there is.
  private mutating func indexed(of entity: String) -> Condition? {
    if random.chance(5) { return named(of: entity) }
    let attributes = world.indexed(in: entity)
    let objects = world.objects.filter { QueryWorld.root(of: $0.entity) == QueryWorld.root(of: entity) }
    guard !attributes.isEmpty, !objects.isEmpty else { return nil }
    let attribute = random.pick(attributes)
    let path = Operand.path([attribute.name])
    func value(_ random: inout QueryRandom) -> Value {
      ReferenceText.stored(random.pick(objects).values[attribute.name] ?? random.value(of: attribute.type))
    }
    switch Int.random(in: 0...3, using: &random) {
    case 0: return .compare(path, .equal, .literal(value(&random)))
    case 1: return .in(path, (0...Int.random(in: 0...12, using: &random)).map { _ in value(&random) })
    case 2:
      let bounds: [Comparison] = [.greaterOrEqual, .greater, .lessOrEqual, .less]
      return .and([
        .compare(path, bounds[Int.random(in: 0...1, using: &random)], .literal(value(&random))),
        .compare(path, bounds[Int.random(in: 2...3, using: &random)], .literal(value(&random))),
      ])
    default:
      guard case .string(let text) = value(&random) else {
        return .compare(path, .lessOrEqual, .literal(value(&random)))
      }
      let length = Int.random(in: 0...text.unicodeScalars.count, using: &random)
      let prefix = ReferenceText.normalized(
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))))
      if random.chance(2) { return .compare(path, .beginsWith, .literal(.string(prefix))) }
      return .compare(path, .like, .literal(.string(prefix + random.pick(["*", "?", "*a", "?*", ""]))))
    }
  }

  /// A condition on the objects themselves.
  private mutating func named(of entity: String) -> Condition {
    let numbers = (0...Int.random(in: 0...20, using: &random)).map { _ in
      Value.reference(Number.random(in: 1...60, using: &random))
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .in(.itself, numbers)
    case 1: return .compare(.itself, .equal, object(of: entity))
    case 2: return .compare(.itself, .notEqual, object(of: entity))
    default: return .or([.compare(.itself, .equal, object(of: entity)), .in(.itself, numbers)])
    }
  }

  private mutating func members(of entity: String, depth: Int) -> Condition {
    let quantifier = random.pick(Quantifier.allCases)
    let (path, target) = toMany(of: entity)
    if random.chance(2) { return .members(quantifier, path, condition(of: target, depth: depth - 1)) }
    if random.chance(3) {
      let object = object(of: target)
      return .members(
        quantifier, path,
        random.chance(2)
          ? .compare(.itself, .equal, object) : .in(.itself, [.reference(random.pick([1, 2, 3]))]))
    }
    let (rest, type) = attribute(of: target)
    return .members(quantifier, path + rest, comparison((.itself, type), in: nil))
  }

  /// A comparison of an operand with a constant, or with another one of the entity.
  private mutating func comparison(_ left: (operand: Operand, type: ValueType), in entity: String?)
    -> Condition
  {
    let type = left.type
    let isText = type == .string || type == .uri
    let options: TextOptions =
      isText && random.chance(2) ? TextOptions(rawValue: UInt8.random(in: 1...3, using: &random)) : []
    if random.chance(7) {
      let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in constant(of: type) }
      return .in(left.operand, values, options)
    }
    let comparison =
      isText ? random.pick(Comparison.allCases) : random.pick(Comparison.allCases.filter { !$0.needsText })
    if let entity, random.chance(6) {
      let (path, other) = attribute(of: entity)
      if other == type { return .compare(left.operand, comparison, .path(path), options) }
    }
    var value = constant(of: type)
    if case .string(let text) = value, comparison == .like {
      value = .string(random.pick(["*", "?", "", "a*"]) + text + random.pick(["*", "?", ""]))
    }
    if random.chance(8) { return .compare(.literal(value), comparison, left.operand, options) }
    return .compare(left.operand, comparison, .literal(value), options)
  }

  /// A constant, in the form that text brings it to.
  private mutating func constant(of type: ValueType) -> Value {
    if random.chance(12) { return .null }
    if type == .double, random.chance(150) { return .double(.nan) }
    if case .string(let text) = random.value(of: type) { return .string(ReferenceText.normalized(text)) }
    return random.value(of: type)
  }

  private mutating func object(of entity: String) -> Operand {
    .object(entity: entity, number: random.pick([1, 2, 3, 7]))
  }

  // MARK: Operands

  /// A path or aggregate that has a value to compare and sort by.
  private mutating func operand(of entity: String) -> (operand: Operand, type: ValueType) {
    guard random.chance(4) else {
      let (path, type) = attribute(of: entity)
      return (.path(path), type)
    }
    let (path, target) = toMany(of: entity)
    let (rest, type) = attribute(of: target)
    let aggregate = random.pick(Self.aggregates(of: type))
    if aggregate == .count { return (.aggregate(.count, path), .int64) }
    return (.aggregate(aggregate, path + rest), Self.result(of: aggregate, type))
  }

  private static func aggregates(of type: ValueType) -> [Aggregate] {
    switch type {
    case .int16, .int32, .int64, .double, .float, .decimal: Aggregate.allCases
    default: [.count, .minimum, .maximum]
    }
  }

  private static func result(of aggregate: Aggregate, _ type: ValueType) -> ValueType {
    switch (aggregate, type) {
    case (.count, _): .int64
    case (.minimum, _), (.maximum, _), (_, .decimal): type
    case (.sum, .int16), (.sum, .int32), (.sum, .int64): .int64
    default: .double
    }
  }

  /// An attribute at the end of up to two to-one relationships.
  private mutating func attribute(of entity: String) -> (path: [String], type: ValueType) {
    var path: [String] = []
    var holder = entity
    while path.count < 2, random.chance(5) {
      let steps = world.relationships(of: holder).filter { !$0.isToMany }
      if steps.isEmpty { break }
      let step = random.pick(steps)
      path.append(step.name)
      holder = step.destination
    }
    let attribute = random.pick(world.attributes(of: holder))
    return (path + [attribute.name], attribute.type)
  }

  /// A path that ends with a to-many relationship, and the entity of its members.
  private mutating func toMany(of entity: String) -> (path: [String], target: String) {
    var path: [String] = []
    var holder = entity
    while true {
      let relationships = world.relationships(of: holder)
      let ending = relationships.filter(\.isToMany)
      if !ending.isEmpty, path.count > 2 || !random.chance(4) {
        let last = random.pick(ending)
        return (path + [last.name], last.destination)
      }
      let step = random.pick(relationships)
      path.append(step.name)
      holder = step.destination
    }
  }
}
