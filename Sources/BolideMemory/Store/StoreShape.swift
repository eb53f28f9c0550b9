import BolideStorage

/// Where a layout's tables, indexes and links are among the trees of a state.
final class StoreShape: Sendable {
  let layout: Layout
  let tables: [Table]
  /// Of each link table the tree keyed from source to target, and the one keyed back.
  let links: [(forward: Int, inverse: Int)]
  let treeCount: Int

  /// The trees that every store has.
  static let history = 0
  static let runs = 1
  static let tombstones = 2
  static let metadata = 3

  struct Table: Sendable {
    let layout: TableLayout
    let format: RowFormat
    let tombstoneFormat: RowFormat
    let rows: Int
    let indexes: [Index]
    /// The unique indexes first: they may refuse a row.
    let insertionOrder: [Int]
  }

  struct Index: Sendable {
    let tree: Int
    let columns: [Int]
    let columnSet: ColumnSet
    let isUnique: Bool
  }

  init(_ layout: Layout) {
    self.layout = layout
    var next = 4
    func takeTree() -> Int {
      defer { next += 1 }
      return next
    }
    tables = layout.tables.map { table in
      let rows = takeTree()
      let indexes = table.indexes.map { index in
        Index(
          tree: takeTree(), columns: index.columns, columnSet: ColumnSet(index.columns),
          isUnique: index.isUnique)
      }
      let order =
        indexes.indices.filter { indexes[$0].isUnique } + indexes.indices.filter { !indexes[$0].isUnique }
      return Table(
        layout: table, format: table.format, tombstoneFormat: table.tombstoneFormat, rows: rows,
        indexes: indexes, insertionOrder: order)
    }
    links = layout.links.map { _ in (takeTree(), takeTree()) }
    treeCount = next
  }

  func table(_ id: TableID) throws(BolideError) -> Table {
    guard tables.indices.contains(id) else {
      throw BolideError(.storeMisuse, "there is no table \(id) among \(tables.count)")
    }
    return tables[id]
  }

  func index(_ id: IndexID, of table: Table) throws(BolideError) -> Index {
    guard table.indexes.indices.contains(id) else {
      throw BolideError(.storeMisuse, "table \(table.layout.name) has no index \(id)")
    }
    return table.indexes[id]
  }

  func link(_ id: LinkID) throws(BolideError) -> (forward: Int, inverse: Int) {
    guard links.indices.contains(id) else {
      throw BolideError(.storeMisuse, "there is no link table \(id) among \(links.count)")
    }
    return links[id]
  }

  /// Refuses a batch that was made for rows of another format.
  static func require(_ batch: RowBatch, _ format: RowFormat, of table: Table) throws(BolideError) {
    guard batch.format == format else {
      throw BolideError(.storeMisuse, "a batch for rows of table \(table.layout.name) has another format")
    }
  }
}
