import BolideStorage

/// Deletes and updates of stored objects, with the conflicts of rule U-10.
extension Save {
  // MARK: Deletes

  func delete() throws(BolideError) {
    if deletes.isEmpty { return }
    var byTable: [TableID: [ManagedObject]] = [:]
    for object in deletes { byTable[object.entity.table, default: []].append(object) }
    var plan = DeletePlan(session)
    for (table, objects) in byTable.sorted(by: { $0.key < $1.key }) {
      let stored = try rows(objects.map(\.objectID.number), of: table)
      var numbers: [Number] = []
      for (index, object) in objects.enumerated() {
        try stored.withRow(at: index) { (row) throws(BolideError) in
          switch try conflict(of: object, with: row, editing: nil) {
          case nil: numbers.append(object.objectID.number)
          case .storeTrump?, .rollback?: dropped.append(object)
          default: numbers.append(object.objectID.number)
          }
        }
      }
      try plan.add(numbers, of: table)
    }
    try throwConflicts()
    try plan.checkDenied()
    _ = try plan.execute()
  }

  // MARK: Updates

  /// The policy that decides where an object changed under the context; `nil` where it did not (rule U-10).
  ///
  /// - Parameter columns: the columns edited here; `nil` for a delete.
  func conflict(
    of object: ManagedObject, with stored: RowView, editing columns: ColumnSet?
  ) throws(BolideError) -> MergePolicy? {
    guard let base = object.base else { return nil }
    let format = object.entity.format
    let changed = base.withUnsafeBytes { stored.differences(from: RowView($0, format: format)) }
      .subtracting(object.entity.derivedColumns).subtracting(columnsLetGo(by: object, in: stored))
    if changed.isEmpty { return nil }
    guard policy == .error else { return policy }
    for column in changed.members {
      let name = object.entity.tableLayout.columns[column].name
      let mine =
        columns == nil ? "deleted" : text(object.edits[column]) ?? text(object.stored(column))
      conflicts.append(
        "\(object.objectID).\(name)  base \(text(object.stored(column)))  mine \(mine)  stored \(text(stored.value(column)))"
      )
    }
    return .error
  }

  /// The references that this very save cleared by deleting what they named: no other writer's doing.
  private func columnsLetGo(by object: ManagedObject, in stored: RowView) -> ColumnSet {
    var columns = ColumnSet()
    for case .toOne(let column, _, _, let destination) in object.entity.relationships.map(\.kind) {
      guard stored.isNil(column), case .reference(let number) = object.stored(column) else { continue }
      let isDeleted = map.entities[destination].members.contains {
        session.log.isDeleted(number, entity: $0)
      }
      if isDeleted { columns.insert(column) }
    }
    return columns
  }

  func updateImages() throws(BolideError) -> [TableID: [(
    object: ManagedObject, image: RowBatch, stored: RowBatch
  )]] {
    var result: [TableID: [(object: ManagedObject, image: RowBatch, stored: RowBatch)]] = [:]
    for object in updates {
      let entity = object.entity
      let stored = try rows([object.objectID.number], of: entity.table)
      guard stored.isPresent(0) else {
        switch policy {
        case _ where session.log.isDeleted(object.objectID.number, entity: entity.id):
          // A cascade of this very save took it.
          dropped.append(object)
        case .storeTrump, .rollback: dropped.append(object)
        default:
          throw BolideError(
            .conflictDeleted, "\(object.objectID) was deleted by another writer and has edits here")
        }
        continue
      }
      var builder = RowBuilder(entity.format)
      try stored.withRow(at: 0) { (row) throws(BolideError) in
        // Edits of to-many sides alone are deltas and never conflict.
        let edited = ColumnSet(object.edits.keys)
        let decision = edited.isEmpty ? nil : try conflict(of: object, with: row, editing: edited)
        if decision == .rollback {
          dropped.append(object)
          return
        }
        builder.load(row)
        for (column, edit) in object.edits {
          if decision == .storeTrump, !isUnchanged(object, row, column) { continue }
          apply(edit, column, to: &builder)
        }
        if decision == .overwrite {
          // The whole object as this context has it, derived values aside.
          for column in entity.settable.members where object.edits[column] == nil {
            builder.set(column, object.stored(column))
          }
        }
        var image = RowBatch(entity.format)
        builder.append(to: &image, number: object.objectID.number)
        noteReferences(of: object, from: row, to: image)
        result[entity.table, default: []].append((object, image, stored))
      }
    }
    try throwConflicts()
    return result
  }

