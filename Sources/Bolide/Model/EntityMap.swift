import BolideStorage

/// An entity of a compiled schema: where its objects and their properties are kept.
package final class EntityMap: Sendable {
  /// The entity's id: its place in ``SchemaMap/entities`` and ``Layout/entities``.
  package let id: EntityID
  /// The name.
  package let name: String
  /// What the schema says of it.
  package let description: EntityDescription
  /// The table its rows are in, which it shares with the entities it inherits from and to.
  package let table: TableID
  /// That table.
  package let tableLayout: TableLayout
  /// The format of that table's rows.
  package let format: RowFormat
  /// The name of the entity at the top of its inheritance; its own when it has no parent.
  package let root: String
  /// The entity it inherits from.
  package let parentID: EntityID?
  /// Whether only sub-entities have objects.
  package let isAbstract: Bool
  /// The entity itself and all below it, ascending.
  package let members: [EntityID]
  /// The int32 column that holds the entity's id; `nil` when the table holds one entity alone.
  package let entityColumn: Int?
  /// Own and inherited properties, by name.
  package let properties: [PropertyMap]
  /// The attributes among ``properties``.
  package let attributes: [PropertyMap]
  /// The attribute in each column, if one is.
  let attributesByColumn: [PropertyMap?]
  /// The relationships among ``properties``.
  package let relationships: [PropertyMap]
  /// The indexes of inherited and own uniqueness constraints, in the order they are declared.
  package let uniqueIndexes: [IndexID]
  /// The attributes that a unique index is about alone, where the table holds this entity alone.
  let uniqueColumns: [UniqueColumn]
  /// All columns of the table.
  let allColumns: ColumnSet
  /// A builder that holds a new object: default values, the entity column, and 0 in derived counts and
  /// sums, which is what they are without links. No column counts as given.
  package let defaults: RowBuilder
  /// The columns that may not be nil: attributes and to-ones that are not optional; no derived ones.
  package let required: [Int]

  private let byName: [String: Int]

  init(
    id: EntityID, description: EntityDescription, table: TableID, tableLayout: TableLayout,
    format: RowFormat, root: String, parentID: EntityID?, members: [EntityID], entityColumn: Int?,
    properties: [PropertyMap], uniqueIndexes: [IndexID]
  ) {
    let properties = properties.sorted { $0.name < $1.name }
    self.id = id
    name = description.name
    self.description = description
    self.table = table
    self.tableLayout = tableLayout
    self.format = format
    self.root = root
    self.parentID = parentID
    isAbstract = description.isAbstract
    self.members = members
    self.entityColumn = entityColumn
    self.properties = properties
    let attributes = properties.filter { $0.attribute != nil }
    self.attributes = attributes
    attributesByColumn = (0..<format.columnCount).map { column in
      attributes.first { $0.column == column }
    }
    relationships = properties.filter { $0.relationship != nil }
    self.uniqueIndexes = uniqueIndexes
    allColumns = .all(format.columnCount)
    uniqueColumns = attributes.compactMap { attribute in
      guard entityColumn == nil, let column = attribute.column,
        let index = tableLayout.indexes.firstIndex(where: { $0.isUnique && $0.columns == [column] })
      else { return nil }
      return UniqueColumn(name: attribute.name, column: column, type: format.types[column], index: index)
    }
    defaults = Self.defaults(
      of: properties, format: format, entityColumn: entityColumn, id: id)
    required = properties.compactMap { $0.isRequired ? $0.column : nil }.sorted()
    byName = Dictionary(
      properties.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The property of a name.
  ///
  /// - Throws: `schema.unknown-property`, with the name that was probably meant.
  package func property(_ name: String) throws(BolideError) -> PropertyMap {
    guard let property = find(name) else {
      let visible = properties.filter { $0.relationship?.isHidden != true }.map(\.name)
      throw BolideError(
        .schemaUnknownProperty,
        "\(self.name) has no property \(name)" + SchemaName.hint(for: name, among: visible))
    }
    return property
  }

  /// The property of a name, if there is one.
  package func find(_ name: String) -> PropertyMap? { byName[name].map { properties[$0] } }

  private static func defaults(
    of properties: [PropertyMap], format: RowFormat, entityColumn: Int?, id: EntityID
  ) -> RowBuilder {
    var builder = RowBuilder(format)
    if let entityColumn { builder.set(entityColumn, int: Int64(id)) }
    for property in properties {
      guard case .attribute(let column, let attribute) = property.kind else { continue }
      builder.set(column, attribute.initialValue)
    }
    // Through a row and back, since loading is what leaves no column given.
    var batch = RowBatch(format)
    builder.append(to: &batch)
    batch.withRow(at: 0) { builder.load($0) }
    return builder
  }
}

/// An attribute whose values tell the rows of a table apart.
struct UniqueColumn: Sendable {
  let name: String
  let column: Int
  let type: ValueType
  let index: IndexID
}

extension AttributeDescription {
  /// What a new object without links has.
  var initialValue: Value {
    switch derivation {
    case nil: return defaultValue
    case .count, .sum: break
    default: return .null
    }
    switch type {
    case .decimal: return .decimal(0)
    case .double: return .double(0)
    default: return .int(0)
    }
  }
}
