import BolideStorage

/// All derived attributes of a schema, and which changes make which of them stale.
package struct DerivedRules: Sendable {
  /// A change of a property that makes an attribute stale, and the way back from the changed object to the owners.
  package struct Trigger: Sendable {
    package let table: TableID
    package let property: Int
    package let attribute: Int
    package let back: [(property: PropertyMap, table: TableID)]
  }

  package private(set) var attributes: [DerivedAttribute] = []
  package private(set) var triggers: [Trigger] = []

  package init(_ map: SchemaMap) {
    for entity in map.entities {
      for property in entity.attributes {
        guard case .attribute(let column, let description) = property.kind,
          let derivation = description.derivation,
          let source = Self.source(derivation, of: entity, map: map)
        else { continue }
        let index = attributes.count
        attributes.append(
          DerivedAttribute(
            entity: entity, property: property, column: column, type: description.type, source: source))
        addTriggers(source, attribute: index, entity: entity, map: map)
      }
    }
  }

  private static func source(
    _ derivation: Derivation, of entity: EntityMap, map: SchemaMap
  ) -> DerivedAttribute.Source? {
    switch derivation {
    case .now:
      return .now
    case .count(let name):
      return entity.find(name).map { .count($0) }
    case .lowercase(let name), .uppercase(let name), .canonical(let name):
      return entity.find(name)?.column.map { .text(column: $0, derivation) }
    case .sum(let name, let attribute):
      guard let side = entity.find(name), let destination = side.destination,
        let column = map.entities[destination].find(attribute)?.column
      else { return nil }
      return .sum(side, column: column)
    case .value(let path):
      var steps: [PropertyMap] = []
      var holder = entity
      for name in path.dropLast() {
        guard let step = holder.find(name), let destination = step.destination else { return nil }
        steps.append(step)
        holder = map.entities[destination]
      }
      guard let last = path.last, let column = holder.find(last)?.column else { return nil }
      return .path(steps, column: column)
    }
  }

  private mutating func addTriggers(
    _ source: DerivedAttribute.Source, attribute: Int, entity: EntityMap, map: SchemaMap
  ) {
    func add(
      _ table: TableID, _ property: Int, _ back: [(property: PropertyMap, table: TableID)]
    ) {
      triggers.append(Trigger(table: table, property: property, attribute: attribute, back: back))
    }
    switch source {
    case .now:
      break
    case .text(let column, _):
      add(entity.table, column, [])
    case .count(let side):
      add(entity.table, side.id, [])
    case .sum(let side, let column):
      add(entity.table, side.id, [])
      if let destination = side.destination, let inverse = map.inverse(of: side, destination: destination) {
        let table = map.entities[destination].table
        add(table, column, [(inverse, table)])
      }
    case .path(let steps, let column):
      var table = entity.table
      var back: [(property: PropertyMap, table: TableID)] = []
      for step in steps {
        add(table, step.id, back)
        guard let destination = step.destination,
          let inverse = map.inverse(of: step, destination: destination)
        else { return }
        table = map.entities[destination].table
        back.insert((inverse, table), at: 0)
      }
      add(table, column, back)
    }
  }
}
