import BolideStorage

/// Lays a valid schema out in tables.
struct SchemaCompiler {
  private(set) var layout = Layout(tables: [], links: [], entities: [])
  /// The id of each entity.
  private(set) var ids: [String: EntityID] = [:]

  private let entities: [EntityDescription]
  /// For each entity its ancestors and itself, the root first.
  private var lineages: [[EntityID]] = []
  /// The members of each table: its root, then the others by name.
  private var members: [[EntityID]] = []
  private var places: [Key: PropertyMap] = [:]
  private var referenceColumns: [Key: Int] = [:]

  /// A property by the entity that declares it.
  private struct Key: Hashable {
    let entity: EntityID
    let name: String
  }

  init(_ schema: Schema) {
    entities = schema.entities.sorted { $0.name < $1.name }
    for (id, entity) in entities.enumerated() { ids[entity.name] = id }
    lineages = entities.map { entity in
      var lineage: [EntityID] = []
      var next: String? = entity.name
      while let name = next, let id = ids[name] {
        lineage.insert(id, at: 0)
        next = entities[id].parent
      }
      return lineage
    }
    let roots = entities.indices.filter { entities[$0].parent == nil }
    members = roots.map { root in [root] + entities.indices.filter { $0 != root && lineages[$0][0] == root } }
    var names = NameTable()
    layout.tables = roots.map {
      TableLayout(
        name: names.unique(entities[$0].name), columns: [], indexes: [], properties: [], preserved: [])
    }
    layout.entities = entities.indices.map { id in
      EntityLayout(name: entities[id].name, table: roots.firstIndex(of: lineages[id][0]) ?? 0)
    }
    for table in layout.tables.indices { layOutColumns(of: table) }
    layOutRelationships(&names)
  }

  // MARK: Columns

  private mutating func layOutColumns(of table: TableID) {
    var names = NameTable()
    if members[table].count > 1 {
      layout.tables[table].columns.append(ColumnLayout(name: "_entity", type: .int32))
      layout.tables[table].properties.append("_entity")
    }
    for id in members[table] {
      let entity = entities[id]
      let columns =
        entity.attributes.map { (name: $0.name, type: $0.type, attribute: Optional($0)) }
        + entity.relationships.filter { holdsColumn($0, of: id) }
        .map { (name: $0.name, type: ValueType.reference, attribute: nil) }
      for property in columns.sorted(by: { $0.name < $1.name }) {
        let column = layout.tables[table].columns.count
        let name = names.unique(property.name, otherwise: "\(entity.name)_\(property.name)")
        layout.tables[table].columns.append(ColumnLayout(name: name, type: property.type))
        layout.tables[table].properties.append(property.name)
        guard let attribute = property.attribute else {
          referenceColumns[Key(entity: id, name: property.name)] = column
          continue
        }
        if attribute.isPreservedOnDeletion { layout.tables[table].preserved.append(column) }
        places[Key(entity: id, name: property.name)] = PropertyMap(
          name: property.name, id: column, kind: .attribute(column: column, attribute),
          isOptional: attribute.isOptional)
      }
    }
    layOutIndexes(of: table)
  }

  private mutating func layOutIndexes(of table: TableID) {
    for id in members[table] {
      let entity = entities[id]
      let byNames: ([String], [String]) -> Bool = { $0.lexicographicallyPrecedes($1) }
      for names in entity.uniquenessConstraints.sorted(by: byNames) {
        addIndex(columns(names, of: id), to: table, isUnique: true)
      }
      for names in entity.indexes.sorted(by: byNames) {
        addIndex(columns(names, of: id), to: table, isUnique: false)
      }
    }
  }

  /// Adds an index unless one over the same columns serves already.
  @discardableResult
  private mutating func addIndex(_ columns: [Int], to table: TableID, isUnique: Bool) -> IndexID {
    let indexes = layout.tables[table].indexes
    if let same = indexes.firstIndex(where: { $0.columns == columns && ($0.isUnique || !isUnique) }) {
      return same
    }
    var names = NameTable(indexes.map(\.name))
    let name = names.unique(columns.map { layout.tables[table].columns[$0].name }.joined(separator: "_"))
    layout.tables[table].indexes.append(IndexLayout(name: name, columns: columns, isUnique: isUnique))
    return indexes.count
  }

  private func columns(_ names: [String], of entity: EntityID) -> [Int] {
    names.compactMap { name in
      lineages[entity].lazy.compactMap { places[Key(entity: $0, name: name)]?.column }.first
    }
  }

  // MARK: Relationships

  /// Whether a relationship is kept in a column of its own entity's table.
  private func holdsColumn(_ relationship: RelationshipDescription, of id: EntityID) -> Bool {
    guard !relationship.isToMany, let (_, inverse) = inverse(of: relationship) else { return false }
    return inverse.isToMany || comesFirst(relationship, of: id)
  }

