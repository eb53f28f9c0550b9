import BolideStorage

/// The layouts on the way: a store matches tables, columns and links by name, so that what takes a name over from
/// something else has to wait until that is gone.
extension MigrationPlan {
  /// The layout in which everything has a new column that is to have one, without the indexes of ``deferred(_:)``.
  func layoutForFilling(entities: [EntityLayout], properties: [[String]]) -> Layout {
    var layout = final(entities: entities, properties: properties)
    for table in layout.tables.indices {
      let deferred = deferred(table)
      layout.tables[table].indexes = layout.tables[table].indexes.indices
        .filter { !deferred.contains($0) }.map { layout.tables[table].indexes[$0] }
    }
    return layout
  }

  /// The layout at the end.
  func final(entities: [EntityLayout], properties: [[String]]) -> Layout {
    var layout = match.new.layout
    layout.entities = entities
    for table in layout.tables.indices { layout.tables[table].properties = properties[table] }
    return layout
  }

  /// A layout without the stored tables, columns and links whose names something else takes over; `nil` where there
  /// is no such thing.
  func layoutForClearing(entities: [EntityLayout], properties: [[String]]) -> Layout? {
    var layout = layoutForFilling(entities: entities, properties: properties)
    var isNeeded = false
    var places: [TableID: TableID] = [:]
    var tables: [TableLayout] = []
    for (id, table) in layout.tables.enumerated() {
      let stored = match.old.layout.tables.first { $0.name == table.name }
      if stored != nil, !self.tables[id].isKept {
        isNeeded = true
        continue
      }
      places[id] = tables.count
      let changed = table.columns.indices.filter { column in
        guard let before = stored?.columns.first(where: { $0.name == table.columns[column].name }) else {
          return false
        }
        return before.type != table.columns[column].type
      }
      isNeeded = isNeeded || !changed.isEmpty
      tables.append(table.without(changed))
    }
    var links: [LinkLayout] = []
    for (id, link) in layout.links.enumerated() {
      let isTaken = match.old.layout.links.contains { $0.name == link.name } && !self.links[id].isKept
      isNeeded = isNeeded || isTaken
      guard !isTaken, let source = places[link.source], let target = places[link.target] else { continue }
      var link = link
      (link.source, link.target) = (source, target)
      links.append(link)
    }
    guard isNeeded else { return nil }
    layout.links = links
    layout.tables = tables
    // An entity without a table here keeps its history by its name all the same.
    layout.entities =
      tables.isEmpty
      ? [] : entities.map { EntityLayout(name: $0.name, table: places[$0.table] ?? 0) }
    return layout
  }

  /// The indexes of a table that are built once its rows are filled: those over written columns, and unique ones that
  /// the stored rows may break.
  func deferred(_ table: TableID) -> [IndexID] {
    let plan = tables[table]
    let layout = match.new.layout.tables[table]
    let stored = plan.isKept ? plan.source.map { match.old.layout.tables[$0] } : nil
    if plan.source == nil { return [] }
    return layout.indexes.indices.filter { id in
      let index = layout.indexes[id]
      if ColumnSet(index.columns).intersects(plan.written) { return true }
      guard index.isUnique else { return false }
      return stored?.indexes.contains {
        $0.name == index.name && $0.isUnique
          && $0.columns.map { stored?.columns[$0].name } == index.columns.map { layout.columns[$0].name }
      } != true
    }
  }

  /// Whether the store's tables differ, or have to make room on the way: for what takes another's name over, and for new
  /// values of indexed columns.
  var changesLayout: Bool {
    let (old, new) = (match.old.layout, match.new.layout)
    if old.tables != new.tables || old.links != new.links || old.entities != new.entities { return true }
    return tables.indices.contains {
      tables[$0].source != nil && !(tables[$0].isKept && deferred($0).isEmpty)
    }
      || links.contains { $0.source != nil && !$0.isKept }
  }
}

extension TableLayout {
  /// The table without some of its columns, and without what needs them.
  fileprivate func without(_ columns: [Int]) -> TableLayout {
    if columns.isEmpty { return self }
    let kept = self.columns.indices.filter { !columns.contains($0) }
    var places: [Int: Int] = [:]
    for (place, column) in kept.enumerated() { places[column] = place }
    var result = self
    result.columns = kept.map { self.columns[$0] }
    result.preserved = preserved.compactMap { places[$0] }
    result.indexes = indexes.compactMap { index in
      let moved = index.columns.compactMap { places[$0] }
      guard moved.count == index.columns.count else { return nil }
      return IndexLayout(name: index.name, columns: moved, isUnique: index.isUnique)
    }
    return result
  }
}
