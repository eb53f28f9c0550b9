import BolideStorage

/// The way back from objects at the end of relationships to the rows that look at them.
struct RelatedWalk {
  /// The entities that objects at the end may have.
  let entities: [EntityID]
  private let map: SchemaMap
  /// The relationships that lead there, with the entity that each starts from.
  private let steps: [(property: PropertyMap, holder: EntityMap)]

  /// One walk for each relationship of a path: all objects on it may change what the path ends at.
  static func walks(along path: [String], from entity: EntityMap, in map: SchemaMap) -> [RelatedWalk] {
    var walks: [RelatedWalk] = []
    var steps: [(property: PropertyMap, holder: EntityMap)] = []
    var holder = entity
    for name in path {
      guard let property = holder.find(name), let destination = property.destination else { break }
      steps.append((property, holder))
      holder = map.entities[destination]
      walks.append(RelatedWalk(entities: holder.members, map: map, steps: steps))
    }
    // A path that ends at the object itself looks at nothing that the row's own change does not tell.
    if let last = path.last, walks.count == path.count, walks.last?.steps.last?.property.name == last {
      walks.removeLast()
    }
    return walks
  }

  /// The rows whose path leads over one of the objects, as a state has it.
  func owners(of numbers: [Number], from reader: any Reader) throws(BolideError) -> [Number] {
    let relationships = RelationshipReader(map: map, reader: reader)
    var current = Set(numbers).sorted()
    for (property, holder) in steps.reversed() {
      var next: Set<Number> = []
      switch property.kind {
      case .attribute: break
      case .toOne(let column, let index, _, _):
        try RelationshipReader.forEach(
          referringTo: current, from: holder.table, format: holder.format, column: column, index: index,
          reader: reader
        ) { next.insert($1) }
      case .inverse(_, let table, let column, _, _, _):
        var rows = RowBatch(map.layout.tables[table].format)
        try reader.rows(current, of: table, columns: ColumnSet([column]), into: &rows)
        rows.withRows { views in
          for index in 0..<views.count where views.isPresent(index) && !views[index].isNil(column) {
            next.insert(views[index].int(column))
          }
        }
      case .link(let link, let side, _, _):
        for found in try relationships.links(link, of: current, side: side == .forward ? .inverse : .forward)
        {
          next.insert(side == .forward ? found.from : found.to)
        }
      }
      current = next.sorted()
    }
    return current
  }
}
