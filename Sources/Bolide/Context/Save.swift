import BolideStorage

/// One save: a context's edits written through a session, in the order that lets keys change hands (rule U-6):
/// deletes, released keys, updates, inserts, links.
final class Save {
  private let context: ManagedObjectContext
  private let session: WriteSession
  private let policy: MergePolicy
  private var map: SchemaMap { context.map }

  private var inserts: [ManagedObject]
  private let updates: [ManagedObject]
  private let deletes: [ManagedObject]
  /// The permanent ids of new objects: of their own, or of the stored object they were merged into.
  private(set) var numbers: [ManagedObjectID: Number] = [:]
  /// New objects that a policy dropped, and objects whose edits it dropped.
  private(set) var dropped: [ManagedObject] = []
  private var conflicts: [String] = []

  init(_ context: ManagedObjectContext, session: WriteSession) {
    self.context = context
    self.session = session
    policy = context.mergePolicy ?? .error
    inserts = context.insertedObjects
    updates = context.updatedObjects
    deletes = context.deletedObjects
  }

  /// Writes everything; throws before the transaction ends where something is refused.
  func run() throws(BolideError) {
    try validate()
    try delete()
    try refuseGoneReferences()
    let images = try updateImages()
    try write(images)
    try insert()
    try writeLateReferences()
    try writeLinks()
  }

  // MARK: Validation

  private func validate() throws(BolideError) {
    var missing: [String] = []
    var broken: [String] = []
    for object in inserts + updates {
      for property in object.entity.properties {
        guard let column = property.column else { continue }
        if let attribute = property.attribute, case .value(let value)? = object.edits[column] {
          try object.entity.check(value, of: property, type: attribute.type)
          if let text = attribute.violation(by: value) {
            broken.append("\(object.objectID).\(property.name) \(text)")
          }
        }
        guard object.entity.required.contains(column) else { continue }
        let isMissing: Bool
        switch object.edits[column] {
        case .value(let value)?: isMissing = value.isNull
        case .object(let id)?: isMissing = id == nil
        case nil: isMissing = object.state == .inserted && object.stored(column).isNull
        }
        if isMissing { missing.append("\(object.objectID).\(property.name) has no value") }
      }
    }
    let problems = missing + broken
    guard let first = problems.first else { return }
    throw BolideError(
      missing.isEmpty ? .validationLimit : .validationRequired,
      first + (problems.count > 1 ? " (and \(problems.count - 1) more)" : ""), details: problems)
  }

  // MARK: Deletes

