import Bolide
import BolideStorage
import Foundation

/// A random schema with random objects, as plain values: what random requests are asked of.
struct QueryWorld: Sendable {
  /// An object as its entity, number, attributes and members.
  struct Object: Sendable {
    var entity: String
    var number: Number
    /// The attributes that are not nil.
    var values: [String: Value]
    /// The numbers behind each relationship, ascending; both sides have them.
    var members: [String: [Number]]
  }

  private(set) var schema: Schema
  var objects: [Object] = []
  /// Edits that a context makes of it before it is asked.
  var edits: [QueryEdit] = []

  /// Makes a world of some objects; the same one for the same seed.
  init(seed: UInt64, objectCount: Int) {
    var random = QueryRandom(seed: seed)
    schema = Self.schema(&random)
    var numbers: [String: Number] = [:]
    var keys: Set<[Value]> = []
    for _ in 0..<objectCount {
      let entity = random.pick(["Thing", "Thing", "Thing", "Special", "Owner", "Tag"])
      let root = Self.root(of: entity)
      numbers[root, default: 0] += 1
      var values: [String: Value] = [:]
      for attribute in attributes(of: entity) where !random.chance(5) {
        values[attribute.name] = random.value(of: attribute.type)
      }
      // A nil in a key never conflicts.
      for names in constraints(of: entity) where !keys.insert(key(names, of: root, values)).inserted {
        values[names[0]] = nil
      }
      objects.append(
        Object(entity: entity, number: numbers[root] ?? 0, values: values, members: [:]))
    }
    connect(&random)
  }

  // MARK: Schema

  /// The entity whose numbers and table an entity shares.
  static func root(of entity: String) -> String { entity == "Special" ? "Thing" : entity }

