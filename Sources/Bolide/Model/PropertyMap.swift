import BolideStorage

/// Where a property of an entity is kept.
package struct PropertyMap: Sendable {
  /// The name.
  package let name: String
  /// The property's id in its table: the bit that stands for it in a ``PropertySet``.
  package let id: Int
  /// What it is and where its values are.
  package let kind: Kind
  /// Whether an object may lack it.
  package let isOptional: Bool

  /// The ways to keep a property.
  package enum Kind: Sendable {
    /// An attribute, derived ones included, in a column of the entity's table.
    case attribute(column: Int, AttributeDescription)
    /// A to-one relationship in a reference column of the entity's table, which has a plain index.
    case toOne(column: Int, index: IndexID, RelationshipDescription, destination: EntityID)
    /// The other side of a reference column, which is in the destination's table.
    case inverse(
      toMany: Bool, table: TableID, column: Int, index: IndexID, RelationshipDescription,
      destination: EntityID)
    /// A side of a many-to-many relationship.
    case link(LinkID, side: LinkSide, RelationshipDescription, destination: EntityID)
  }

  /// The column of the entity's table that holds the property, if one does.
  package var column: Int? {
    switch kind {
    case .attribute(let column, _), .toOne(let column, _, _, _): column
    case .inverse, .link: nil
    }
  }

  /// The description of an attribute.
  package var attribute: AttributeDescription? {
    if case .attribute(_, let description) = kind { description } else { nil }
  }

  /// The description of a relationship.
  package var relationship: RelationshipDescription? {
    switch kind {
    case .attribute: nil
    case .toOne(_, _, let description, _), .inverse(_, _, _, _, let description, _),
      .link(_, _, let description, _):
      description
    }
  }

  /// The entity that a relationship leads to.
  package var destination: EntityID? {
    switch kind {
    case .attribute: nil
    case .toOne(_, _, _, let destination), .inverse(_, _, _, _, _, let destination),
      .link(_, _, _, let destination):
      destination
    }
  }
}
