import BolideStorage

/// Changing the layout: trees move to their new places, rows are written anew where columns changed.
extension MemoryTransaction {
  func changeLayout(_ layout: Layout) throws(BolideError) {
    let old = contents
    let shape = StoreShape(layout)
    try requireFit(layout)
    var dropped = Set(old.trees.indices)
    func take(_ index: Int) -> Tree {
      dropped.remove(index)
      return old.trees[index]
    }
    var next = StoreContents(layout)
    next.shape = shape
    next.head = old.head
    next.historyStart = old.historyStart
    for index in [StoreShape.history, StoreShape.runs, StoreShape.tombstones, StoreShape.metadata] {
      next.trees[index] = take(index)
    }
    var rewrites: [(table: TableID, from: StoreShape.Table)] = []
    var fills: [(table: TableID, index: IndexID)] = []
    for (id, table) in shape.tables.enumerated() {
      guard let before = old.shape.tables.first(where: { $0.layout.name == table.layout.name }) else {
        continue
      }
      next.trees[table.rows] = take(before.rows)
      if before.layout.columns != table.layout.columns { rewrites.append((id, before)) }
      for (position, index) in table.layout.indexes.enumerated() {
        let same = before.layout.indexes.indices.first { before.layout.has(index, of: table.layout, $0) }
        if let same {
          next.trees[table.indexes[position].tree] = take(before.indexes[same].tree)
        } else {
          fills.append((id, position))
        }
      }
    }
    for (id, link) in layout.links.enumerated() {
      guard let before = old.shape.layout.links.firstIndex(where: { $0.name == link.name }) else { continue }
      next.trees[shape.links[id].forward] = take(old.shape.links[before].forward)
      next.trees[shape.links[id].inverse] = take(old.shape.links[before].inverse)
      next.hasOrders[id] = old.hasOrders[before]
    }
    for index in dropped { old.trees[index].root?.release(in: editor.pool) }
    contents = next
    try renumberRuns(from: old.shape.layout)
    rewriteTombstones(from: old.shape)
    for (table, before) in rewrites { rewrite(shape.tables[table], from: before) }
    for (id, position) in fills {
      let table = shape.tables[id]
      let taken = Array(fill(table.indexes[position], position, of: table).prefix(100))
      if taken.isEmpty { continue }
      throw BolideError(
        .storeMisuse,
        "rows of \(table.layout.name) have equal keys in the new unique index \(table.layout.indexes[position].name)",
        remedy: "make the keys differ first", payload: taken)
    }
  }

  private func requireFit(_ layout: Layout) throws(BolideError) {
    let before = contents.shape.layout
    guard layout.epoch == before.epoch + 1, released.values.allSatisfy(\.isEmpty) else {
      throw BolideError(.storeMisuse, "changing layout \(before.epoch) to \(layout.epoch)")
    }
    for table in layout.tables {
      let columns = before.tables.first { $0.name == table.name }?.columns ?? []
      for column in table.columns {
        guard let old = columns.first(where: { $0.name == column.name }), old.type != column.type else {
          continue
        }
        throw BolideError(
          .storeMisuse, "column \(table.name).\(column.name) cannot turn from \(old.type) into \(column.type)"
        )
      }
    }
  }

  /// Writes all rows in the table's new format.
  private func rewrite(_ table: StoreShape.Table, from before: StoreShape.Table) {
    let sources = table.layout.columns.map { column in
      before.layout.columns.firstIndex { $0.name == column.name }
    }
    let source = contents.trees[table.rows]
    contents.trees[table.rows] = converted(source, from: before.format, to: table.format, sources)
    source.root?.release(in: editor.pool)
  }

