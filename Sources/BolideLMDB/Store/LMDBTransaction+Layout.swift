import BolideStorage
import CLMDB

extension LMDBTransaction {
  func change(_ layout: Layout) throws(BolideError) {
    if let problem = layout.problem {
      throw LMDBFailure.misuse("The layout cannot be changed so: \(problem)")
    }
    try settleAll()
    let plan = try LayoutPlan(from: schema.catalogue, to: layout)
    try makeRoom(databases: plan.catalogue.databaseCount)
    let old = schema
    let environment = environment
    let (new, opened) = try write {
      (transaction) throws(BolideError) -> (StoredSchema, [String: MDB_dbi]) in
      var opened: [String: MDB_dbi] = [:]
      let new = try StoredSchema(plan.catalogue) { (name) throws(BolideError) in
        if let known = opened[name] ?? environment.database(name) ?? self.opened[name] { return known }
        let database = try Environment.openDatabase(
          name, integerKeys: Catalogue.hasIntegerKeys(name), creating: true, in: transaction)
        opened[name] = database
        return database
      }
      try LayoutChange(transaction: transaction, old: old, new: new, plan: plan).run()
      try RecordWriter(transaction: transaction, database: new.fixed.metadata).put(plan.catalogue)
      return (new, opened)
    }
    adopt(new, opened: opened)
  }
}

/// Which table, column, index and link of a new layout is which of the old.
struct LayoutPlan {
  /// The new catalogue.
  var catalogue: Catalogue
  /// For each new table the old one, its columns in it, and which of its indexes have to be built.
  var tables: [Table] = []
  /// For each old entity its new id.
  var entities: [EntityID?]
  /// Databases whose contents are not needed any more.
  var emptied: [String] = []

  struct Table {
    var old: TableID?
    /// For each new column the old one.
    var columns: [Int?]
    var built: [IndexID]
  }

  init(from old: Catalogue, to layout: Layout) throws(BolideError) {
    catalogue = old
    catalogue.layout = layout
    catalogue.layout.epoch = max(layout.epoch, old.layout.epoch + 1)
    catalogue.tables = []
    catalogue.links = []
    entities = old.layout.entities.map { entity in
      layout.entities.firstIndex { $0.name == entity.name }
    }
    for table in layout.tables { try add(table, old) }
    for link in layout.links { add(link, old) }
    let kept = Set(catalogue.tables.flatMap { [$0.rows] + $0.indexes })
      .union(catalogue.links.flatMap { [$0.forward, $0.inverse] })
    for table in old.tables {
      if !kept.contains(table.rows) {
        emptied.append(table.rows)
        catalogue.spareRows.append(table.rows)
      }
      for index in table.indexes where !kept.contains(index) { spare(index) }
    }
    for name in old.links.flatMap({ [$0.forward, $0.inverse] }) where !kept.contains(name) { spare(name) }
  }

  private mutating func spare(_ name: String) {
    emptied.append(name)
    catalogue.spareKeys.append(name)
  }

  private mutating func add(_ table: TableLayout, _ old: Catalogue) throws(BolideError) {
    guard let oldID = old.layout.tables.firstIndex(where: { $0.name == table.name }) else {
      tables.append(
        Table(old: nil, columns: table.columns.map { _ in nil }, built: Array(table.indexes.indices)))
      let rows = catalogue.takeRows()
      catalogue.tables.append(
        .init(rows: rows, indexes: table.indexes.map { _ in catalogue.takeKeys("index") }))
      return
    }
    let oldTable = old.layout.tables[oldID]
    let columns = table.columns.map { column in
      oldTable.columns.firstIndex { $0.name == column.name }
    }
    for (column, place) in zip(table.columns, columns) {
      if let place, oldTable.columns[place].type != column.type {
        throw LMDBFailure.misuse("The type of \(table.name).\(column.name) cannot change")
      }
    }
    var plan = Table(old: oldID, columns: columns, built: [])
    var names: [String] = []
    for (id, index) in table.indexes.enumerated() {
      let same = oldTable.indexes.firstIndex { old in
        old.name == index.name && old.isUnique == index.isUnique
          && old.columns.map(Optional.some) == index.columns.map { columns[$0] }
      }
      if let same {
        names.append(old.tables[oldID].indexes[same])
      } else {
        names.append(catalogue.takeKeys("index"))
        plan.built.append(id)
      }
    }
    tables.append(plan)
    catalogue.tables.append(.init(rows: old.tables[oldID].rows, indexes: names))
  }

  private mutating func add(_ link: LinkLayout, _ old: Catalogue) {
    if let same = old.layout.links.firstIndex(where: { $0.name == link.name }) {
      catalogue.links.append(old.links[same])
    } else {
      let forward = catalogue.takeKeys("links")
      catalogue.links.append(.init(forward: forward, inverse: catalogue.takeKeys("links")))
    }
  }
}