  func isUnchanged(_ object: ManagedObject, _ stored: RowView, _ column: Int) -> Bool {
    object.stored(column) == stored.value(column)
  }

  /// The other sides of to-one references that change.
  func noteReferences(of object: ManagedObject, from old: RowView?, to image: RowBatch) {
    image.withRow(at: 0) { new in
      for property in object.entity.relationships {
        guard case .toOne(let column, _, _, let destination) = property.kind else { continue }
        let before = old.map { $0.isNil(column) ? 0 : $0.int(column) } ?? 0
        let after = new.isNil(column) ? 0 : new.int(column)
        if before == after { continue }
        let number = image.numbers[0]
        if before > 0 {
          session.noteInverse(
            of: property, destination: destination, owner: before, member: number, added: false)
        }
        if after > 0 {
          session.noteInverse(
            of: property, destination: destination, owner: after, member: number, added: true)
        }
      }
    }
  }

  func apply(_ edit: ManagedObject.Edit, _ column: Int, to builder: inout RowBuilder) {
    switch edit {
    case .value(let value): builder.set(column, value)
    case .object(let id):
      // A reference to a new object is written once all numbers are known.
      guard let id, !id.isTemporary, !isDeletedHere(id) else { return builder.setNil(column) }
      builder.set(column, .reference(id.number))
    }
  }

  func isDeletedHere(_ id: ManagedObjectID) -> Bool {
    if context.registeredObject(for: id)?.isDeleted == true { return true }
    return map.entities.contains {
      $0.name == id.entityName && session.log.isDeleted(id.number, entity: $0.id)
    }
  }

  /// A to-one may not name an object that another writer deleted (rule R-2).
  func refuseGoneReferences() throws(BolideError) {
    for object in inserts + updates {
      for property in object.entity.relationships {
        guard case .toOne(let column, _, _, let destination) = property.kind,
          case .object(let id?)? = object.edits[column], !id.isTemporary, !isDeletedHere(id)
        else { continue }
        try refuseGone([id.number], of: map.entities[destination])
      }
    }
  }

  func write(
    _ images: [TableID: [(object: ManagedObject, image: RowBatch, stored: RowBatch)]]
  ) throws(BolideError) {
    // First every key that changes is released, then the rows are written: two objects may swap keys.
    for (table, entries) in images {
      let keys = map.layout.tables[table].indexes.filter(\.isUnique).map { ColumnSet($0.columns) }
      let released = entries.filter { entry in
        let changed = differences(entry.image, entry.stored)
        return keys.contains { $0.intersects(changed) }
      }
      if !released.isEmpty {
        try session.transaction.release(released.map(\.object.objectID.number), of: table)
      }
    }
    for (table, entries) in images.sorted(by: { $0.key < $1.key }) {
      for entry in entries {
        let columns = differences(entry.image, entry.stored)
        if columns.isEmpty { continue }
        var taken: [Taken] = []
        try session.transaction.update(entry.image, of: table, columns: columns, taken: &taken)
        if let taken = taken.first {
          let holder = "\(entry.object.entity.name)#\(taken.holder)"
          throw BolideError(
            .conflictUnique, "\(entry.object.objectID) has a key that \(holder) holds",
            details: [
              "\(entry.object.objectID)  \(keyText(entry.image, taken.index, entry.object.entity))  stored \(holder)"
            ])
        }
        try entry.stored.withRow(at: 0) { (old) throws(BolideError) in
          try entry.image.withRow(at: 0) { (new) throws(BolideError) in
            try session.logUpdate(
              entry.object.objectID.number, entity: entry.object.entity, current: old, new: new)
          }
        }
      }
    }
  }

  func differences(_ image: RowBatch, _ stored: RowBatch) -> ColumnSet {
    image.withRow(at: 0) { new in stored.withRow(at: 0) { new.differences(from: $0) } ?? ColumnSet() }
      ?? ColumnSet()
  }
}
