import BolideStorage

/// How conflicts are told: as lines, and as accounts with all sides (rules U-3 and U-10).
extension Save {
  /// How many conflicts an error lists.
  private static let limit = 100

  func throwConflicts() throws(BolideError) {
    guard !conflicts.isEmpty else { return }
    throw BolideError(
      .conflictVersion,
      "\(conflicts.count) properties were changed by another writer since they were read here",
      details: Self.listed(conflicts), payload: conflictAccounts)
  }

  func throwUniqueConflicts() throws(BolideError) {
    guard !uniqueConflicts.isEmpty else { return }
    throw BolideError(
      .conflictUnique, "\(uniqueConflicts.count) new objects have a key that another object holds",
      details: Self.listed(uniqueConflicts), payload: uniqueConflictAccounts)
  }

  func throwDeletionConflicts() throws(BolideError) {
    guard let first = deletionConflicts.first else { return }
    throw BolideError(
      .conflictDeleted, "\(first.object) was deleted by another writer and has edits here",
      details: Self.listed(deletionConflicts.map(\.object.description)),
      payload: Array(deletionConflicts.prefix(Self.limit)))
  }

  /// Notes what another writer changed of an object since it was read.
  func noteVersions(
    of object: ManagedObject, with stored: RowView, changed: ColumnSet, isDeleted: Bool
  ) throws(BolideError) {
    for column in changed.members {
      let name = object.entity.tableLayout.columns[column].name
      let base = try text(object.stored(column), in: column, of: object.entity)
      let mine = isDeleted ? "deleted" : text(object.edits[column]) ?? base
      let theirs = try text(stored.value(column), in: column, of: object.entity)
      conflicts.append("\(object.objectID).\(name)  base \(base)  mine \(mine)  stored \(theirs)")
    }
    if conflictAccounts.count >= Self.limit { return }
    conflictAccounts.append(
      MergeConflict(
        kind: .version, object: object.objectID, storedObject: nil, base: base(of: object),
        mine: isDeleted ? [:] : mine(of: object), stored: values(of: stored, object.entity)))
  }

  /// Notes that another writer deleted an edited object.
  func noteDeletion(of object: ManagedObject) {
    deletionConflicts.append(
      MergeConflict(
        kind: .deletion, object: object.objectID, storedObject: nil, base: base(of: object),
        mine: mine(of: object), stored: nil))
  }

  /// Notes that a new object has a key that another one holds.
  func noteKey(of object: ManagedObject, _ taken: Taken, image: RowBatch) throws(BolideError) {
    let meeting = try keyConflict(of: object, taken, image: image)
    uniqueConflicts.append(meeting.line)
    if uniqueConflictAccounts.count < Self.limit { uniqueConflictAccounts.append(meeting.account) }
  }

  /// Notes that the partner which an object was to get in a one-to-one is another object's.
  func notePartner(
    _ partner: Number, of destination: EntityID, property: PropertyMap, wanted object: ManagedObject,
    stored other: Number
  ) throws(BolideError) {
    guard let inverse = map.inverse(of: property, destination: destination) else { return }
    let named = try id(of: partner, in: map.entities[destination].table)
    let holder = try id(of: other, in: object.entity.table)
    conflicts.append("\(named).\(inverse.name)  mine \(object.objectID)  stored \(holder)")
    if conflictAccounts.count >= Self.limit { return }
    conflictAccounts.append(
      MergeConflict(
        kind: .version, object: named, storedObject: nil, base: nil,
        mine: [inverse.name: number(of: object.objectID).map(Value.reference) ?? .null],
        stored: [inverse.name: .reference(other)]))
  }

  /// Refuses edits that give objects keys which others hold.
  func refuseTaken(_ taken: [Taken], by changes: [RowChange]) throws(BolideError) {
    if taken.isEmpty { return }
    var lines: [String] = []
    var accounts: [MergeConflict] = []
    for meeting in taken {
      let change = changes[meeting.row]
      let conflict = try keyConflict(of: change.object, meeting, image: change.image)
      lines.append(conflict.line)
      accounts.append(conflict.account)
    }
    guard let first = accounts.first else { return }
    throw BolideError(
      .conflictUnique,
      "\(first.object) has a key that \(first.storedObject?.description ?? "another object") holds",
      details: Self.listed(lines), payload: Array(accounts.prefix(Self.limit)))
  }

  private func keyConflict(
    of object: ManagedObject, _ taken: Taken, image: RowBatch
  ) throws(BolideError) -> (line: String, account: MergeConflict) {
    let entity = object.entity
    let columns = entity.tableLayout.indexes[taken.index].columns
    let names = columns.map { entity.tableLayout.columns[$0].name }
    let key = image.withRow(at: 0) { row in
      zip(columns, names).map { "\($1) \(text(row.value($0)))" }.joined(separator: "  ")
    }
    let row = try rows([taken.holder], of: entity.table)
    var holder = ManagedObjectID(
      storeID: object.objectID.storeID, entityName: entity.name, number: taken.holder)
    var stored: [String: Value]?
    row.withRow(at: 0) { row in
      let actual = map.entity(of: row, in: entity.table)
      stored = values(of: row, actual)
      holder = ManagedObjectID(storeID: holder.storeID, entityName: actual.name, number: taken.holder)
      // Nothing is stored of what this save was to insert, and its number will be another's.
      if session.log.isInserted(taken.holder, entity: actual.id),
        let twin = newObject(at: taken.holder, of: entity)
      {
        holder = twin
      }
    }
    return (
      "\(object.objectID)  \(key ?? "")  \(holder.isTemporary ? "also" : "stored") \(holder)",
      MergeConflict(
        kind: .key(names), object: object.objectID, storedObject: holder, base: base(of: object),
        mine: mine(of: object), stored: stored)
    )
  }

  private func newObject(at number: Number, of entity: EntityMap) -> ManagedObjectID? {
    inserts.first { $0.entity.table == entity.table && numbers[$0.objectID] == number }?.objectID
  }

  // MARK: Sides

  private func base(of object: ManagedObject) -> [String: Value]? {
    object.base?.withUnsafeBytes { values(of: RowView($0, format: object.entity.format), object.entity) }
  }

  private func mine(of object: ManagedObject) -> [String: Value] {
    var result: [String: Value] = [:]
    for property in object.entity.properties {
      guard let column = property.column else { continue }
      switch object.edits[column] {
      case .value(let value)?: result[property.name] = value
      case .object(let id)?:
        result[property.name] = id.map { $0.isTemporary ? .null : .reference($0.number) } ?? .null
      case nil: result[property.name] = object.stored(column)
      }
    }
    return result
  }

  private func values(of row: RowView, _ entity: EntityMap) -> [String: Value] {
    var result: [String: Value] = [:]
    for property in entity.properties {
      if let column = property.column { result[property.name] = row.value(column) }
    }
    return result
  }

  private static func listed(_ lines: [String]) -> [String] {
    Array(lines.prefix(limit)) + (lines.count > limit ? ["and \(lines.count - limit) more"] : [])
  }
}
