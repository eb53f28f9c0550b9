import BolideStorage
import CLMDB

/// Carries the contents of a store from one layout to another, inside a write transaction.
struct LayoutChange {
  let transaction: OpaquePointer
  let old: StoredSchema
  let new: StoredSchema
  let plan: LayoutPlan

  /// Rows that are looked at in one step.
  private static let chunk = 256
  /// How many rows that break a new unique index are named.
  private static let namedDuplicates = 100

  func run() throws(BolideError) {
    try emptyDatabases()
    for (id, table) in plan.tables.enumerated() {
      if let source = table.old { try rewriteRows(of: source, to: id, columns: table.columns) }
      if !table.built.isEmpty { try buildIndexes(table.built, of: new.tables[id]) }
    }
    try moveTombstones()
    try renumberEntities()
  }

  private func emptyDatabases() throws(BolideError) {
    for name in plan.emptied {
      // The handle is known: the old layout used the database. It is kept for snapshots that read it.
      let database = try Environment.openDatabase(
        name, integerKeys: Catalogue.hasIntegerKeys(name), creating: false, in: transaction)
      try removeNodes(under: database, name)
      try check(mdb_drop(transaction, database, 0), "empty the database \(name)")
    }
  }

  /// Removes what the long keys of an index keep in the nodes.
  private func removeNodes(under database: MDB_dbi, _ name: String) throws(BolideError) {
    if Catalogue.hasIntegerKeys(name) { return }
    var found: [UInt64] = []
    let view = ReadView(transaction: transaction, schema: old)
    let isIndex = old.tables.contains { $0.indexes.contains { $0.database == database } }
    if !isIndex { return }
    try view.forEach(from: [], in: database) { (_, value) throws(BolideError) in
      if let node = try LongKey.node(MDB_val(value)) { found.append(node) }
      return true
    }
    let writer = RecordWriter(transaction: transaction, database: old.fixed.nodes)
    while let node = found.popLast() {
      var prefix: [UInt8] = []
      prefix.appendBig(node)
      try view.forEach(from: prefix, in: old.fixed.nodes) { (key, value) throws(BolideError) in
        guard key.starts(with: prefix) else { return false }
        if let below = try LongKey.node(MDB_val(value)) { found.append(below) }
        return true
      }
      try writer.deleteAll(startingWith: prefix)
    }
  }
}

// MARK: - Rows

extension LayoutChange {
  private func rewriteRows(
    of source: TableID, to target: TableID, columns: [Int?]
  ) throws(BolideError) {
    let from = old.tables[source]
    let to = new.tables[target]
    if columns == from.format.types.indices.map(Optional.some) { return }
    let mapping = RowMapping(from.format, to.format, columns)
    try forEachChunk(of: from) { (rows) throws(BolideError) in
      let mapped = mapping.map(rows)
      let numbers = mapped.numbers
      try mapped.withRows { (rows) throws(BolideError) in
        for place in 0..<rows.count {
          try withUnsafeBytes(of: numbers[place]) { (number) throws(BolideError) in
            var key = MDB_val(number)
            var data = MDB_val(rows[place].bytes)
            try check(mdb_put(transaction, to.rows, &key, &data, 0), "rewrite a row of \(to.name)")
          }
        }
      }
    }
  }

  /// Walks over all rows, a chunk at a time; each chunk is read whole before anything is written.
  private func forEachChunk(
    of table: StoredTable, _ body: (RowBatch) throws(BolideError) -> Void
  ) throws(BolideError) {
    var batch = RowBatch(table.format)
    var next: Number = 1
    while true {
      batch.removeAll()
      let view = ReadView(transaction: transaction, schema: old)
      try Self.readChunk(view, table, from: next, &batch)
      guard let last = batch.numbers.last else { return }
      try body(batch)
      if last == Number.max { return }
      next = last + 1
    }
  }

  private static func readChunk(
    _ view: ReadView, _ table: StoredTable, from first: Number, _ batch: inout RowBatch
  ) throws(BolideError) {
    let cursor = try Cursor(view.transaction, table.rows)
    var key = MDB_val()
    var data = MDB_val()
    var isOn = try withUnsafeBytes(of: first) { (bytes) throws(BolideError) in
      key = MDB_val(bytes)
      return try cursor.move(MDB_SET_RANGE, &key, &data)
    }
    while isOn, batch.count < chunk {
      guard key.mv_size == 8 else { throw LMDBFailure.damaged("The number of a row is damaged") }
      try view.append(data, key.bytes.loadUnaligned(as: Number.self), of: table, to: &batch)
      isOn = try cursor.move(MDB_NEXT, &key, &data)
    }
  }

