import BolideStorage
import Foundation

/// How history written under earlier schemas is read under this one: what a store keeps beside its schema once it was
/// migrated (rules H-2, U-11).
package struct StoredNames: Codable, Sendable, Equatable {
  /// The names that entities had before, and those they have.
  var entities: [String: String] = [:]
  /// For each table the id in history of each property, where that is not its place in the schema's own layout.
  var properties: [String: [Int]] = [:]
  /// The last transaction before the last migration: up to here what entities did that are gone is left out.
  var through: UInt64 = 0

  init() {}

  /// Reads what a store keeps.
  ///
  /// - Throws: `store.damaged`.
  init(_ reader: any Reader) throws(BolideError) {
    guard let bytes = try reader.metadata(MetadataKey.names) else { return }
    do {
      self = try JSONDecoder().decode(StoredNames.self, from: Data(bytes))
    } catch {
      throw BolideError(
        .storeDamaged, "the names that history has for entities and properties cannot be read")
    }
  }

  func write(to transaction: any WriteTransaction) throws(BolideError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do {
      let data = try encoder.encode(self)
      try transaction.setMetadata(MetadataKey.names, [UInt8](data))
    } catch let error as BolideError {
      throw error
    } catch {
      throw BolideError(.schemaUnreadable, "the names of entities and properties cannot be written: \(error)")
    }
  }
}

/// Translates between the ids of a schema's layout and those that history has.
package struct HistoryNames: Sendable {
  /// The new entity of each id in history, `nil` for one that is gone.
  private let entities: [EntityID?]
  /// For each table the property id in history of each of the schema's, where they differ.
  private let written: [[Int]?]
  /// For each table the names of properties by their id in history.
  private let names: [[String]]
  /// Up to which transaction changes may be left out.
  package let through: UInt64

  init(_ stored: StoredNames, layout: Layout, map: SchemaMap) {
    entities = layout.entities.map { entity in
      map.entities.first { $0.name == entity.name || $0.name == stored.entities[entity.name] }?.id
    }
    written = map.layout.tables.map { table in
      stored.properties[table.name].flatMap { $0.count == table.properties.count ? $0 : nil }
    }
    names = layout.tables.map(\.properties)
    through = stored.through
  }

  /// The entity that a run is about.
  package func entity(_ run: ChangeRun) -> EntityID? {
    entities.indices.contains(run.entity) ? entities[run.entity] : nil
  }

  /// The names of properties in a run of a table, ascending.
  func properties(_ run: ChangeRun, of table: TableID) -> [String] {
    var result = Set<String>()
    for id in run.properties.members where names[table].indices.contains(id) {
      result.insert(names[table][id])
    }
    return result.subtracting([""]).sorted()
  }

  /// Runs with the ids that history has.
  func written(_ runs: [ChangeRun], map: SchemaMap) -> [ChangeRun] {
    if written.allSatisfy({ $0 == nil }) { return runs }
    return runs.map { run in
      guard let ids = written[map.entities[run.entity].table] else { return run }
      var run = run
      run.properties = PropertySet(run.properties.members.map { ids.indices.contains($0) ? ids[$0] : $0 })
      return run
    }
  }
}