  /// Whether a relationship is the side of its pair that sorts first by entity, then name.
  private func comesFirst(_ relationship: RelationshipDescription, of id: EntityID) -> Bool {
    guard let (other, inverse) = inverse(of: relationship) else { return true }
    return id == other ? relationship.name < inverse.name : id < other
  }

  private func inverse(
    of relationship: RelationshipDescription
  ) -> (EntityID, RelationshipDescription)? {
    guard let id = ids[relationship.destination],
      let inverse = entities[id].relationships.first(where: { $0.name == relationship.inverse })
    else { return nil }
    return (id, inverse)
  }

  private mutating func layOutRelationships(_ names: inout NameTable) {
    for table in layout.tables.indices {
      for id in members[table] {
        for relationship in entities[id].relationships.sorted(by: { $0.name < $1.name }) {
          layOut(relationship, of: id, in: table, &names)
        }
      }
    }
    // Ids of properties without a column follow those of all columns of their table.
    for table in layout.tables.indices {
      for id in members[table] {
        for relationship in entities[id].relationships.sorted(by: { $0.name < $1.name }) {
          let key = Key(entity: id, name: relationship.name)
          guard let place = places[key], place.column == nil else { continue }
          places[key] = PropertyMap(
            name: place.name, id: layout.tables[table].properties.count, kind: place.kind,
            isOptional: place.isOptional)
          layout.tables[table].properties.append(relationship.name)
        }
      }
    }
  }

  /// Lays out a pair of relationships, from the side that holds the column or comes first.
  private mutating func layOut(
    _ relationship: RelationshipDescription, of id: EntityID, in table: TableID,
    _ names: inout NameTable
  ) {
    guard let (other, inverse) = inverse(of: relationship) else { return }
    let here = Key(entity: id, name: relationship.name)
    let there = Key(entity: other, name: inverse.name)
    if holdsColumn(relationship, of: id) {
      guard let column = referenceColumns[here] else { return }
      let index = addIndex([column], to: table, isUnique: false)
      places[here] = PropertyMap(
        name: relationship.name, id: column,
        kind: .toOne(column: column, index: index, relationship, destination: other),
        isOptional: relationship.isOptional)
      places[there] = PropertyMap(
        name: inverse.name, id: 0,
        kind: .inverse(
          toMany: inverse.isToMany, table: table, column: column, index: index, inverse, destination: id),
        isOptional: inverse.isOptional)
    } else if relationship.isToMany, inverse.isToMany, comesFirst(relationship, of: id) {
      let link = layout.links.count
      layout.links.append(
        LinkLayout(
          name: names.unique("\(entities[id].name)_\(relationship.name)"),
          source: table, sourceName: inverse.name, target: layout.entities[other].table,
          targetName: relationship.name))
      places[here] = PropertyMap(
        name: relationship.name, id: 0,
        kind: .link(link, side: .forward, relationship, destination: other),
        isOptional: relationship.isOptional)
      places[there] = PropertyMap(
        name: inverse.name, id: 0, kind: .link(link, side: .inverse, inverse, destination: id),
        isOptional: inverse.isOptional)
    }
  }

  // MARK: Result

  /// The entities by id.
  func entityMaps() -> [EntityMap] {
    let formats = layout.tables.map(\.format)
    return entities.indices.map { id in
      let lineage = lineages[id]
      let table = layout.entities[id].table
      let entity = entities[id]
      return EntityMap(
        id: id, description: entity, table: table, tableLayout: layout.tables[table],
        format: formats[table], root: entities[lineage[0]].name,
        parentID: lineage.count > 1 ? lineage[lineage.count - 2] : nil,
        members: entities.indices.filter { lineages[$0].contains(id) },
        entityColumn: members[table].count > 1 ? 0 : nil,
        properties: lineage.flatMap { holder in
          (entities[holder].attributes.map(\.name) + entities[holder].relationships.map(\.name))
            .compactMap { places[Key(entity: holder, name: $0)] }
        },
        uniqueIndexes: lineage.flatMap { holder in
          entities[holder].uniquenessConstraints.compactMap { names in
            let columns = columns(names, of: holder)
            return layout.tables[table].indexes.firstIndex { $0.columns == columns && $0.isUnique }
          }
        })
    }
  }
}

/// Names given so far, told apart as SQLite and macOS do: letters of either case are the same.
private struct NameTable {
  private var taken: Set<String>

  init(_ names: [String] = []) { taken = Set(names.map { $0.lowercased() }) }

  /// The name, or another one when it is taken.
  mutating func unique(_ name: String, otherwise second: String? = nil) -> String {
    if taken.insert(name.lowercased()).inserted { return name }
    if let second, taken.insert(second.lowercased()).inserted { return second }
    var number = 2
    while !taken.insert("\(second ?? name)_\(number)".lowercased()).inserted { number += 1 }
    return "\(second ?? name)_\(number)"
  }
}
