import BolideStorage

/// Taking single edits back, so that both sides of every relationship go on agreeing (rule R-1).
extension ManagedObjectContext {
  /// Takes every edit of an object back, with what they did to the other sides.
  ///
  /// - Returns: the objects whose edits went, too.
  @discardableResult
  func dropEdits(of object: ManagedObject) -> Set<ManagedObject> {
    var touched: Set<ManagedObject> = []
    for property in object.entity.relationships { dropEdit(of: object, property, touched: &touched) }
    object.edits.removeAll()
    object.sides.removeAll()
    return touched
  }

  /// Takes the edit of one relationship back: of a to-one, or of all members of a to-many side.
  func dropEdit(of object: ManagedObject, _ property: PropertyMap, touched: inout Set<ManagedObject>) {
    guard let destination = property.destination else { return }
    let inverse = map.inverse(of: property, destination: destination)
    if let column = property.column {
      guard object.edits.removeValue(forKey: column) != nil, let inverse else { return }
      for other in pending where map.entities[destination].includes(other.entity.id) {
        guard let column = inverse.column else {
          other.sides[inverse.id]?.forget(object.objectID)
          touched.insert(other)
          continue
        }
        // Of a one-to-one, whoever was given the object's place, or lost it.
        let isPartner =
          other.edits[column] == .object(object.objectID)
          || (other.edits[column] != nil && other.stored(column) == .reference(object.objectID.number))
        if isPartner {
          dropEdit(of: other, inverse, touched: &touched)
          touched.insert(other)
        }
      }
      return
    }
    guard let edits = object.sides.removeValue(forKey: property.id), let inverse else { return }
    for id in edits.added.union(edits.removed) {
      guard let member = registeredObject(for: id) else { continue }
      touched.insert(member)
      if inverse.column == nil {
        member.sides[inverse.id]?.forget(object.objectID)
      } else {
        dropEdit(of: member, inverse, touched: &touched)
      }
    }
  }

  /// Edits that link to an object which another writer deleted: the links go, as they do where it was deleted here.
  func dropLinks(to gone: [ManagedObject]) {
    let ids = Set(gone.map(\.objectID))
    if ids.isEmpty { return }
    for object in pending where object.hasEdits {
      for (column, edit) in object.edits {
        if case .object(let id?) = edit, ids.contains(id) { object.edits[column] = .object(nil) }
      }
      for property in object.sides.keys {
        for id in ids { object.sides[property]?.forget(id) }
      }
    }
  }

  /// After an object with edits was read anew: the owners that the store names for it now lose it to those its edits
  /// name, and an edit that the store made true meanwhile is none any more.
  func rebaseReferences(of object: ManagedObject, since old: HeldRow?) throws(BolideError) {
    guard let old, object.base != nil else { return }
    for property in object.entity.relationships {
      guard case .toOne(let column, _, _, let destination) = property.kind,
        case .object(let target)? = object.edits[column],
        let inverse = map.inverse(of: property, destination: destination)
      else { continue }
      let before = old.withUnsafeBytes { RowView($0, format: object.entity.format).value(column) }
      let now = object.stored(column)
      if before == now { continue }
      if case .reference(let number) = before {
        let former = try id(number, of: destination)
        registeredObject(for: former)?.sides[inverse.id]?.forget(object.objectID)
      }
      guard case .reference(let number) = now else {
        if target == nil { object.edits[column] = nil }
        continue
      }
      let owner = self.object(with: try id(number, of: destination))
      if owner.objectID == target {
        object.edits[column] = nil
        owner.sides[inverse.id]?.forget(object.objectID)
      } else {
        try owner.note(object.objectID, in: inverse, added: false)
      }
    }
  }

  /// Objects without anything to save are no longer kept for it.
  func dropUnchanged() { drop(pending.filter { $0.state == .live && !$0.hasChanges }) }
}
