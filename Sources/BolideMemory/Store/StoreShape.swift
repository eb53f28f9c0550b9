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

  /// A class, so that a call copies one reference and not its parts.
  final class Table: Sendable {
    let layout: TableLayout
    let format: RowFormat
    let tombstoneFormat: RowFormat
    let rows: Int
    let indexes: [Index]
    /// The unique indexes first: they may refuse a row.
    let insertionOrder: [Int]

    fileprivate init(_ layout: TableLayout, rows: Int, indexes: [Index]) {
      self.layout = layout
      format = layout.format
      tombstoneFormat = layout.tombstoneFormat
      self.rows = rows
      self.indexes = indexes
      insertionOrder =
        indexes.indices.filter { indexes[$0].isUnique } + indexes.indices.filter { !indexes[$0].isUnique }
    }
  }

  final class Index: Sendable {
    let tree: Int
    let columns: [Int]
    let columnSet: ColumnSet
    let isUnique: Bool

    fileprivate init(_ layout: IndexLayout, tree: Int) {
      self.tree = tree
      columns = layout.columns
      columnSet = ColumnSet(layout.columns)
      isUnique = layout.isUnique
    }
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
      return Table(table, rows: rows, indexes: table.indexes.map { Index($0, tree: takeTree()) })
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
