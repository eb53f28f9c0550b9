import BolideStorage
import Foundation

/// A layout together with the names and formats that statements over its tables need.
final class StoredSchema: Sendable {
  let layout: Layout
  let names: SQLNames
  let tables: [StoredTable]
  let links: [StoredLink]
  private let entities: [String: EntityID]

  /// Brings a layout and its names together.
  ///
  /// - Throws: `store.misuse` for a layout whose parts do not fit together.
  init(_ layout: Layout, names: SQLNames) throws(BolideError) {
    try Self.check(layout)
    self.layout = layout
    self.names = names
    var tables: [StoredTable] = []
    for table in layout.tables {
      guard let named = names.tables[table.name], let stored = StoredTable(table, names: named) else {
        throw .damaged("The metadata does not name the table \(table.name)")
      }
      tables.append(stored)
    }
    self.tables = tables
    var links: [StoredLink] = []
    for link in layout.links {
      guard let named = names.links[link.name] else {
        throw .damaged("The metadata does not name the link table \(link.name)")
      }
      links.append(StoredLink(layout: link, names: named))
    }
    self.links = links
    entities = Dictionary(
      layout.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func table(_ id: TableID) throws(BolideError) -> StoredTable {
    guard tables.indices.contains(id) else { throw .misuse("There is no table \(id)") }
    return tables[id]
  }

  func link(_ id: LinkID) throws(BolideError) -> StoredLink {
    guard links.indices.contains(id) else { throw .misuse("There is no link table \(id)") }
    return links[id]
  }

  func entity(named name: String) -> EntityID? { entities[name] }

  private static func check(_ layout: Layout) throws(BolideError) {
    func fail(_ what: String) -> BolideError { .misuse("The layout is not sound: \(what)") }
    if Set(layout.tables.map(\.name)).count != layout.tables.count { throw fail("two tables share a name") }
    if Set(layout.links.map(\.name)).count != layout.links.count { throw fail("two links share a name") }
    if Set(layout.entities.map(\.name)).count != layout.entities.count {
      throw fail("two entities share a name")
    }
    for table in layout.tables {
      let columns = table.columns.indices
      if Set(table.columns.map(\.name)).count != columns.count {
        throw fail("two columns of \(table.name) share a name")
      }
      if Set(table.indexes.map(\.name)).count != table.indexes.count {
        throw fail("two indexes of \(table.name) share a name")
      }
      for index in table.indexes
      where index.columns.isEmpty || Set(index.columns).count != index.columns.count
        || !index.columns.allSatisfy(columns.contains)
      {
        throw fail("the index \(index.name) of \(table.name) names no column, one twice or one too many")
      }
      if Set(table.preserved).count != table.preserved.count
        || !table.preserved.allSatisfy(columns.contains)
      {
        throw fail("the preserved columns of \(table.name) are not columns of it")
      }
    }
    let tables = layout.tables.indices
    if !layout.entities.allSatisfy({ tables.contains($0.table) })
      || !layout.links.allSatisfy({ tables.contains($0.source) && tables.contains($0.target) })
    {
      throw fail("an entity or link is of no table")
    }
  }
}

/// A table as it is in the file; all names are quoted for SQL.
final class StoredTable: Sendable {
  let layout: TableLayout
  let name: String
  let format: RowFormat
  let tombstoneFormat: RowFormat
  let tombstones: String
  let columns: [String]
  /// The columns as the table of tombstones names them.
  let tombstoneColumns: [String]
  /// The hidden column that orders a decimal column, by column.
  let orders: [Int: String]
  let indexes: [String]
  /// The unique indexes, ascending.
  let uniqueIndexes: [IndexID]

  init?(_ layout: TableLayout, names: SQLNames.Table) {
    self.layout = layout
    name = SQLNames.quoted(names.name)
    tombstones = SQLNames.quoted(names.tombstones)
    format = layout.format
    tombstoneFormat = layout.tombstoneFormat
    let columnNames = layout.columns.compactMap { names.columns[$0.name] }
    let indexNames = layout.indexes.compactMap { names.indexes[$0.name] }
    guard columnNames.count == layout.columns.count, indexNames.count == layout.indexes.count else {
      return nil
    }
    columns = columnNames.map(SQLNames.quoted)
    tombstoneColumns = SQLNames.tombstoneColumns(columnNames).map(SQLNames.quoted)
    indexes = indexNames.map(SQLNames.quoted)
    var orders: [Int: String] = [:]
    for column in layout.orderedDecimals {
      guard let order = names.orders[layout.columns[column].name] else { return nil }
      orders[column] = SQLNames.quoted(order)
    }
    self.orders = orders
    uniqueIndexes = layout.indexes.indices.filter { layout.indexes[$0].isUnique }
  }

  func index(_ id: IndexID) throws(BolideError) -> IndexLayout {
    guard layout.indexes.indices.contains(id) else {
      throw .misuse("\(layout.name) has no index \(id)")
    }
    return layout.indexes[id]
  }

  /// The column by which an index orders a column: the column itself, or a decimal's hidden one.
  func ordering(_ column: Int) -> String { orders[column] ?? columns[column] }

  /// Where the ordering value of a column comes from when a row is bound.
  func orderingSource(_ column: Int) -> RowBinder.Source {
    orders[column] == nil ? .value(column) : .order(column)
  }

  /// SQL names and row sources of what is written for some columns.
  func written(_ columns: [Int]) -> [(name: String, source: RowBinder.Source)] {
    columns.map { (self.columns[$0], .value($0)) }
      + columns.compactMap { column in orders[column].map { ($0, .order(column)) } }
  }

  /// The members of a column set that are columns.
  func members(_ set: ColumnSet) -> [Int] { layout.columns.indices.filter(set.contains) }

  func check(_ batch: RowBatch) throws(BolideError) {
    guard batch.format == format else {
      throw .misuse("The rows do not have the format of \(layout.name)")
    }
  }
}

/// A link table as it is in the file; all names are quoted for SQL.
struct StoredLink: Sendable {
  let layout: LinkLayout
  let name: String
  let source: String
  let target: String
  let forward: String
  let inverse: String

  init(layout: LinkLayout, names: SQLNames.Link) {
    self.layout = layout
    name = SQLNames.quoted(names.name)
    source = SQLNames.quoted(names.source)
    target = SQLNames.quoted(names.target)
    forward = SQLNames.quoted(names.forward)
    inverse = SQLNames.quoted(names.inverse)
  }
}
