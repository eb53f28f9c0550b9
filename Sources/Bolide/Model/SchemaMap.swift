import BolideStorage

/// A schema made ready for use: checked, laid out in tables, with every name looked up.
///
/// Equal schemas give equal layouts: places follow from names, never from the order of declaration.
package final class SchemaMap: Sendable {
  /// The schema.
  package let schema: Schema
  /// The tables it needs.
  package let layout: Layout
  /// The entities by id, which is by name.
  package let entities: [EntityMap]

  /// The root entity of each table.
  private let roots: [EntityID]
  private let byName: [String: EntityID]

  /// Compiles a schema.
  ///
  /// - Throws: `schema.invalid` with every problem.
  package init(_ schema: Schema) throws(BolideError) {
    let problems = schema.problems()
    guard problems.isEmpty else {
      let name = schema.name.isEmpty ? "the schema" : "the schema \(schema.name)"
      let more = problems.count > 1 ? " (and \(problems.count - 1) more)" : ""
      throw BolideError(.schemaInvalid, "\(name): \(problems[0])\(more)", details: problems)
    }
    let compiler = SchemaCompiler(schema)
    self.schema = schema
    layout = compiler.layout
    let entities = compiler.entityMaps()
    self.entities = entities
    roots = layout.tables.indices.map { table in
      entities.first { $0.table == table && $0.parentID == nil }?.id ?? 0
    }
    byName = compiler.ids
  }

  /// The entity of a name.
  ///
  /// - Throws: `schema.unknown-entity`, with the name that was probably meant.
  package func entity(_ name: String) throws(BolideError) -> EntityMap {
    guard let id = byName[name] else {
      throw BolideError(
        .schemaUnknownEntity,
        "the schema has no entity \(name)" + SchemaName.hint(for: name, among: entities.map(\.name)))
    }
    return entities[id]
  }

  /// The root entity of a table.
  package func rootEntity(of table: TableID) -> EntityMap { entities[roots[table]] }
}
