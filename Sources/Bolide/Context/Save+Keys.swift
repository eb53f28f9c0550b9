import BolideStorage

/// Edits that take keys which other objects hold, where the store wins (rule U-3).
extension Save {
  /// Gives up what cannot be: the attributes of the key under *store trump*, all edits of the object under *rollback*. Who
  /// was to get the key that is not given up gives way, too.
  func yieldTakenKeys(of images: inout [TableID: [RowChange]]) throws(BolideError) {
    guard policy == .storeTrump || policy == .rollback else { return }
    for table in images.keys.sorted() {
      var changes = images[table] ?? []
      while let (place, columns) = try firstTaken(among: changes, of: table) {
        let change = changes[place]
        if policy == .rollback {
          dropped.insert(change.object)
          // What was noted of its references is taken back.
          change.image.withRow(at: 0) { noteReferences(of: change.object, from: $0, to: change.stored) }
          changes.remove(at: place)
        } else {
          changes[place] = change.keeping(columns)
        }
      }
      images[table] = changes
    }
  }

  /// The first change that takes a key which an object holds that keeps it, or which an earlier change takes.
  private func firstTaken(
    among changes: [RowChange], of table: TableID
  ) throws(BolideError) -> (place: Int, columns: ColumnSet)? {
    let layout = map.layout.tables[table]
    for (index, description) in layout.indexes.enumerated() where description.isUnique {
      let columns = ColumnSet(description.columns)
      let movers = changes.indices.filter { changes[$0].columns.intersects(columns) }
      if movers.isEmpty { continue }
      let leaving = Set(movers.map { changes[$0].number })
      var keys = RowBatch(layout.format)
      for mover in movers {
        changes[mover].image.withRow(at: 0) { keys.append($0, number: changes[mover].number) }
      }
      var holders = RowBatch(layout.format)
      try session.transaction.find(keys, of: table, by: index, columns: ColumnSet(), into: &holders)
      var claimed: Set<[Value]> = []
      for (place, mover) in movers.enumerated() {
        let key =
          changes[mover].image.withRow(at: 0) { row in description.columns.map { row.value($0) } } ?? []
        if key.contains(where: \.isNull) { continue }
        let holder = holders.numbers[place]
        let isTaken = holder > 0 && holder != changes[mover].number && !leaving.contains(holder)
        if isTaken || !claimed.insert(key).inserted { return (mover, columns) }
      }
    }
    return nil
  }
}

extension RowChange {
  /// The change without what it does to some columns.
  fileprivate func keeping(_ columns: ColumnSet) -> RowChange {
    var builder = RowBuilder(object.entity.format)
    image.withRow(at: 0) { builder.load($0) }
    return stored.withRow(at: 0) { row in
      for column in columns.members { builder.copy(column, from: row) }
      return RowChange(object, builder, over: row, number: number)
    } ?? self
  }
}
