import BolideStorage

/// Updates of stored objects, with the conflicts of rule U-10.
extension Save {
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
    try noteVersions(of: object, with: stored, changed: changed, isDeleted: columns == nil)
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

  /// The rows that edited objects are to have, by table, with the stored ones: each table is read at once.
  func updateImages() throws(BolideError) -> [TableID: [RowChange]] {
    var objects: [TableID: [ManagedObject]] = [:]
    for object in updates { objects[object.entity.table, default: []].append(object) }
    var result: [TableID: [RowChange]] = [:]
    for (table, objects) in objects.sorted(by: { $0.key < $1.key }) {
      let stored = try rows(objects.map(\.objectID.number), of: table)
      for (place, object) in objects.enumerated() {
        let change = try stored.withRow(at: place) { (row) throws(BolideError) in
          try updateImage(of: object, over: row)
        }
        if let change {
          if let change { result[table, default: []].append(change) }
        } else {
          missRow(of: object)
        }
      }
    }
    try throwDeletionConflicts()
    try throwConflicts()
    return result
  }

  /// The row of an edited object is gone.
  private func missRow(of object: ManagedObject) {
    // A cascade of this very save may have taken it.
    if session.log.isDeleted(object.objectID.number, entity: object.entity.id) || policy == .storeTrump
      || policy == .rollback
    {
      dropped.insert(object)
      vanished.insert(object)
      return
    }
    noteDeletion(of: object)
  }

  /// The row that an edited object is to have, as the policy decides; `nil` where its edits are dropped.
  private func updateImage(of object: ManagedObject, over row: RowView) throws(BolideError) -> RowChange? {
    let entity = object.entity
    // Edits of to-many sides alone are deltas and never conflict.
    let edited = ColumnSet(object.edits.keys)
    let decision = edited.isEmpty ? nil : try conflict(of: object, with: row, editing: edited)
    if decision == .rollback {
      dropped.insert(object)
      return nil
    }
    var builder = RowBuilder(entity.format)
    builder.load(row)
    let lost = lostReferences(of: object)
    if policy == .rollback, !lost.isEmpty {
      dropped.insert(object)
      return nil
    }
    for (column, edit) in object.edits where !lost.contains(column) {
      if decision == .storeTrump, !isUnchanged(object, row, column) {
        withheld[object, default: ColumnSet()].insert(column)
      } else if !isLate(edit) {
        apply(edit, column, to: &builder)
      }
    }
    if decision == .overwrite {
      // The whole object as this context has it, derived values aside.
      for column in entity.settable.members where object.edits[column] == nil {
        builder.set(column, object.stored(column))
      }
    }
    let change = RowChange(object, builder, over: row, number: object.objectID.number)
    noteReferences(of: object, from: row, to: change.image)
    return change
  }

  func isUnchanged(_ object: ManagedObject, _ stored: RowView, _ column: Int) -> Bool {
    object.stored(column) == stored.value(column)
  }

  /// The other sides of to-one references that change.
  func noteReferences(of object: ManagedObject, from old: RowView?, to image: RowBatch) {
    noteReferences(of: object.entity, from: old, to: image)
  }

