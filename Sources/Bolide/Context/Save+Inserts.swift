import BolideStorage

/// New objects, and what becomes of them where a stored object holds their key (rule U-3).
extension Save {
  // MARK: Inserts

  func insert() throws(BolideError) {
    for object in inserts {
      let entity = object.entity
      var builder = entity.defaults
      for (column, edit) in object.edits { apply(edit, column, to: &builder) }
      var image = RowBatch(entity.format)
      builder.append(to: &image)
      let first = try session.nextNumber(entity.table)
      var taken: [Taken] = []
      let count = try session.transaction.insert(image, of: entity.table, numberedFrom: first, taken: &taken)
      if let meeting = taken.first {
        try meet(object, meeting: meeting, image: image)
        continue
      }
      let used = try session.use(count, of: entity.table)
      session.log.insert(used, entity: entity.id)
      numbers[object.objectID] = used.lowerBound
      image.setNumber(used.lowerBound, at: 0)
      noteReferences(of: object, from: nil, to: image)
    }
    try throwUniqueConflicts()
  }

  /// A new object meets a stored one through a uniqueness constraint (rule U-3).
  func meet(_ object: ManagedObject, meeting: Taken, image: RowBatch) throws(BolideError) {
    let entity = object.entity
    let holder = meeting.holder
    let others = try otherHolders(image, of: entity, than: holder)
    if !others.isEmpty, policy == .objectTrump || policy == .overwrite || policy == .error {
      throw BolideError(
        .conflictSeveral, "\(object.objectID) meets \(entity.name)#\(holder) and \(entity.name)#\(others[0])")
    }
    switch policy {
    case .error:
      uniqueConflicts.append(
        "\(object.objectID)  \(keyText(image, meeting.index, entity))  stored \(entity.name)#\(holder)")
    case .rollback:
      dropped.append(object)
    case .storeTrump:
      numbers[object.objectID] = holder
    case .objectTrump, .overwrite:
      numbers[object.objectID] = holder
      let stored = try rows([holder], of: entity.table)
      var builder = RowBuilder(entity.format)
      let columns = policy == .overwrite ? entity.settable : ColumnSet(object.edits.keys)
      try stored.withRow(at: 0) { (row) throws(BolideError) in
        builder.load(row)
        for column in columns.members {
          image.withRow(at: 0) { builder.copy(column, from: $0) }
        }
        var merged = RowBatch(entity.format)
        builder.append(to: &merged, number: holder)
        try merged.withRow(at: 0) { (new) throws(BolideError) in
          let changed = new.differences(from: row)
          if changed.isEmpty { return }
          var taken: [Taken] = []
          try session.logUpdate(holder, entity: entity, current: row, new: new)
          noteReferences(of: object, from: row, to: merged)
          try session.transaction.update(merged, of: entity.table, columns: changed, taken: &taken)
        }
      }
    }
  }

  func throwUniqueConflicts() throws(BolideError) {
    guard !uniqueConflicts.isEmpty else { return }
    let more = uniqueConflicts.count > 100 ? ["and \(uniqueConflicts.count - 100) more"] : []
    throw BolideError(
      .conflictUnique, "\(uniqueConflicts.count) new objects have a key that a stored object holds",
      details: Array(uniqueConflicts.prefix(100)) + more)
  }

  /// Stored objects that hold another unique key of a row than the one that was reported.
  func otherHolders(_ image: RowBatch, of entity: EntityMap, than holder: Number) throws(BolideError)
    -> [Number]
  {
    var result: [Number] = []
    for index in entity.uniqueIndexes {
      var found = RowBatch(entity.format)
      try session.transaction.find(image, of: entity.table, by: index, columns: ColumnSet(), into: &found)
      if let number = found.numbers.first, number > 0, number != holder { result.append(number) }
    }
    return result
  }

  /// References to objects that were new a moment ago.
  func writeLateReferences() throws(BolideError) {
    for object in inserts + updates where !dropped.contains(object) {
      let number = object.objectID.isTemporary ? numbers[object.objectID] : object.objectID.number
      guard let number else { continue }
      let late = object.edits.compactMap { column, edit -> (Int, Number)? in
        guard case .object(let id?) = edit, id.isTemporary, let target = numbers[id] else { return nil }
        return (column, target)
      }
      if late.isEmpty { continue }
      let stored = try rows([number], of: object.entity.table)
      var builder = RowBuilder(object.entity.format)
      var image = RowBatch(object.entity.format)
      try stored.withRow(at: 0) { (row) throws(BolideError) in
        builder.load(row)
        for (column, target) in late { builder.set(column, .reference(target)) }
        builder.append(to: &image, number: number)
        noteReferences(of: object, from: row, to: image)
        try image.withRow(at: 0) { (new) throws(BolideError) in
          try session.logUpdate(number, entity: object.entity, current: row, new: new)
        }
      }
      var taken: [Taken] = []
      try session.transaction.update(
        image, of: object.entity.table, columns: ColumnSet(late.map(\.0)), taken: &taken)
    }
  }
}