  /// Brings runs under the new ids of their entities, by name; those of entities that are gone go with them.
  private func renumberRuns(from old: Layout) throws(BolideError) {
    let names = contents.shape.layout.entities.map(\.name)
    let ids = old.entities.map { names.firstIndex(of: $0.name) }
    let source = contents.trees[StoreShape.runs]
    if ids == old.entities.indices.map(Optional.some) || source.count == 0 { return }
    contents.trees[StoreShape.runs] = Tree()
    var cursor = Cursor(source)
    cursor.seekStart()
    while let (leaf, index) = cursor.position {
      defer { cursor.advance() }
      var run = try HistoryCoding.run(leaf.value(index))
      guard ids.indices.contains(run.entity), let id = ids[run.entity] else { continue }
      run.entity = id
      HistoryCoding.bytes(of: run).withUnsafeBytes {
        editor.set(leaf.key(index), $0, in: &contents.trees[StoreShape.runs])
      }
    }
    source.root?.release(in: editor.pool)
  }

  /// Writes all tombstones under the tables' new places and in their new formats.
  private func rewriteTombstones(from old: StoreShape) {
    let source = contents.trees[StoreShape.tombstones]
    guard source.count > 0 else { return }
    contents.trees[StoreShape.tombstones] = Tree()
    var cursor = Cursor(source)
    cursor.seekStart()
    while let (leaf, index) = cursor.position {
      defer { cursor.advance() }
      let key = leaf.key(index)
      let before = HistoryCoding.table(ofTombstone: key)
      guard old.tables.indices.contains(before),
        let now = contents.shape.tables.firstIndex(where: { $0.layout.name == old.tables[before].layout.name }
        )
      else { continue }
      let names = old.tables[before].layout.preservedNames
      let table = contents.shape.tables[now]
      var batch = RowBatch(table.tombstoneFormat)
      var converter = RowConverter(
        from: old.tables[before].tombstoneFormat, to: table.tombstoneFormat,
        table.layout.preservedNames.map { names.firstIndex(of: $0) })
      converter.convert(leaf.value(index), number: 0, to: &batch)
      let number = HistoryCoding.number(ofTombstone: key)
      _ = batch.withRow(at: 0) { row in
        HistoryCoding.tombstoneKey(key.head, now, number).withUnsafeBytes {
          editor.set(Key($0), row.bytes, in: &contents.trees[StoreShape.tombstones])
        }
      }
    }
    source.root?.release(in: editor.pool)
  }

  private func converted(
    _ source: Tree, from old: RowFormat, to new: RowFormat, _ sources: [Int?]
  ) -> Tree {
    var target = Tree()
    var converter = RowConverter(from: old, to: new, sources)
    var batch = RowBatch(new)
    var cursor = Cursor(source)
    cursor.seekStart()
    while let (leaf, index) = cursor.position {
      batch.removeAll()
      let key = leaf.key(index)
      converter.convert(leaf.value(index), number: 0, to: &batch)
      _ = batch.withRow(at: 0) { editor.set(key, $0.bytes, in: &target) }
      cursor.advance()
    }
    return target
  }
}

/// Brings rows from one format to another.
private struct RowConverter {
  private let old: RowFormat
  /// The old column of each new one; `nil` for a new column, which stays nil.
  private let sources: [Int?]
  private var builder: RowBuilder

  init(from old: RowFormat, to new: RowFormat, _ sources: [Int?]) {
    self.old = old
    self.sources = sources
    builder = RowBuilder(new)
  }

  mutating func convert(_ bytes: UnsafeRawBufferPointer, number: Number, to batch: inout RowBatch) {
    let row = RowView(bytes, format: old)
    builder.clear()
    for (column, source) in sources.enumerated() {
      guard let source, !row.isNil(source) else { continue }
      if old.types[source].isFixed {
        builder.set(column, int: row.int(source))
      } else {
        builder.set(column, bytes: row.variable(source))
      }
    }
    builder.append(to: &batch, number: number)
  }
}

extension TableLayout {
  fileprivate var preservedNames: [String] { preserved.map { columns[$0].name } }

  /// Whether the index at `position` is another layout's index: in name, columns by name and uniqueness.
  fileprivate func has(_ other: IndexLayout, of table: TableLayout, _ position: Int) -> Bool {
    let index = indexes[position]
    return index.name == other.name && index.isUnique == other.isUnique
      && index.columns.map { columns[$0].name } == other.columns.map { table.columns[$0].name }
  }
}
