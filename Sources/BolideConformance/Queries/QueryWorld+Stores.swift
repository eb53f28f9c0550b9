import Bolide
import BolideStorage

/// A world in stores, and what batch requests make of it.
extension QueryWorld {
  /// Saves the objects in a new store.
  func fill(_ container: PersistentContainer) throws {
    let context = container.newContext(author: "fuzz")
    var made: [ManagedObject] = []
    for object in objects {
      let stored = try context.insert(object.entity)
      for (name, value) in object.values { try stored.setValue(value, for: name) }
      made.append(stored)
    }
    for (object, stored) in zip(objects, made) {
      // One side of each relationship suffices: the other follows.
      for name in ["owner", "boss", "keeper"] {
        guard let number = object.members[name]?.first, let owner = place("Owner", number) else { continue }
        try stored.setObject(made[owner], for: name)
      }
      let tags = (object.members["tags"] ?? []).compactMap { place("Tag", $0) }.map { made[$0] }
      if !tags.isEmpty { try stored.addObjects(tags, for: "tags") }
    }
    try context.save()
    for (object, stored) in zip(objects, made) {
      try checkEqual(stored.objectID.number, object.number, "the number of an object")
    }
  }

  // MARK: Batch requests

  /// Gives an object new values.
  mutating func set(_ values: [String: Value], of index: Int) {
    for (name, value) in values { objects[index].values[name] = value == .null ? nil : value }
  }

  /// Removes objects; what named them names them no more.
  mutating func delete(_ deleted: [Object]) {
    for object in deleted {
      let root = Self.root(of: object.entity)
      objects.removeAll { Self.root(of: $0.entity) == root && $0.number == object.number }
      for index in objects.indices {
        for relationship in relationships(of: objects[index].entity)
        where Self.root(of: relationship.destination) == root {
          objects[index].members[relationship.name]?.removeAll { $0 == object.number }
        }
      }
    }
  }

  /// What everything in a store is asked with, to see what a batch request left: rows of attributes and counts.
  var everything: [QueryRequest] {
    ["Thing", "Owner", "Tag"].map { entity in
      let columns =
        attributes(of: entity).map { FetchColumn(.path([$0.name])) }
        + relationships(of: entity).filter(\.isToMany).map { FetchColumn(.aggregate(.count, [$0.name])) }
      return QueryRequest(entity: entity, result: .rows(columns, isDistinct: false))
    }
  }
}