  private static func schema(_ random: inout QueryRandom) -> Schema {
    func attributes(_ prefix: String, _ count: Int, _ random: inout QueryRandom) -> [AttributeDescription] {
      var types: [ValueType] = [.string, .int64]
      while types.count < count { types.append(random.pick(Self.types)) }
      return types.enumerated().map { AttributeDescription(name: "\(prefix)\($0)", type: $1) }
    }
    func indexes(_ attributes: [AttributeDescription], _ random: inout QueryRandom) -> [[String]] {
      let names = attributes.map(\.name)
      var indexes: [[String]] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let first = random.pick(names)
        let second = random.pick(names)
        indexes.append(first == second || random.chance(2) ? [first] : [first, second])
      }
      return Array(Set(indexes)).sorted { $0.lexicographicallyPrecedes($1) }
    }
    func constraints(_ names: [String], _ random: inout QueryRandom) -> [[String]] {
      random.chance(2)
        ? [] : random.chance(2) ? [[random.pick(names)]] : [Array(names.shuffled(using: &random).prefix(2))]
    }
    let thing = attributes("a", 7, &random)
    let special = attributes("s", 2, &random)
    let owner = attributes("o", 4, &random)
    let tag = attributes("t", 3, &random)
    return Schema(
      name: "World",
      entities: [
        EntityDescription(
          name: "Thing", attributes: thing,
          relationships: [
            RelationshipDescription(name: "owner", destination: "Owner", inverse: "things"),
            RelationshipDescription(name: "tags", destination: "Tag", inverse: "things", isToMany: true),
          ], uniquenessConstraints: constraints(["a0", "a1", "a2", "a3"], &random),
          indexes: indexes(thing, &random)),
        EntityDescription(name: "Special", parent: "Thing", attributes: special),
        EntityDescription(
          name: "Owner", attributes: owner,
          relationships: [
            RelationshipDescription(name: "things", destination: "Thing", inverse: "owner", isToMany: true),
            RelationshipDescription(name: "boss", destination: "Owner", inverse: "staff"),
            RelationshipDescription(name: "staff", destination: "Owner", inverse: "boss", isToMany: true),
            RelationshipDescription(name: "badge", destination: "Tag", inverse: "keeper"),
          ], uniquenessConstraints: constraints(["o0", "o2"], &random), indexes: indexes(owner, &random)),
        EntityDescription(
          name: "Tag", attributes: tag,
          relationships: [
            RelationshipDescription(name: "things", destination: "Thing", inverse: "tags", isToMany: true),
            RelationshipDescription(name: "keeper", destination: "Owner", inverse: "badge"),
          ], uniquenessConstraints: constraints(["t0", "t1"], &random), indexes: indexes(tag, &random)),
      ])
  }

  /// The types that attributes have.
  private static let types = ValueType.allCases.filter { $0 != .reference }

  private func entity(_ name: String) -> EntityDescription? { schema.entities.first { $0.name == name } }

  /// Own and inherited attributes.
  func attributes(of name: String) -> [AttributeDescription] {
    guard let entity = entity(name) else { return [] }
    return (entity.parent.map { attributes(of: $0) } ?? []) + entity.attributes
  }

  /// Own and inherited relationships.
  func relationships(of name: String) -> [RelationshipDescription] {
    guard let entity = entity(name) else { return [] }
    return (entity.parent.map { relationships(of: $0) } ?? []) + entity.relationships
  }

  /// The uniqueness constraints of an entity, those of its parent included.
  func constraints(of name: String) -> [[String]] {
    entity(Self.root(of: name))?.uniquenessConstraints ?? []
  }

  /// Attributes that an index or a constraint begins with.
  func indexed(in name: String) -> [AttributeDescription] {
    let first = Set(
      ((entity(Self.root(of: name))?.indexes ?? []) + constraints(of: name)).compactMap(\.first))
    return attributes(of: name).filter { first.contains($0.name) }
  }

  /// What must not come twice; different in every call where a part is nil.
  private func key(_ names: [String], of root: String, _ values: [String: Value]) -> [Value] {
    let parts = names.map { ReferenceText.stored(values[$0] ?? .null) }
    if parts.contains(.null) { return [.uuid(UUID())] }
    return [.string("\(root) \(names.joined(separator: " "))")] + parts
  }

  // MARK: Objects

  private mutating func connect(_ random: inout QueryRandom) {
    let places = objects.indices.reduce(into: [String: [Int]]()) { places, index in
      places[Self.root(of: objects[index].entity), default: []].append(index)
    }
    guard let owners = places["Owner"], let tags = places["Tag"] else { return }
    for thing in places["Thing"] ?? [] {
      if !random.chance(4) { connect(thing, "owner", random.pick(owners), "things") }
      for tag in tags where random.chance(4) { connect(thing, "tags", tag, "things") }
    }
    for owner in owners where !random.chance(3) { connect(owner, "boss", random.pick(owners), "staff") }
    for (owner, tag) in zip(owners.shuffled(using: &random), tags) where !random.chance(3) {
      connect(tag, "keeper", owner, "badge")
    }
  }

  private mutating func connect(_ one: Int, _ name: String, _ other: Int, _ inverse: String) {
    objects[one].members[name, default: []].append(objects[other].number)
    objects[other].members[inverse, default: []].append(objects[one].number)
    objects[one].members[name]?.sort()
    objects[other].members[inverse]?.sort()
  }

  /// The object of an entity, or of one below it, with a number.
  func object(_ entity: String, _ number: Number) -> Object? {
    objects.first { Self.root(of: $0.entity) == Self.root(of: entity) && $0.number == number }
  }

  /// The world without some objects; the others get the numbers that they have then.
  func without(_ removed: Set<Int>) -> QueryWorld {
    var world = self
    world.objects = []
    var numbers: [String: Number] = [:]
    var renumbered: [String: [Number: Number]] = [:]
    for (index, object) in objects.enumerated() where !removed.contains(index) {
      let root = Self.root(of: object.entity)
      numbers[root, default: 0] += 1
      renumbered[root, default: [:]][object.number] = numbers[root]
      world.objects.append(object)
      world.objects[world.objects.count - 1].number = numbers[root] ?? 0
    }
    for index in world.objects.indices {
      for relationship in relationships(of: world.objects[index].entity) {
        let names = renumbered[Self.root(of: relationship.destination)] ?? [:]
        let members = world.objects[index].members[relationship.name] ?? []
        world.objects[index].members[relationship.name] = members.compactMap { names[$0] }.sorted()
      }
    }
    world.edits = edits.compactMap { $0.renumbered(renumbered) }
    return world
  }
}
