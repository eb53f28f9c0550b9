import Bolide
import BolideStorage
import Foundation

/// References, values and what they stand for in a context.
extension StoreSession {
  /// The compiled entity.
  func entity(_ name: String) throws -> EntityMap { try mainContainer().map.entity(name) }

  // MARK: References

  /// The objects that the references name, in their order.
  func objects(_ references: [ObjectReference], in context: OpenContext) throws -> [ManagedObject] {
    try references.flatMap { try objects($0.reference, in: context) }
  }

  /// The ids that references name, in the order of the references: those of numbers need not be stored any more.
  func ids(_ references: [ObjectReference], in context: OpenContext) throws -> [ManagedObjectID] {
    try references.flatMap { reference in
      switch reference.reference.root {
      case .number(let entity, let number) where reference.reference.member == nil:
        return [try id(entity, number, in: context)]
      case .capture(let name) where reference.reference.member == nil:
        switch try captured(name) {
        case .objects(let objects, _): return objects.map(\.objectID)
        case .ids(let ids): return ids
        case .token, .generation, .list: throw BolideError(.referenceKind, "$\(name) is no object")
        }
      default: return try objects(reference.reference, in: context).map(\.objectID)
      }
    }
  }

  /// The one object that the reference names.
  func object(_ reference: ObjectReference, in context: OpenContext) throws -> ManagedObject {
    let objects = try objects(reference.reference, in: context)
    guard let object = objects.first else {
      throw BolideError(.referenceNone, "the reference matches no object")
    }
    guard objects.count == 1 else {
      throw BolideError(.referenceSeveral, "the reference matches \(objects.count) objects")
    }
    return object
  }

  private func objects(_ reference: Reference, in context: OpenContext) throws -> [ManagedObject] {
    let roots: [ManagedObject]
    switch reference.root {
    case .capture(let name): roots = try objects(captured: name, in: context)
    case .number(let entity, let number):
      roots = [try context.context.existingObject(with: try id(entity, number, in: context))]
    case .key(let entity, let keys): roots = [try object(entity, keys, in: context)]
    case .predicate(let entity, let predicate): roots = try fetch(entity, where: predicate, in: context)
    }
    guard let member = reference.member?.text else { return roots }
    return try roots.flatMap { root in
      let property = try self.entity(root.entityName).property(member)
      return property.relationship?.isToMany == true
        ? try root.objects(member) : try root.object(member).map { [$0] } ?? []
    }
  }

  private func objects(captured name: String, in context: OpenContext) throws -> [ManagedObject] {
    let ids: [ManagedObjectID]
    switch try captured(name) {
    case .objects(let objects, let owner):
      if owner === context { return objects }
      ids = objects.map(\.objectID)
    case .ids(let known): ids = known
    case .token, .generation, .list: throw BolideError(.referenceKind, "$\(name) is no object")
    }
    if ids.contains(where: \.isTemporary) {
      throw BolideError(.referenceUnsaved, "$\(name) was not saved yet")
    }
    return try ids.map { try context.context.existingObject(with: $0) }
  }

  private func id(_ entity: String, _ number: UInt64, in context: OpenContext) throws -> ManagedObjectID {
    let name = try self.entity(entity).name
    return ManagedObjectID(
      storeID: try container(of: context).storeID, entityName: name, number: Number(number))
  }

  private func object(
    _ entity: String, _ keys: [Literal], in context: OpenContext
  ) throws -> ManagedObject {
    let map = try self.entity(entity)
    let names = try firstConstraint(of: map)
    guard names.count == keys.count else {
      throw BolideError(
        .referenceKey, "the key of \(entity) has \(names.count) parts, \(keys.count) were given")
    }
    let parts = try zip(names, keys).map { name, key in
      let value = try value(of: Assignment(name: name, literals: [key]), in: map)
      return Condition.compare(.path([name]), .equal, .literal(value))
    }
    let found = try fetch(entity, where: Condition.and(parts), in: context)
    guard let object = found.first else {
      throw BolideError(.referenceNone, "no \(entity) has that key")
    }
    return object
  }

  /// The id of an object by number that could not be found because the context saw it go, or nil.
  func deletedID(
    _ reference: ObjectReference, _ error: BolideError, in context: OpenContext
  ) -> ManagedObjectID? {
    guard case .number(let entity, let number) = reference.reference.root, reference.reference.member == nil,
      let id = try? id(entity, number, in: context)
    else { return nil }
    let isKnown = error.code == .objectDeleted || (error.code == .objectMissing && context.gone.contains(id))
    return isKnown ? id : nil
  }

  /// The attributes of the first constraint of an entity, its parents' before its own.
  private func firstConstraint(of entity: EntityMap) throws -> [String] {
    let map = try mainContainer().map
    var constraints = entity.description.uniquenessConstraints
    var parent = entity.parentID
    while let id = parent {
      constraints = map.entities[id].description.uniquenessConstraints + constraints
      parent = map.entities[id].parentID
    }
    guard let first = constraints.first else {
      throw BolideError(.referenceKey, "\(entity.name) has no uniqueness constraint to be found by")
    }
    return first
  }