  private func buildIndexes(_ built: [IndexID], of table: StoredTable) throws(BolideError) {
    let keys = RowKeys(KeyWriter(transaction: transaction, nodes: new.fixed.nodes), table)
    var broken: [IndexID: [Taken]] = [:]
    var key: [UInt8] = []
    try forEachChunk(of: table) { (batch) throws(BolideError) in
      let numbers = batch.numbers
      try batch.withRows { (rows) throws(BolideError) in
        for place in 0..<rows.count {
          for id in built {
            let index = table.indexes[id]
            guard index.isUnique else {
              try keys.add(rows[place], numbers[place], index, &key)
              continue
            }
            let holder = try keys.claim(rows[place], numbers[place], index, &key)
            if holder != 0, broken[id, default: []].count < Self.namedDuplicates {
              broken[id, default: []].append(Taken(row: Int(numbers[place]), index: id, holder: holder))
            }
          }
        }
      }
    }
    guard let (index, taken) = broken.min(by: { $0.key < $1.key }) else { return }
    throw BolideError(
      .storeMisuse, "Rows of \(table.name) break its new unique index \(table.indexes[index].name)",
      remedy: "make the rows differ in the index's columns, or leave the index out",
      details: taken.map { "row \($0.row) has the key of row \($0.holder)" }, payload: taken)
  }
}

// MARK: - History

extension LayoutChange {
  /// Brings tombstones into the new formats and under the new ids of their tables.
  private func moveTombstones() throws(BolideError) {
    var targets: [TableID: (id: TableID, mapping: RowMapping)] = [:]
    var isSame = old.tables.count <= new.tables.count
    for (id, table) in plan.tables.enumerated() {
      guard let source = table.old else { continue }
      let preservedBefore = old.layout.tables[source].preserved
      let columns = new.layout.tables[id].preserved.map { column in
        table.columns[column].flatMap { preservedBefore.firstIndex(of: $0) }
      }
      let mapping = RowMapping(old.tables[source].tombstoneFormat, new.tables[id].tombstoneFormat, columns)
      targets[source] = (id, mapping)
      isSame = isSame && source == id && mapping.isIdentity
    }
    if isSame, targets.count == old.tables.count { return }
    try rewrite(old.fixed.tombstones) { (key, value) throws(BolideError) in
      guard key.count == 20 else { throw LMDBFailure.damaged("A tombstone is damaged") }
      guard let target = targets[TableID(key.big(8, UInt32.self))] else { return nil }
      guard target.mapping.source.isValid(value) else { throw LMDBFailure.damaged("A tombstone is damaged") }
      var moved = ReadView.tombstonePrefix(key.big(0, UInt64.self), target.id)
      moved.append(contentsOf: key[12...])
      return (moved, target.mapping.map(RowView(value, format: target.mapping.source)))
    }
  }

  /// Brings runs under the new ids of their entities; those of entities that are gone go with them.
  private func renumberEntities() throws(BolideError) {
    if plan.entities == old.layout.entities.indices.map(Optional.some) { return }
    let count = old.layout.entities.count
    try rewrite(old.fixed.runs) { (key, value) throws(BolideError) in
      var run = try HistoryFormat.run(value, entities: count)
      guard let entity = plan.entities[run.entity] else { return nil }
      run.entity = entity
      return ([UInt8](key), try HistoryFormat.encode(run))
    }
  }

  /// Replaces each entry of a database by another, or by none.
  ///
  /// All entries are moved in memory: a moved one may stand where another has still to be read.
  private func rewrite(
    _ database: MDB_dbi,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(BolideError) -> ([UInt8], [UInt8])?
  ) throws(BolideError) {
    var entries: [([UInt8], [UInt8])] = []
    try ReadView(transaction: transaction, schema: old).forEach(from: [], in: database) {
      (key, value) throws(BolideError) in
      if let entry = try body(key, value) { entries.append(entry) }
      return true
    }
    try check(mdb_drop(transaction, database, 0), "rewrite history")
    let writer = RecordWriter(transaction: transaction, database: database)
    for (key, value) in entries { try writer.put(key, value) }
  }
}

/// Takes the columns of rows of one format over into another.
struct RowMapping {
  let source: RowFormat
  let target: RowFormat
  /// For each column of the target that of the source; `nil` for a column that is nil.
  private let columns: [Int?]

  init(_ source: RowFormat, _ target: RowFormat, _ columns: [Int?]) {
    self.source = source
    self.target = target
    self.columns = columns
  }

  var isIdentity: Bool { columns == source.types.indices.map(Optional.some) }

  func map(_ batch: RowBatch) -> RowBatch {
    var result = RowBatch(target)
    var builder = RowBuilder(target)
    let numbers = batch.numbers
    batch.withRows { rows in
      for place in 0..<rows.count {
        fill(&builder, rows[place])
        builder.append(to: &result, number: numbers[place])
      }
    }
    return result
  }

  func map(_ row: RowView) -> [UInt8] {
    var result = RowBatch(target)
    var builder = RowBuilder(target)
    fill(&builder, row)
    builder.append(to: &result)
    return result.withRow(at: 0) { [UInt8]($0.bytes) } ?? []
  }

  private func fill(_ builder: inout RowBuilder, _ row: RowView) {
    builder.clear()
    for (column, place) in columns.enumerated() {
      guard let place, !row.isNil(place) else { continue }
      let type = target.types[column]
      if !type.isFixed {
        builder.set(column, bytes: row.variable(place))
      } else if type.isInteger {
        builder.set(column, int: row.int(place))
      } else {
        builder.set(column, double: row.double(place))
      }
    }
  }
}
