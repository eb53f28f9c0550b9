import BolideStorage

/// Deletes of stored objects, with what their rules take along (rule R-2).
extension Save {
  func delete() throws(BolideError) {
    if deletes.isEmpty { return }
    var byTable: [TableID: [ManagedObject]] = [:]
    for object in deletes { byTable[object.entity.table, default: []].append(object) }
    var plan = DeletePlan(session, edits: UnwrittenLinks(of: self))
    for (table, objects) in byTable.sorted(by: { $0.key < $1.key }) {
      let stored = try rows(objects.map(\.objectID.number), of: table)
      var numbers: [Number] = []
      for (index, object) in objects.enumerated() {
        try stored.withRow(at: index) { (row) throws(BolideError) in
          switch try conflict(of: object, with: row, editing: nil) {
          case .storeTrump?, .rollback?: dropped.insert(object)
          default: numbers.append(object.objectID.number)
          }
        }
      }
      try plan.add(numbers, of: table)
    }
    try throwConflicts()
    try takeNewMembers(into: &plan)
    try plan.checkDenied()
    _ = try plan.execute()
  }

  /// New objects that were made members of what goes: a cascade takes them along, and a rule *deny* counts them.
  private func takeNewMembers(into plan: inout DeletePlan) throws(BolideError) {
    var seen: Set<ManagedObject> = []
    while true {
      let owners = (inserts + updates + deletes).filter {
        isDoomed($0, by: plan) && seen.insert($0).inserted
      }
      if owners.isEmpty { break }
      for owner in owners {
        for property in owner.entity.relationships where property.deleteRule == .cascade {
          for id in owner.addedMembers(property) {
            guard let member = context.registeredObject(for: id) else { continue }
            if member.state == .inserted {
              dropped.insert(member)
            } else if owner.state == .inserted {
              // Members of stored owners the plan has found itself.
              try plan.add([id.number], of: member.entity.table)
            }
          }
        }
      }
    }
    for owner in seen.sorted(by: { $0.objectID < $1.objectID }) {
      for property in owner.entity.relationships where property.deleteRule == .deny {
        let staying = owner.addedMembers(property).compactMap { context.registeredObject(for: $0) }
          .filter { !$0.isDeleted && !isDoomed($0, by: plan) }
        if !staying.isEmpty {
          throw BolideError(
            .validationDenied,
            "\(owner.objectID) cannot be deleted: \(property.name) has \(staying.count) members")
        }
      }
    }
  }

  private func isDoomed(_ object: ManagedObject, by plan: DeletePlan) -> Bool {
    object.state == .inserted
      ? dropped.contains(object)
      : plan.doomed[object.entity.table]?.contains(object.objectID.number) == true
  }

  /// An object whose reference could not be cleared must have another by now.
  func refuseStaleReferences() throws(BolideError) {
    if deletes.isEmpty { return }
    for object in updates {
      for property in object.entity.relationships {
        guard case .toOne(let column, _, _, let destination) = property.kind,
          object.entity.required.contains(column), object.edits[column] != nil
        else { continue }
        let row = try rows([object.objectID.number], of: object.entity.table, columns: ColumnSet([column]))
        let named = row.withRow(at: 0) { $0.isNil(column) ? nil : $0.int(column) } ?? nil
        guard let named,
          map.entities[destination].members.contains(where: { session.log.isDeleted(named, entity: $0) })
        else { continue }
        throw BolideError(.validationRequired, "\(object.objectID) would lose its \(property.name)")
      }
    }
  }
}

extension ManagedObject {
  /// The members that unsaved edits gave a side.
  fileprivate func addedMembers(_ property: PropertyMap) -> [ManagedObjectID] {
    if let column = property.column {
      if case .object(let id?)? = edits[column] { return [id] }
      return []
    }
    return sides[property.id]?.added.sorted() ?? []
  }
}

/// The links that a save has yet to write.
private struct UnwrittenLinks: UnwrittenEdits {
  private var objects: [TableID: [Number: ManagedObject]] = [:]
  private let reserved: Set<ManagedObjectID>

  init(of save: Save) {
    reserved = save.reserved
    for object in save.updates + save.deletes where object.hasEdits {
      objects[object.entity.table, default: [:]][object.objectID.number] = object
    }
  }

  func members(_ property: PropertyMap, of owner: Number, in table: TableID, stored: [Number]) -> [Number] {
    guard let object = objects[table]?[owner] else { return stored }
    if let column = property.column {
      switch object.edits[column] {
      case .object(let id?)?: return isStored(id) ? [id.number] : []
      case .object(nil)?: return []
      default: return stored
      }
    }
    guard let edits = object.sides[property.id] else { return stored }
    let removed = Set(edits.removed.map(\.number))
    let known = Set(stored)
    return stored.filter { !removed.contains($0) }
      + edits.added.filter { isStored($0) && !known.contains($0.number) }.map(\.number).sorted()
  }

  private func isStored(_ id: ManagedObjectID) -> Bool { !id.isTemporary && !reserved.contains(id) }

  func willMove(_ member: Number, in table: TableID, column: Int) -> Bool {
    guard case .object(_?)? = objects[table]?[member]?.edits[column] else { return false }
    return true
  }
}