  func noteReferences(of entity: EntityMap, from old: RowView?, to image: RowBatch) {
    image.withRow(at: 0) { new in
      for property in entity.relationships {
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
      guard let id, let number = number(of: id), !isDeletedHere(id) else { return builder.setNil(column) }
      builder.set(column, .reference(number))
    }
  }

  /// Whether an edit names a new object that has no number yet: what is stored stays until it has one (see
  /// ``writeLateReferences()``), and for good where the policy drops the new object.
  func isLate(_ edit: ManagedObject.Edit) -> Bool {
    guard case .object(let id?) = edit, isNew(id), numbers[id] == nil else { return false }
    return !isDeletedHere(id)
  }

  func isDeletedHere(_ id: ManagedObjectID) -> Bool {
    if let object = context.registeredObject(for: id) {
      // A delete that the policy dropped is none.
      if cascaded.contains(object) || (object.isDeleted && !dropped.contains(object)) { return true }
    }
    return map.entities.contains {
      $0.name == id.entityName && session.log.isDeleted(id.number, entity: $0.id)
    }
  }

  /// A to-one may not name an object that another writer deleted (rule R-2): the edit is dropped where the store wins,
  /// with the object's others under *rollback*.
  func refuseGoneReferences() throws(BolideError) {
    var named: [EntityID: Set<Number>] = [:]
    for object in inserts + updates {
      for property in object.entity.relationships {
        guard case .toOne(let column, _, _, let destination) = property.kind,
          case .object(let id?)? = object.edits[column], !isNew(id), !isDeletedHere(id)
        else { continue }
        named[destination, default: []].insert(id.number)
      }
    }
    for (destination, numbers) in named.sorted(by: { $0.key < $1.key }) {
      gone[destination] = try goneNumbers(numbers.sorted(), of: map.entities[destination])
    }
  }

  /// The to-ones that were set to an object which is gone.
  func lostReferences(of object: ManagedObject) -> ColumnSet {
    var result = ColumnSet()
    if gone.values.allSatisfy(\.isEmpty) { return result }
    for property in object.entity.relationships {
      guard case .toOne(let column, _, _, let destination) = property.kind,
        case .object(let id?)? = object.edits[column], !isNew(id), let numbers = gone[destination],
        numbers.contains(id.number)
      else { continue }
      result.insert(column)
    }
    return result
  }

  func write(_ images: [TableID: [RowChange]]) throws(BolideError) {
    // First every key that changes is released, then the rows are written: two objects may swap keys.
    for (table, changes) in images.sorted(by: { $0.key < $1.key }) {
      let keys = map.layout.tables[table].indexes.filter(\.isUnique).map { ColumnSet($0.columns) }
      let released = changes.filter { change in keys.contains { $0.intersects(change.columns) } }
      if !released.isEmpty {
        try session.transaction.release(released.map(\.number), of: table)
      }
    }
    for (table, changes) in images.sorted(by: { $0.key < $1.key }) { try write(changes, of: table) }
  }

  /// Writes rows, those with the same changed columns together.
  func write(_ changes: [RowChange], of table: TableID) throws(BolideError) {
    var groups: [(columns: ColumnSet, changes: [RowChange])] = []
    var places: [ColumnSet: Int] = [:]
    for change in changes where !change.columns.isEmpty {
      if let place = places[change.columns] {
        groups[place].changes.append(change)
      } else {
        places[change.columns] = groups.count
        groups.append((change.columns, [change]))
      }
    }
    for (columns, changes) in groups {
      var batch = RowBatch(map.layout.tables[table].format)
      for change in changes { change.image.withRow(at: 0) { batch.append($0, number: change.number) } }
      var taken: [Taken] = []
      try session.transaction.update(batch, of: table, columns: columns, taken: &taken)
      try refuseTaken(taken, by: changes)
      for change in changes {
        try change.stored.withRow(at: 0) { (old) throws(BolideError) in
          try change.image.withRow(at: 0) { (new) throws(BolideError) in
            try session.logUpdate(change.number, entity: change.object.entity, current: old, new: new)
          }
        }
      }
    }
  }
}

/// A stored row and what it is to become.
struct RowChange {
  let object: ManagedObject
  let number: Number
  let stored: RowBatch
  let image: RowBatch
  /// Where the two differ.
  let columns: ColumnSet

  init(_ object: ManagedObject, _ builder: borrowing RowBuilder, over row: RowView, number: Number) {
    self.object = object
    self.number = number
    var stored = RowBatch(object.entity.format)
    stored.append(row, number: number)
    var image = RowBatch(object.entity.format)
    builder.append(to: &image, number: number)
    self.stored = stored
    self.image = image
    columns = image.withRow(at: 0) { $0.differences(from: row) } ?? ColumnSet()
  }
}
