import BolideStorage

/// What a property holds: a value, an object or several.
public enum PropertyValue: Hashable, Sendable {
  /// The value of an attribute.
  case attribute(Value)
  /// The object that a to-one relationship names, if it names one.
  case object(ManagedObjectID?)
  /// The members of a to-many relationship.
  case objects(Set<ManagedObjectID>)
}

/// What differs between an object and its stored row.
extension ManagedObject {
  /// Whether a property has an unsaved value that differs from the stored one.
  public var hasPersistentChangedValues: Bool { !changedValues().isEmpty }

  /// The unsaved values, by property; of a new object what was set, defaults aside.
  ///
  /// What was set on a fault is there whatever is stored. Members of a to-many side are those it has now; where they cannot
  /// be read they are those that were added, and the error goes to the context's fault handler (rule M-4).
  public func changedValues() -> [String: PropertyValue] {
    var result: [String: PropertyValue] = [:]
    for property in entity.properties {
      if let column = property.column {
        switch edits[column] {
        case .value(let value)? where base == nil || value != stored(column):
          result[property.name] = .attribute(value)
        case .object(let id)?
        where base == nil || (id.map { .reference($0.number) } ?? .null) != stored(column):
          result[property.name] = .object(id)
        default: break
        }
      } else if let side = sides[property.id], !side.isEmpty {
        let members = attempt { () throws(BolideError) in try memberIDs(property) } ?? side.added
        // What was read may be what the edits were to make of it.
        if sides[property.id]?.isEmpty == false { result[property.name] = property.value(of: members) }
      }
    }
    return result
  }

  /// The values that are stored as far as this context knows, by property: those it read last, without unsaved edits.
  ///
  /// - Parameter keys: the properties; all of them unless given.
  /// - Returns: nothing for an object that was not saved yet.
  /// - Throws: `schema.unknown-property`, `object.missing`, `object.deleted`, and what reading throws.
  public func committedValues(forKeys keys: [String]? = nil) throws(BolideError) -> [String: PropertyValue] {
    var properties = entity.properties
    if let keys { properties = try keys.map { key throws(BolideError) in try entity.property(key) } }
    if state == .inserted { return [:] }
    try load()
    var result: [String: PropertyValue] = [:]
    for property in properties {
      guard let column = property.column else {
        result[property.name] = property.value(of: try storedMembers(property))
        continue
      }
      guard let destination = property.destination else {
        result[property.name] = .attribute(stored(column))
        continue
      }
      guard case .reference(let number) = stored(column) else {
        result[property.name] = .object(nil)
        continue
      }
      result[property.name] = .object(try context?.id(number, of: destination))
    }
    return result
  }
}

extension PropertyMap {
  /// The members of a relationship that the store keeps no column of.
  fileprivate func value(of members: Set<ManagedObjectID>) -> PropertyValue {
    relationship?.isToMany == true ? .objects(members) : .object(members.min())
  }
}