  /// The generation a capture holds.
  func generation(_ reference: ObjectReference) throws -> QueryGeneration {
    guard case .capture(let name) = reference.reference.root,
      case .generation(let generation) = try captured(name)
    else { throw BolideError(.referenceKind, "the capture is no generation") }
    return generation
  }

  /// The list a capture holds.
  func list(_ reference: ObjectReference) throws -> OpenList {
    guard case .capture(let name) = reference.reference.root, case .list(let list) = try captured(name)
    else { throw BolideError(.referenceKind, "the capture is no list") }
    return list
  }

  /// The place in history that an anchor names.
  func anchor(_ anchor: HistoryAnchor) throws -> PersistentHistoryRequest.Anchor {
    switch anchor {
    case .start: return .start
    case .number(let number): return .number(number)
    case .date(let text): return .date(try date(text))
    case .capture(let reference):
      guard case .capture(let name) = reference.reference.root, case .token(let token) = try captured(name)
      else {
        throw BolideError(.referenceKind, "the capture is no token")
      }
      return .token(token)
    }
  }

  /// The place before the first transaction.
  func startToken(of context: OpenContext) throws -> PersistentHistoryToken {
    PersistentHistoryToken(
      storeID: try container(of: context).storeID, mark: Mark(transaction: 0, nonce: 0))
  }

  // MARK: Fetching

  func request(
    _ entity: String, where predicate: PredicateText?, in context: OpenContext
  ) throws -> FetchRequest<ManagedObject> {
    FetchRequest(entity: try self.entity(entity).name, where: try condition(predicate, of: entity))
  }

  func fetch(
    _ entity: String, where predicate: PredicateText?, in context: OpenContext
  ) throws -> [ManagedObject] {
    try context.context.fetch(request(entity, where: predicate, in: context))
  }

  private func fetch(
    _ entity: String, where condition: Condition, in context: OpenContext
  ) throws -> [ManagedObject] {
    try context.context.fetch(FetchRequest<ManagedObject>(entity: entity, where: condition))
  }

  func condition(_ predicate: PredicateText?, of entity: String) throws -> Condition? {
    guard let predicate else { return nil }
    let map = try mainContainer().map
    return try Condition(parsing: predicate.text, in: EntityScope(try map.entity(entity), in: map))
  }

  func filter(_ predicate: PredicateText?) throws -> HistoryFilter? {
    try predicate.map { try HistoryFilter(parsing: $0.text) }
  }

  // MARK: Values

  func date(_ text: String) throws -> Date {
    guard let date = CanonicalText.date(text) else {
      throw BolideError(.validationType, "\(text) is no date")
    }
    return date
  }

  /// The value that a literal is for an attribute; what does not fit is left to the rules to refuse.
  func value(of assignment: Assignment, in entity: EntityMap) throws -> Value {
    let property = try entity.property(assignment.name)
    guard let literal = assignment.literals.first, assignment.literals.count == 1 else {
      throw BolideError(.validationType, "\(entity.name).\(assignment.name) takes one value")
    }
    guard let attribute = property.attribute else {
      throw BolideError(.batchRelationship, "\(entity.name).\(assignment.name) is a relationship")
    }
    guard let value = literal.value(as: attribute.type) else {
      throw BolideError(.objectKind, "\(entity.name).\(assignment.name) takes a constant")
    }
    return value
  }

  /// Gives properties of an object new values; tells whether any differs from before.
  func assign(
    _ assignments: [Assignment], to object: ManagedObject, in context: OpenContext
  ) throws -> Bool {
    let entity = try entity(object.entityName)
    var isChanged = false
    for assignment in assignments {
      let name = assignment.name
      let property = try entity.property(name)
      let before = try text(of: name, in: object)
      if property.attribute != nil {
        try object.setValue(try value(of: assignment, in: entity), for: name)
      } else {
        let members = try members(assignment, in: context)
        if property.relationship?.isToMany == true {
          _ = try object.replaceObjects(members, for: name)
        } else if members.count > 1 {
          throw BolideError(.objectKind, "\(entity.name).\(name) takes one object")
        } else {
          try object.setObject(members.first, for: name)
        }
      }
      if try text(of: name, in: object) != before { isChanged = true }
    }
    return isChanged
  }

  private func members(_ assignment: Assignment, in context: OpenContext) throws -> [ManagedObject] {
    try assignment.literals.flatMap { literal -> [ManagedObject] in
      switch literal.kind {
      case .null: []
      case .reference(let reference): try objects(reference, in: context)
      default: throw BolideError(.objectKind, "\(assignment.name) is a relationship and takes objects")
      }
    }
  }

  /// A property as it is printed.
  func text(of name: String, in object: ManagedObject) throws -> String {
    let property = try entity(object.entityName).property(name)
    if property.attribute != nil { return CanonicalText.text(try object.value(name)) }
    if property.relationship?.isToMany == true {
      return TranscriptText.set(try object.objects(name).map(\.objectID))
    }
    return try object.object(name)?.objectID.description ?? "null"
  }
}