  private func delete() throws(BolideError) {
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
  private func conflict(
    of object: ManagedObject, with stored: RowView, editing columns: ColumnSet?
  ) throws(BolideError) -> MergePolicy? {
    guard let base = object.base else { return nil }
    let format = object.entity.format
    let changed = base.withUnsafeBytes { stored.differences(from: RowView($0, format: format)) }
      .subtracting(object.entity.derivedColumns)
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

  private func updateImages() throws(BolideError) -> [TableID: [(
    object: ManagedObject, image: RowBatch, stored: RowBatch
  )]] {
    var result: [TableID: [(object: ManagedObject, image: RowBatch, stored: RowBatch)]] = [:]
    for object in updates {
      let entity = object.entity
      let stored = try rows([object.objectID.number], of: entity.table)
      guard stored.isPresent(0) else {
        switch policy {
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

  private func isUnchanged(_ object: ManagedObject, _ stored: RowView, _ column: Int) -> Bool {
    object.stored(column) == stored.value(column)
  }

  /// The other sides of to-one references that change.
  private func noteReferences(of object: ManagedObject, from old: RowView?, to image: RowBatch) {
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

  private func apply(_ edit: ManagedObject.Edit, _ column: Int, to builder: inout RowBuilder) {
    switch edit {
    case .value(let value): builder.set(column, value)
    case .object(let id):
      // A reference to a new object is written once all numbers are known.
      guard let id, !id.isTemporary, !isDeletedHere(id) else { return builder.setNil(column) }
      builder.set(column, .reference(id.number))
    }
  }

  private func isDeletedHere(_ id: ManagedObjectID) -> Bool {
    context.registeredObject(for: id)?.isDeleted == true
  }

  /// A to-one may not name an object that another writer deleted (rule R-2).
  private func refuseGoneReferences() throws(BolideError) {
    for object in inserts + updates {
      for property in object.entity.relationships {
        guard case .toOne(let column, _, _, let destination) = property.kind,
          case .object(let id?)? = object.edits[column], !id.isTemporary, !isDeletedHere(id)
        else { continue }
        try refuseGone([id.number], of: map.entities[destination])
      }
    }
  }

  private func write(
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

  private func differences(_ image: RowBatch, _ stored: RowBatch) -> ColumnSet {
    image.withRow(at: 0) { new in stored.withRow(at: 0) { new.differences(from: $0) } ?? ColumnSet() }
      ?? ColumnSet()
  }

  // MARK: Inserts

  private func insert() throws(BolideError) {
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
  private func meet(_ object: ManagedObject, meeting: Taken, image: RowBatch) throws(BolideError) {
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

  private var uniqueConflicts: [String] = []

  private func throwUniqueConflicts() throws(BolideError) {
    guard !uniqueConflicts.isEmpty else { return }
    let more = uniqueConflicts.count > 100 ? ["and \(uniqueConflicts.count - 100) more"] : []
    throw BolideError(
      .conflictUnique, "\(uniqueConflicts.count) new objects have a key that a stored object holds",
      details: Array(uniqueConflicts.prefix(100)) + more)
  }

  /// Stored objects that hold another unique key of a row than the one that was reported.
  private func otherHolders(_ image: RowBatch, of entity: EntityMap, than holder: Number) throws(BolideError)
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
  private func writeLateReferences() throws(BolideError) {
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

  // MARK: Links

  /// Writes the edits of many-to-many sides: each pair once, from the side where the link table begins.
  private func writeLinks() throws(BolideError) {
    for object in inserts + updates where !dropped.contains(object) {
      for property in object.entity.relationships {
        guard case .link(let link, .forward, _, let destination) = property.kind,
          let edits = object.sides[property.id], !edits.isEmpty, let owner = number(of: object.objectID)
        else { continue }
        let removed = edits.removed.sorted().compactMap { id in
          number(of: id).map { Link(from: owner, to: $0) }
        }
        let added = edits.added.sorted().filter { !isDeletedHere($0) }.compactMap { id in
          number(of: id).map { Link(from: owner, to: $0) }
        }
        try refuseGone(added.map(\.to), of: map.entities[destination])
        var flags: [Bool] = []
        try session.transaction.unlink(link, removed, removed: &flags)
        note(removed, flags, property, destination, of: object, added: false)
        flags.removeAll()
        try session.transaction.link(link, added, added: &flags)
        note(added, flags, property, destination, of: object, added: true)
      }
    }
  }

  private func note(
    _ links: [Link], _ flags: [Bool], _ property: PropertyMap, _ destination: EntityID,
    of object: ManagedObject, added: Bool
  ) {
    for (pair, flag) in zip(links, flags) where flag {
      session.log.note(
        ChangeLog.Side(table: object.entity.table, property: property.id, owner: pair.from, member: pair.to),
        added: added)
      session.noteInverse(
        of: property, destination: destination, owner: pair.to, member: pair.from, added: added)
    }
  }

  /// No link may name an object that is gone (rule R-2).
  private func refuseGone(_ numbers: [Number], of entity: EntityMap) throws(BolideError) {
    if numbers.isEmpty { return }
    var found = RowBatch(entity.format)
    try session.transaction.rows(numbers, of: entity.table, columns: ColumnSet(), into: &found)
    for (index, number) in numbers.enumerated() where !found.isPresent(index) {
      throw BolideError(
        .conflictDeleted, "\(entity.name)#\(number) was deleted by another writer and is linked here")
    }
  }

  private func number(of id: ManagedObjectID) -> Number? { id.isTemporary ? numbers[id] : id.number }

  // MARK: Reading and printing

  private func rows(_ numbers: [Number], of table: TableID) throws(BolideError) -> RowBatch {
    let format = map.layout.tables[table].format
    var rows = RowBatch(format)
    try session.transaction.rows(numbers, of: table, columns: .all(format.columnCount), into: &rows)
    return rows
  }

  private func throwConflicts() throws(BolideError) {
    guard !conflicts.isEmpty else { return }
    let more = conflicts.count > 100 ? ["and \(conflicts.count - 100) more"] : []
    throw BolideError(
      .conflictVersion,
      "\(conflicts.count) properties were changed by another writer since they were read here",
      details: Array(conflicts.prefix(100)) + more)
  }

  private func text(_ edit: ManagedObject.Edit?) -> String? {
    switch edit {
    case nil: nil
    case .value(let value)?: text(value)
    case .object(let id)?: id?.description ?? "null"
    }
  }

  private func text(_ value: Value) -> String { CanonicalText.text(value) }

  private func keyText(_ image: RowBatch, _ index: IndexID, _ entity: EntityMap) -> String {
    image.withRow(at: 0) { row in
      entity.tableLayout.indexes[index].columns
        .map { "\(entity.tableLayout.columns[$0].name) \(text(row.value($0)))" }.joined(separator: "  ")
    } ?? ""
  }
}

extension EntityMap {
  /// The columns of derived attributes: they follow from others and are never compared (rule U-10).
  var derivedColumns: ColumnSet {
    ColumnSet(attributes.compactMap { $0.attribute?.derivation == nil ? nil : $0.column })
  }
}
