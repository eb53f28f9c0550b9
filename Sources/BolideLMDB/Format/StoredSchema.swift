import BolideStorage
import CLMDB

/// The catalogue with the handles of its databases and the formats of its rows.
final class StoredSchema: Sendable {
  let catalogue: Catalogue
  let tables: [StoredTable]
  let links: [StoredLink]
  let fixed: FixedDatabases

  var layout: Layout { catalogue.layout }

  /// - Parameter handle: gives the handle of a database by name.
  init(_ catalogue: Catalogue, _ handle: (String) throws(BolideError) -> MDB_dbi) throws(BolideError) {
    self.catalogue = catalogue
    var tables: [StoredTable] = []
    for (layout, names) in zip(catalogue.layout.tables, catalogue.tables) {
      tables.append(try StoredTable(layout, names, handle))
    }
    self.tables = tables
    var links: [StoredLink] = []
    for (layout, names) in zip(catalogue.layout.links, catalogue.links) {
      links.append(
        StoredLink(
          name: layout.name, forward: try handle(names.forward), inverse: try handle(names.inverse)))
    }
    self.links = links
    fixed = FixedDatabases(
      metadata: try handle(Catalogue.metadataName), history: try handle(Catalogue.historyName),
      runs: try handle(Catalogue.runsName), tombstones: try handle(Catalogue.tombstonesName),
      nodes: try handle(Catalogue.nodesName))
  }

  /// The table with an id of the caller's.
  func table(_ id: TableID) throws(BolideError) -> StoredTable {
    guard tables.indices.contains(id) else { throw LMDBFailure.misuse("There is no table \(id)") }
    return tables[id]
  }

  /// The link table with an id of the caller's.
  func link(_ id: LinkID) throws(BolideError) -> StoredLink {
    guard links.indices.contains(id) else { throw LMDBFailure.misuse("There is no link table \(id)") }
    return links[id]
  }
}

/// The databases that every store has.
struct FixedDatabases: Sendable {
  let metadata: MDB_dbi
  let history: MDB_dbi
  let runs: MDB_dbi
  let tombstones: MDB_dbi
  let nodes: MDB_dbi
}

/// A table with its handles. A class, so that loops over rows copy one reference and not its parts.
final class StoredTable: Sendable {
  let name: String
  let rows: MDB_dbi
  let format: RowFormat
  let tombstoneFormat: RowFormat
  let indexes: [StoredIndex]
  let uniqueIndexes: [Int]
  let plainIndexes: [Int]

  init(
    _ layout: TableLayout, _ names: Catalogue.Table, _ handle: (String) throws(BolideError) -> MDB_dbi
  ) throws(BolideError) {
    name = layout.name
    rows = try handle(names.rows)
    format = layout.format
    tombstoneFormat = layout.tombstoneFormat
    var indexes: [StoredIndex] = []
    for (index, name) in zip(layout.indexes, names.indexes) {
      indexes.append(StoredIndex(index, try handle(name)))
    }
    self.indexes = indexes
    uniqueIndexes = indexes.indices.filter { indexes[$0].isUnique }
    plainIndexes = indexes.indices.filter { !indexes[$0].isUnique }
  }

  /// The index with an id of the caller's.
  func index(_ id: IndexID) throws(BolideError) -> StoredIndex {
    guard indexes.indices.contains(id) else { throw LMDBFailure.misuse("\(name) has no index \(id)") }
    return indexes[id]
  }

  /// Throws unless a batch of the caller's has the table's format.
  func checkFormat(_ batch: borrowing RowBatch) throws(BolideError) {
    if batch.format != format { throw LMDBFailure.misuse("A batch for \(name) has another row format") }
  }
}

/// An index with its handle.
final class StoredIndex: Sendable {
  let name: String
  let database: MDB_dbi
  let columns: [Int]
  let columnSet: ColumnSet
  let isUnique: Bool

  init(_ layout: IndexLayout, _ database: MDB_dbi) {
    name = layout.name
    self.database = database
    columns = layout.columns
    columnSet = ColumnSet(layout.columns)
    isUnique = layout.isUnique
  }
}

/// A link table with its handles.
struct StoredLink: Sendable {
  let name: String
  let forward: MDB_dbi
  let inverse: MDB_dbi

  func database(_ side: LinkSide) -> MDB_dbi {
    switch side {
    case .forward: forward
    case .inverse: inverse
    }
  }
}
