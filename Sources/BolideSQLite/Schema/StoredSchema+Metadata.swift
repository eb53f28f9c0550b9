import BolideStorage
import CSQLite
import Foundation

/// The keys of the store itself in `bolide_metadata`.
///
/// They begin with a dot; keys of the layer above that do so get another one in front.
enum MetadataKey {
  static let layout = ".layout"
  static let names = ".names"
  static let epoch = ".epoch"
  static let historyStart = ".history-start"

  /// The stored form of a key of the layer above.
  static func stored(_ key: String) -> String { key.hasPrefix(".") ? "." + key : key }
}

extension StoredSchema {
  /// Reads the schema of a store, all of one state.
  static func read(from connection: Connection) throws(BolideError) -> StoredSchema {
    try connection.execute("BEGIN", while: "reading the layout")
    defer { connection.endTransaction() }
    let layout: Layout = try decode(MetadataKey.layout, from: connection)
    let names: SQLNames = try decode(MetadataKey.names, from: connection)
    do throws(BolideError) {
      return try StoredSchema(layout, names: names)
    } catch {
      throw .damaged("The layout in the metadata of \(connection.path) is not sound")
    }
  }

  /// Writes layout, names, epoch and the names of properties.
  func write(to connection: Connection) throws(BolideError) {
    try Self.set(MetadataKey.layout, text: try Self.encode(layout), on: connection)
    try Self.set(MetadataKey.names, text: try Self.encode(names), on: connection)
    try Self.set(MetadataKey.epoch, text: String(layout.epoch), on: connection)
    try connection.execute("DELETE FROM bolide_property", while: "writing the names of properties")
    let insert = try connection.kept("INSERT INTO bolide_property (entity, id, name) VALUES (?1, ?2, ?3)")
    for entity in layout.entities {
      for (id, name) in layout.tables[entity.table].properties.enumerated() where !name.isEmpty {
        let code = [insert.bind(1, entity.name), insert.bind(2, Int64(id)), insert.bind(3, name)].max()
        try connection.check(code ?? SQLITE_OK, while: "writing the names of properties")
        _ = try connection.step(insert, while: "writing the names of properties")
        insert.reset()
      }
    }
  }

  /// The epoch of the state that the connection sees.
  static func epoch(on connection: Connection) throws(BolideError) -> UInt64 {
    let select = try connection.kept("SELECT value FROM bolide_metadata WHERE key = '.epoch'")
    defer { select.reset() }
    guard try connection.step(select, while: "reading the layout's epoch"), let epoch = UInt64(select.text(0))
    else { throw .damaged("The metadata of \(connection.path) holds no epoch") }
    return epoch
  }

  static func set(_ key: String, text: String, on connection: Connection) throws(BolideError) {
    let insert = try connection.kept("INSERT OR REPLACE INTO bolide_metadata (key, value) VALUES (?1, ?2)")
    defer { insert.reset() }
    try connection.check(max(insert.bind(1, key), insert.bind(2, text)), while: "writing metadata")
    _ = try connection.step(insert, while: "writing metadata")
  }

  static func set(_ key: String, _ value: [UInt8], on connection: Connection) throws(BolideError) {
    let insert = try connection.kept("INSERT OR REPLACE INTO bolide_metadata (key, value) VALUES (?1, ?2)")
    defer { insert.reset() }
    try connection.check(max(insert.bind(1, key), insert.bind(2, bytes: value)), while: "writing metadata")
    _ = try connection.step(insert, while: "writing metadata")
  }

  private static func encode(_ value: some Encodable) throws(BolideError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .misuse("The layout cannot be written as JSON")
    }
  }

  private static func decode<Value: Decodable>(
    _ key: String, from connection: Connection
  ) throws(BolideError) -> Value {
    let select = try connection.kept("SELECT value FROM bolide_metadata WHERE key = ?1")
    defer { select.reset() }
    try connection.check(select.bind(1, key), while: "reading the layout")
    guard try connection.step(select, while: "reading the layout") else {
      throw .damaged("The metadata of \(connection.path) holds no \(key)")
    }
    do {
      return try JSONDecoder().decode(Value.self, from: Data(select.bytes(0)))
    } catch {
      throw .damaged("The \(key) in the metadata of \(connection.path) cannot be read")
    }
  }
}
