import BolideStorage

/// New objects, and what becomes of them where a stored object holds their key (rule U-3).
extension Save {
  // MARK: Inserts

  /// Writes new objects in the order they were inserted, those of one entity that follow each other together.
  func insert() throws(BolideError) {
    let inserts = dropped.isEmpty ? inserts : inserts.filter { !dropped.contains($0) }
    var start = 0
    while start < inserts.count {
      var end = start + 1
      while end < inserts.count, mayFollow(inserts[end - 1], inserts[end]), end - start < WriteSession.chunk {
        end += 1
      }
      try insert(inserts[start..<end])
      start = end
    }
    try throwUniqueConflicts()
  }

  /// Whether two new objects may be written in one call: not where the first may take a key that the second then meets
  /// otherwise, nor where one brings its number.
  private func mayFollow(_ first: ManagedObject, _ second: ManagedObject) -> Bool {
    first.entity.id == second.entity.id && first.entity.uniqueIndexes.count < 2
      && first.objectID.isTemporary && second.objectID.isTemporary
  }

  private func insert(_ objects: ArraySlice<ManagedObject>) throws(BolideError) {
    guard let entity = objects.first?.entity else { return }
    var images = RowBatch(entity.format)
    for object in objects {
      var builder = entity.defaults
      let lost = lostReferences(of: object)
      for (column, edit) in object.edits where !lost.contains(column) { apply(edit, column, to: &builder) }
      builder.append(to: &images)
    }
    var taken: [Taken] = []
    let number: Number
    if let id = objects.first?.objectID, !id.isTemporary {
      // The number was set aside before (see `obtainPermanentIDs(for:)`).
      number = id.number
      let count = try session.transaction.insert(
        images, of: entity.table, numberedFrom: number, taken: &taken)
      if count > 0 { session.log.insert(number, entity: entity.id) }
    } else {
      number = try session.nextNumber(entity.table)
      let count = try session.transaction.insert(
        images, of: entity.table, numberedFrom: number, taken: &taken)
      session.log.insert(try session.use(count, of: entity.table), entity: entity.id)
    }
    var next = number
    var refused = taken[...]
    for (place, object) in objects.enumerated() {
      try images.withRow(at: place) { (row) throws(BolideError) in
        var image = RowBatch(entity.format)
        if let meeting = refused.first, meeting.row == place {
          refused.removeFirst()
          image.append(row, number: 0)
          return try meet(object, meeting: meeting, image: image)
        }
        numbers[object.objectID] = next
        image.append(row, number: next)
        next += 1
        noteReferences(of: object, from: nil, to: image)
      }
    }
  }

  /// A new object meets a stored one through a uniqueness constraint (rule U-3).
  func meet(_ object: ManagedObject, meeting: Taken, image: RowBatch) throws(BolideError) {
    let entity = object.entity
    let holder = meeting.holder
    let stored = try rows([holder], of: entity.table)
    let actual = stored.withRow(at: 0) { map.entity(of: $0, in: entity.table) } ?? entity
    // An object cannot become one of another entity (rule R-5).
    guard entity.includes(actual.id) || policy == .error else {
      if policy == .storeTrump || policy == .rollback {
        dropped.insert(object)
      } else {
        try noteKey(of: object, meeting, image: image)
      }
      return
    }
    // One of a sub-entity takes the values, and goes on under its own id.
    if actual !== entity { absorbed.insert(object) }
    let others = try otherHolders(image, of: entity, than: holder)
    if !others.isEmpty, policy == .objectTrump || policy == .overwrite || policy == .error {
      let other = try id(of: others[0], in: entity.table)
      throw BolideError(
        .conflictSeveral, "\(object.objectID) meets \(actual.name)#\(holder) and \(other)")
    }
    switch policy {
    case .error:
      try noteKey(of: object, meeting, image: image)
    case .rollback:
      dropped.insert(object)
    case .storeTrump:
      numbers[object.objectID] = holder
      kept.insert(object)
    case .objectTrump, .overwrite:
      numbers[object.objectID] = holder
      try merge(object, with: holder, of: actual, stored: stored, image: image)
    }
  }

  /// Writes what a new object says into the stored one that it becomes.
  private func merge(
    _ object: ManagedObject, with holder: Number, of actual: EntityMap, stored: RowBatch, image: RowBatch
  ) throws(BolideError) {
    let table = actual.table
    var columns = ColumnSet(object.edits.filter { !isLate($0.value) }.keys)
    if policy == .overwrite { columns.formUnion(object.entity.settable) }
    var builder = RowBuilder(actual.format)
    try stored.withRow(at: 0) { (row) throws(BolideError) in
      builder.load(row)
      for column in columns.members {
        image.withRow(at: 0) { builder.copy(column, from: $0) }
      }
      var merged = RowBatch(actual.format)
      builder.append(to: &merged, number: holder)
      try merged.withRow(at: 0) { (new) throws(BolideError) in
        let changed = new.differences(from: row)
        if changed.isEmpty { return }
        var taken: [Taken] = []
        try session.transaction.update(merged, of: table, columns: changed, taken: &taken)
        // What is stored and what comes in may make a key together that neither has alone.
        if let first = taken.first {
          let other = try id(of: first.holder, in: table)
          throw BolideError(
            .conflictSeveral,
            "\(object.objectID) meets \(actual.name)#\(holder), which would then have the key of \(other)")
        }
        try session.logUpdate(holder, entity: actual, current: row, new: new)
        noteReferences(of: object, from: row, to: merged)
      }
    }
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

  /// References to objects that had no number yet when their owner was written.
  func writeLateReferences() throws(BolideError) {
    struct Late {
      var object: ManagedObject
      var targets: [Int: Number]
    }
    var late: [TableID: [Number: Late]] = [:]
    for object in inserts + updates where !dropped.contains(object) && !kept.contains(object) {
      guard let owner = number(of: object.objectID) else { continue }
      for (column, edit) in object.edits {
        guard case .object(let id?) = edit, isNew(id), let target = numbers[id],
          withheld[object]?.contains(column) != true
        else { continue }
        late[object.entity.table, default: [:]][owner, default: Late(object: object, targets: [:])]
          .targets[column] = target
      }
    }
    for (table, entries) in late.sorted(by: { $0.key < $1.key }) {
      let owners = entries.keys.sorted()
      let stored = try rows(owners, of: table)
      var changes: [RowChange] = []
      for (place, owner) in owners.enumerated() {
        guard let entry = entries[owner] else { continue }
        stored.withRow(at: place) { row in
          var builder = RowBuilder(entry.object.entity.format)
          builder.load(row)
          for (column, target) in entry.targets { builder.set(column, .reference(target)) }
          let change = RowChange(entry.object, builder, over: row, number: owner)
          if change.columns.isEmpty { return }
          noteReferences(of: entry.object, from: row, to: change.image)
          changes.append(change)
        }
      }
      try write(changes, of: table)
    }
  }
}
