import BolideStorage

extension SchemaMap {
  /// The entity a row belongs to: sub-entities share their root's table (rule R-5).
  package func entity(of row: RowView, in table: TableID) -> EntityMap {
    let root = rootEntity(of: table)
    guard let column = root.entityColumn else { return root }
    let id = Int(row.int(column))
    return entities.indices.contains(id) && entities[id].table == table ? entities[id] : root
  }
}

extension EntityMap {
  /// Whether rows of `other` are rows of this entity: itself or a sub-entity.
  package func includes(_ other: EntityID) -> Bool { members.contains(other) }

  /// The columns users set: attributes that are not derived.
  package var settable: ColumnSet {
    ColumnSet(
      attributes.compactMap { property in
        guard case .attribute(let column, let description) = property.kind, description.derivation == nil
        else { return nil }
        return column
      })
  }
}
