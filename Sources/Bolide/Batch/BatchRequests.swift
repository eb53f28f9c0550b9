import BolideStorage

/// Inserts many records of an entity in one transaction, without objects (rules U-3 to U-5, U-8).
public struct BatchInsertRequest {
  /// The name of the entity.
  public var entityName: String
  /// What becomes of attributes that a record does not mention.
  public var absent: AbsentRule
  /// Gives the next record; returns `true` when there was none.
  let next: (inout BatchRow) throws -> Bool
  /// Whether the records can be read again from the first.
  let rewind: (() -> Void)?

  /// Inserts records given as dictionaries from attribute names to values.
  public init(entity: String, records: [[String: Value]], absent: AbsentRule = .keep) {
    entityName = entity
    self.absent = absent
    let position = Cursor()
    rewind = { position.index = 0 }
    next = { row in
      guard position.index < records.count else { return true }
      for (name, value) in records[position.index] { try row.set(name, value) }
      position.index += 1
      return false
    }
  }

  /// Inserts records that a closure supplies one at a time.
  ///
  /// - Parameter next: fills the row and returns `false`, or returns `true` when there are no more; what it set
  ///   in that last call is dropped (rule U-8).
  public init(entity: String, absent: AbsentRule = .keep, next: @escaping (inout BatchRow) throws -> Bool) {
    entityName = entity
    self.absent = absent
    self.next = next
    rewind = nil
  }

  init(
    entity: String, absent: AbsentRule, rewind: (() -> Void)?, next: @escaping (inout BatchRow) throws -> Bool
  ) {
    entityName = entity
    self.absent = absent
    self.next = next
    self.rewind = rewind
  }

  /// Where an array of records is read next.
  final class Cursor {
    var index = 0
  }
}

/// One record of a batch insert while it is filled.
public struct BatchRow {
  package let entity: EntityMap
  package var input: InputRows

  /// Sets an attribute; `.null` clears it.
  ///
  /// - Throws: `schema.unknown-property`, `batch.relationship`, `batch.derived`, `validation.type`, `validation.nan`.
  public mutating func set(_ key: String, _ value: Value) throws(BolideError) {
    let column = try entity.settableColumn(key, of: value)
    input.builder.set(column, value)
  }
}

/// What a batch insert did, object by object (rule U-5).
public struct BatchInsertResult: Sendable {
  /// Objects that are new.
  public let inserted: ManagedObjectIDs
  /// Objects that were there and differ now.
  public let updated: ManagedObjectIDs
  /// Objects that were there and are as before.
  public let unchanged: ManagedObjectIDs
  /// How many objects were inserted or updated: Core Data's count.
  public var count: Int { inserted.count + updated.count }
  /// The number of the transaction; `nil` where nothing changed.
  public let transaction: UInt64?
  /// The token of the transaction; `nil` where nothing changed.
  public let token: PersistentHistoryToken?
}

/// Sets attributes of many objects to constants or expressions in one transaction, without objects (rules ).
public struct BatchUpdateRequest<Object: ManagedObject> {
  /// The name of the entity.
  public var entityName: String
  /// Which objects; `nil` for all.
  public var condition: Condition?
  /// The new values by attribute name.
  public var values: [String: Value]
  /// What gives the new values of other attributes, by name; an attribute is in one of the two.
  public var expressions: [String: RowExpression] = [:]
  /// What is wrong with the request; thrown when it runs.
  var problem: BolideError?

  init(entityName: String, values: [String: Value], condition: Condition?) {
    self.entityName = entityName
    self.values = values
    self.condition = condition
  }
}

extension BatchUpdateRequest where Object == ManagedObject {
  /// Sets constants and the values of expressions in the objects of an entity that meet `condition`.
  public init(
    entity: String, values: [String: Value] = [:], expressions: [String: RowExpression] = [:],
    where condition: Condition? = nil
  ) {
    self.init(entityName: entity, values: values, condition: condition)
    self.expressions = expressions
  }
}

/// What a batch update did: Core Data's result types status, count and object ids in one, since ids are kept as ranges.
public struct BatchUpdateResult: Sendable {
  /// Objects that differ now: what contexts refresh.
  public let updated: ManagedObjectIDs
  /// Objects that had these values already.
  public let unchanged: ManagedObjectIDs
  /// How many objects differ now.
  public var count: Int { updated.count }
  /// Whether something was written; a request that fails throws.
  public var didChange: Bool { !updated.isEmpty }
  /// The number of the transaction; `nil` where nothing changed.
  public let transaction: UInt64?
  /// The token of the transaction; `nil` where nothing changed.
  public let token: PersistentHistoryToken?
}

/// Deletes many objects in one transaction, without loading them, by the rules of their relationships (rule R-2).
public struct BatchDeleteRequest {
  /// Which objects to delete.
  public enum Selection: Sendable {
    /// Those of an entity that meet a condition; all with `nil`.
    case entity(String, where: Condition?)
    /// Those with these ids; ids that are gone are skipped.
    case ids([ManagedObjectID])
  }

  /// Which objects to delete.
  public var selection: Selection
  /// What is wrong with the request; thrown when it runs.
  var problem: BolideError?

  /// Deletes the objects of an entity that meet a condition.
  public init(entity: String, where condition: Condition? = nil) {
    selection = .entity(entity, where: condition)
  }

  /// Deletes objects by their ids.
  public init(ids: some Sequence<ManagedObjectID>) { selection = .ids(Array(ids)) }
}

/// What a batch delete did.
public struct BatchDeleteResult: Sendable {
  /// The objects that were deleted, cascades included.
  public let deleted: ManagedObjectIDs
  /// How many objects were deleted.
  public var count: Int { deleted.count }
  /// Whether something was deleted; a request that fails throws.
  public var didChange: Bool { !deleted.isEmpty }
  /// The number of the transaction; `nil` where nothing changed.
  public let transaction: UInt64?
  /// The token of the transaction; `nil` where nothing changed.
  public let token: PersistentHistoryToken?
}

extension EntityMap {
  /// The column of an attribute that a batch request may set to a value.
  package func settableColumn(_ name: String, of value: Value) throws(BolideError) -> Int {
    let property = try property(name)
    guard case .attribute(let column, let description) = property.kind else {
      throw BolideError(.batchRelationship, "\(self.name).\(name) is a relationship")
    }
    guard description.derivation == nil else {
      throw BolideError(.batchDerived, "\(self.name).\(name) is derived")
    }
    try check(value, of: property, type: description.type)
    return column
  }

  /// Refuses a value that does not have the attribute's type and range (rules V-1, V-3).
  package func check(_ value: Value, of property: PropertyMap, type: ValueType) throws(BolideError) {
    if value.fits(type) { return }
    if value.isNaN {
      throw BolideError(.validationNaN, "\(name).\(property.name) was given NaN")
    }
    throw BolideError(
      .validationType, "\(name).\(property.name) takes \(type.rawValue) and was given \(value.kindName)",
      details: ["\(name).\(property.name)  given \(CanonicalText.text(value))"])
  }
}

extension Value {
  /// Whether this is a number that is none.
  package var isNaN: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .float(let value): value.isNaN
    case .decimal(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// The kind of the value in words of the value types.
  package var kindName: String {
    switch self {
    case .null: "nil"
    case .bool: "boolean"
    case .int: "an integer"
    case .double: "double"
    case .float: "float"
    case .decimal: "decimal"
    case .date: "date"
    case .string: "string"
    case .uuid: "uuid"
    case .uri: "uri"
    case .binary: "binary"
    case .reference: "an object"
    }
  }
}
