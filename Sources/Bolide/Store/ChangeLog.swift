import BolideStorage

/// What a write transaction did so far to each object, net of what it undid itself (rules H-2, U-4).
///
/// Attribute changes replace what was known of an object; changes of relationship sides are kept as net
/// pairs, so that a link added and removed again is no change.
package struct ChangeLog {
  /// Objects of one entity with the same changed columns.
  private struct Key: Hashable {
    var entity: EntityID
    var properties: PropertySet
  }

  /// One member of one side of a relationship.
  package struct Side: Hashable {
    package var table: TableID
    package var property: Int
    package var owner: Number
    package var member: Number
  }

  private var inserted: [EntityID: NumberSet] = [:]
  private var deleted: [EntityID: NumberSet] = [:]
  private var updated: [Key: NumberSet] = [:]
  /// `true`: the member was added; `false`: it was removed.
  package private(set) var sides: [Side: Bool] = [:]

  package init() {}

  /// The objects inserted and still there.
  package func insertedNumbers(of entity: EntityID) -> NumberSet { inserted[entity] ?? NumberSet() }
  package func deletedNumbers(of entity: EntityID) -> NumberSet { deleted[entity] ?? NumberSet() }
  package func updatedNumbers(of entity: EntityID) -> NumberSet {
    updated.reduce(into: NumberSet()) { if $1.key.entity == entity { $0.formUnion($1.value) } }
  }

  /// Objects of an entity in which a property changed.
  package func updatedNumbers(of entity: EntityID, in property: Int) -> NumberSet {
    updated.reduce(into: NumberSet()) { result, entry in
      if entry.key.entity == entity, entry.key.properties.contains(property) { result.formUnion(entry.value) }
    }
  }

  package var isEmpty: Bool {
    inserted.values.allSatisfy(\.isEmpty) && deleted.values.allSatisfy(\.isEmpty)
      && updated.values.allSatisfy(\.isEmpty) && sides.isEmpty
  }

  package mutating func insert(_ number: Number, entity: EntityID) {
    inserted[entity, default: NumberSet()].insert(number)
  }

  /// Notes objects that were just inserted under successive numbers.
  package mutating func insert(_ numbers: Range<Number>, entity: EntityID) {
    var set = inserted.removeValue(forKey: entity) ?? NumberSet()
    set.insert(numbers)
    inserted[entity] = set
  }

  package func isInserted(_ number: Number, entity: EntityID) -> Bool {
    inserted[entity]?.contains(number) ?? false
  }

  package func isDeleted(_ number: Number, entity: EntityID) -> Bool {
    deleted[entity]?.contains(number) ?? false
  }

  /// Whether the transaction changed the object's columns already.
  package func isUpdated(_ number: Number, entity: EntityID) -> Bool {
    updated.contains { $0.key.entity == entity && $0.value.contains(number) }
  }

  /// Sets what differs now from before the transaction in the object's columns; nothing when it is as before.
  ///
  /// - Parameter isFirst: whether the object surely had no update so far, which spares the search.
  package mutating func setUpdated(
    _ number: Number, entity: EntityID, properties: PropertySet, isFirst: Bool
  ) {
    if isInserted(number, entity: entity) { return }
    if !isFirst {
      for key in updated.keys where key.entity == entity { updated[key]?.remove(number) }
    }
    if !properties.isEmpty {
      updated[Key(entity: entity, properties: properties), default: NumberSet()].insert(number)
    }
  }

  /// Notes objects that had no change so far and now differ in the same columns.
  mutating func setUpdated(
    _ numbers: some Sequence<Number>, entity: EntityID, properties: PropertySet
  ) {
    let key = Key(entity: entity, properties: properties)
    var set = updated.removeValue(forKey: key) ?? NumberSet()
    set.insert(contentsOf: numbers)
    updated[key] = set
  }

  /// Notes that objects that the transaction did not touch before were deleted.
  mutating func delete(_ numbers: [Number], entity: EntityID) {
    var set = deleted.removeValue(forKey: entity) ?? NumberSet()
    set.insert(contentsOf: numbers)
    deleted[entity] = set
  }

  package mutating func delete(_ number: Number, entity: EntityID) {
    if inserted[entity]?.remove(number) == true { return }
    for key in updated.keys where key.entity == entity { updated[key]?.remove(number) }
    deleted[entity, default: NumberSet()].insert(number)
  }

  /// Notes that a member came to or left one side of a relationship.
  package mutating func note(_ side: Side, added: Bool) {
    if let known = sides[side], known != added {
      sides[side] = nil
    } else {
      sides[side] = added
    }
  }

  /// Adds properties to what is known of an object: relationships and derived values, at the end.
  package mutating func extend(_ number: Number, entity: EntityID, by properties: PropertySet) {
    if isInserted(number, entity: entity) || isDeleted(number, entity: entity) { return }
    var all = properties
    for key in updated.keys where key.entity == entity && updated[key]?.remove(number) == true {
      all.formUnion(key.properties)
    }
    updated[Key(entity: entity, properties: all), default: NumberSet()].insert(number)
  }

  /// The history of it: runs of at most ``ChangeRun/rangeLimit`` ranges.
  package func runs() -> [ChangeRun] {
    var result: [ChangeRun] = []
    func add(_ entity: EntityID, _ kind: ChangeKind, _ properties: PropertySet, _ numbers: NumberSet) {
      var ranges = numbers.ranges[...]
      while !ranges.isEmpty {
        result.append(
          ChangeRun(
            entity: entity, kind: kind, properties: properties,
            numbers: Array(ranges.prefix(ChangeRun.rangeLimit))))
        ranges = ranges.dropFirst(ChangeRun.rangeLimit)
      }
    }
    for (entity, numbers) in inserted.sorted(by: { $0.key < $1.key }) {
      add(entity, .insert, PropertySet(), numbers)
    }
    let updates = updated.sorted { left, right in
      left.key.entity == right.key.entity
        ? left.key.properties.members.lexicographicallyPrecedes(right.key.properties.members)
        : left.key.entity < right.key.entity
    }
    for (key, numbers) in updates { add(key.entity, .update, key.properties, numbers) }
    for (entity, numbers) in deleted.sorted(by: { $0.key < $1.key }) {
      add(entity, .delete, PropertySet(), numbers)
    }
    return result
  }
}
