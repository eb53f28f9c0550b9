import BolideStorage

/// The names and ids under which history goes on: property ids survive renames, and a removed one is not given again.
extension MigrationPlan {
  /// The entities of the layout: those of the schema, then the earlier names of those that were renamed.
  func entityLayouts(_ names: StoredNames) -> [EntityLayout] {
    let new = match.new
    return new.layout.entities
      + names.entities.sorted { $0.key < $1.key }.compactMap { earlier, name in
        new.entities.first { $0.name == name }.map { EntityLayout(name: earlier, table: $0.table) }
      }
  }

  /// What becomes of the earlier names: renames are added, and names of entities that are gone left out.
  ///
  /// - Returns: `nil` where a name in history would come to mean another entity.
  func renamed(_ names: StoredNames) -> StoredNames? {
    var result = names
    result.entities = [:]
    var taken = Set(match.new.entities.map(\.name))
    for (earlier, name) in names.entities {
      guard let stored = match.old.entities.first(where: { $0.name == name })?.id,
        let successor = match.successors[stored]
      else { continue }
      result.entities[earlier] = match.new.entities[successor].name
    }
    for stored in match.old.entities {
      guard let successor = match.successors[stored.id] else { continue }
      let name = match.new.entities[successor].name
      if name != stored.name { result.entities[stored.name] = name }
    }
    for earlier in result.entities.keys where !taken.insert(earlier).inserted { return nil }
    // A removed entity's name that another one takes over would lend it its history.
    for stored in match.old.entities where match.successors[stored.id] == nil {
      if match.new.entities.contains(where: { $0.name == stored.name && match.entities[$0.id] != nil }) {
        return nil
      }
    }
    return result
  }

  /// For each new table the names of properties by their ids in history, and the id of each of the schema's properties.
  func properties(
    stored layout: Layout, _ names: StoredNames
  ) -> [(names: [String], ids: [Int])] {
    match.new.layout.tables.indices.map { table in
      let wanted = match.new.layout.tables[table].properties
      guard let source = tables[table].source else { return (wanted, Array(wanted.indices)) }
      let before = match.old.layout.tables[source]
      let idsBefore = names.properties[before.name] ?? Array(before.properties.indices)
      var list = layout.tables[source].properties.map { _ in "" }
      var ids: [Int?] = wanted.map { _ in nil }
      for entity in match.new.entities where entity.table == table {
        for property in entity.properties {
          guard let stored = match.stored(property, of: entity.id), idsBefore.indices.contains(stored.id)
          else {
            continue
          }
          let id = idsBefore[stored.id]
          guard list.indices.contains(id) else { continue }
          list[id] = property.name
          if ids[property.id] == nil { ids[property.id] = id }
        }
      }
      for (place, name) in wanted.enumerated() where ids[place] == nil {
        // Bolide's own column comes first in both.
        if name == "_entity", list.first == "", layout.tables[source].properties.first == name {
          ids[place] = 0
          list[0] = name
        } else {
          ids[place] = list.count
          list.append(name)
        }
      }
      return (list, ids.map { $0 ?? 0 })
    }
  }
}
