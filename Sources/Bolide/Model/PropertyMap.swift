import BolideStorage
import Foundation

/// Where a property of an entity is kept.
///
/// A class, since a description has many parts and the map is handed around for every value.
package final class PropertyMap: Sendable {
  /// The name.
  package let name: String
  /// The property's id in its table: the bit that stands for it in a ``PropertySet``.
  package let id: Int
  /// What it is and where its values are.
  package let kind: Kind
  /// Whether an object may lack it.
  package let isOptional: Bool
  /// The column of the entity's table that holds the property, if one does.
  package let column: Int?
  /// Whether a save refuses an object that lacks it: no derived one, and none that is in another table.
  let isRequired: Bool
  /// Whether an attribute has rules about its values beyond its type.
  let hasRules: Bool
  /// The pattern among these rules; `nil`, too, where it cannot be read.
  let pattern: NSRegularExpression?

  init(name: String, id: Int, kind: Kind, isOptional: Bool) {
    self.name = name
    self.id = id
    self.kind = kind
    self.isOptional = isOptional
    switch kind {
    case .attribute(let column, let attribute):
      self.column = column
      isRequired = !isOptional && attribute.derivation == nil
      hasRules = !attribute.validation.isEmpty
      pattern = attribute.validation.pattern.flatMap { try? NSRegularExpression(pattern: $0) }
    case .toOne(let column, _, _, _):
      self.column = column
      isRequired = !isOptional
      hasRules = false
      pattern = nil
    case .inverse, .link:
      column = nil
      isRequired = false
      hasRules = false
      pattern = nil
    }
  }

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
  /// Whether this is the side of a one-to-one whose links another table's column keeps, and may not be without one: no
  /// column of its own can say so.
  package var needsPartner: Bool {
    if case .inverse(toMany: false, _, _, _, _, _) = kind { !isOptional } else { false }
  }
}
