import BolideStorage
import CLMDB
import Foundation

/// The layout and the named databases that keep it: one JSON record of the metadata.
///
/// A database is named by a number that is never used for another table, index or link; one that a new
/// layout no longer needs is emptied and kept for the next that does, because removing it would take it
/// from snapshots that still read it.
struct Catalogue: Codable, Hashable, Sendable {
  var layout: Layout
  /// One entry a table of the layout.
  var tables: [Table]
  /// One entry a link table of the layout.
  var links: [Link]
  /// Empty databases with integer keys, and with others.
  var spareRows: [String] = []
  var spareKeys: [String] = []
  /// The number that the last database was named by.
  var lastDatabase = 0

  struct Table: Codable, Hashable, Sendable {
    var rows: String
    var indexes: [String]
  }

  struct Link: Codable, Hashable, Sendable {
    var forward: String
    var inverse: String
  }

  /// The databases that every store has.
  static let metadataName = "bolide"
  static let historyName = "bolide.history"
  static let runsName = "bolide.runs"
  static let tombstonesName = "bolide.tombstones"
  static let nodesName = "bolide.nodes"
  static let fixedCount = 5
  private static let rowsKind = "rows"

  /// Whether a database's keys are numbers in the machine's own order: rows and transactions.
  static func hasIntegerKeys(_ name: String) -> Bool {
    name == historyName || name.hasPrefix(rowsKind + ".")
  }

  /// A catalogue for a new store.
  init(_ layout: Layout) {
    self.layout = layout
    tables = []
    links = []
    for table in layout.tables {
      let rows = takeRows()
      tables.append(Table(rows: rows, indexes: table.indexes.map { _ in takeKeys("index") }))
    }
    for _ in layout.links { links.append(Link(forward: takeKeys("links"), inverse: takeKeys("links"))) }
  }

  /// A name for a database of rows.
  mutating func takeRows() -> String { spareRows.popLast() ?? newName(Self.rowsKind) }

  /// A name for a database whose keys are bytes.
  mutating func takeKeys(_ kind: String) -> String { spareKeys.popLast() ?? newName(kind) }

  private mutating func newName(_ kind: String) -> String {
    lastDatabase += 1
    return "\(kind).\(lastDatabase)"
  }

  /// How many databases a layout needs, spare ones included.
  var databaseCount: Int {
    Self.fixedCount + tables.reduce(0) { $0 + 1 + $1.indexes.count } + links.count * 2 + spareRows.count
      + spareKeys.count
  }

  /// How many databases an environment is opened for: twice the need, and room for changes of the layout.
  static func databaseLimit(for count: Int) -> Int { max(1024, count * 2) }

  /// The record's bytes.
  func encoded() throws(BolideError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    do {
      return [UInt8](try encoder.encode(self))
    } catch {
      throw LMDBFailure.misuse("The layout cannot be written as JSON: \(error)")
    }
  }

  /// Reads the record and checks that its parts fit together.
  init(decoding bytes: UnsafeRawBufferPointer) throws(BolideError) {
    do {
      self = try JSONDecoder().decode(Catalogue.self, from: Data(bytes))
    } catch {
      throw LMDBFailure.damaged("The catalogue cannot be read: \(error)")
    }
    let fits =
      tables.count == layout.tables.count && links.count == layout.links.count
      && zip(tables, layout.tables).allSatisfy { $0.indexes.count == $1.indexes.count }
    if let problem = layout.problem ?? (fits ? nil : "its databases do not fit the layout") {
      throw LMDBFailure.damaged("The catalogue contradicts itself: \(problem)")
    }
  }
}

extension Layout {
  /// What is wrong with the ids in the layout; `nil` when each leads somewhere.
  var problem: String? {
    for table in tables {
      for index in table.indexes {
        if index.columns.isEmpty || !index.columns.allSatisfy(table.columns.indices.contains) {
          return "index \(index.name) of \(table.name) has no columns or unknown ones"
        }
      }
      if !table.preserved.allSatisfy(table.columns.indices.contains) {
        return "\(table.name) preserves unknown columns"
      }
      if Set(table.columns.map(\.name)).count < table.columns.count {
        return "\(table.name) has a column twice"
      }
      if Set(table.indexes.map(\.name)).count < table.indexes.count {
        return "\(table.name) has an index twice"
      }
    }
    if Set(tables.map(\.name)).count < tables.count { return "two tables have one name" }
    if Set(links.map(\.name)).count < links.count { return "two link tables have one name" }
    if let entity = entities.first(where: { !tables.indices.contains($0.table) }) {
      return "\(entity.name) is in an unknown table"
    }
    let link = links.first { !tables.indices.contains($0.source) || !tables.indices.contains($0.target) }
    return link.map { "\($0.name) links unknown tables" }
  }
}
