import BolideStorage
import Foundation

extension BatchInsertRequest {
  /// Inserts records of a class that a closure supplies one at a time: it fills the object and returns `false`, or
  /// returns `true` when there are no more (rule U-8).
  public init<Object: ManagedObject>(
    _ type: Object.Type, absent: AbsentRule = .keep, next: @escaping (Object) throws -> Bool
  ) {
    let seeds = RecordSeeds()
    self.init(entity: type.entityName, absent: absent, rewind: nil) { row in
      let record = Object(seed: seeds.seed(of: row.entity))
      let isDone = try next(record)
      if !isDone { try record.write(to: &row) }
      return isDone
    }
  }

  /// Inserts a record of a class for each element; what `fill` does not set stays (rule U-3).
  public init<Object: ManagedObject, Record>(
    _ type: Object.Type, from records: [Record], absent: AbsentRule = .keep,
    fill: @escaping (Object, Record) throws -> Void
  ) {
    let position = Cursor()
    let seeds = RecordSeeds()
    self.init(entity: type.entityName, absent: absent, rewind: { position.index = 0 }) { row in
      guard position.index < records.count else { return true }
      let record = Object(seed: seeds.seed(of: row.entity))
      try fill(record, records[position.index])
      try record.write(to: &row)
      position.index += 1
      return false
    }
  }

  /// Inserts a record for each element, column by column: the key paths are looked up once, so that this is the fastest
  /// form.
  public init<Object: ManagedObject, Record, each Content: AttributeValue>(
    _ type: Object.Type, _ columns: repeat KeyPath<Object, each Content>, from records: [Record],
    absent: AbsentRule = .keep, values: @escaping (Record) throws -> (repeat each Content)
  ) {
    var names: [String?] = []
    repeat names.append(ClassProbe.property(each columns))
    let position = Cursor()
    var places: [Int] = []
    self.init(entity: type.entityName, absent: absent, rewind: { position.index = 0 }) { row in
      guard position.index < records.count else { return true }
      if places.isEmpty {
        for name in names {
          guard let name else {
            throw BolideError(
              .predicateUnsupportedExpression, "a column of \(type) is no stored property",
              remedy:
                "name attributes of the object itself, not computed properties or those of other objects")
          }
          places.append(try row.entity.settableColumn(name, of: .null))
        }
      }
      var place = 0
      let record = try values(records[position.index])
      for content in repeat each record {
        try row.set(column: places[place], content.storedValue)
        place += 1
      }
      position.index += 1
      return false
    }
  }
}

extension BatchUpdateRequest {
  /// Sets attributes in all objects of a class that meet a predicate; add them with `set(_:to:)`.
  public init(_ type: Object.Type, where predicate: Predicate<Object>? = nil) {
    self.init(entityName: type.entityName, values: [:], condition: nil)
    do throws(BolideError) {
      condition = try predicate.map { predicate throws(BolideError) in try Condition(lowering: predicate) }
    } catch {
      problem = error
    }
  }

  /// The request with one more attribute to set.
  public func set<Content: AttributeValue>(
    _ attribute: KeyPath<Object, Content>, to value: Content
  ) -> BatchUpdateRequest {
    setting(attribute) { request, name in
      request.values[name] = value.storedValue
      request.expressions[name] = nil
    }
  }

  /// The request with one more attribute to set, to what an expression gives for each object:
  /// `.set(\.count, to: .attribute(\Item.count) + 1)` or `.set(\.count, to: .expression("count + 1"))`.
  public func set<Content: AttributeValue>(
    _ attribute: KeyPath<Object, Content>, to expression: RowExpression
  ) -> BatchUpdateRequest {
    setting(attribute) { request, name in
      request.expressions[name] = expression
      request.values[name] = nil
    }
  }

  private func setting(
    _ attribute: PartialKeyPath<Object>, _ set: (inout BatchUpdateRequest, String) -> Void
  ) -> BatchUpdateRequest {
    var result = self
    if let name = ClassProbe.property(attribute) {
      set(&result, name)
    } else {
      result.problem = BolideError(
        .predicateUnsupportedExpression,
        "\(PredicateLowering.words(for: attribute)), which is to be set, is no stored property",
        remedy: "set attributes of the object itself, not computed properties or those of other objects")
    }
    return result
  }
}

extension BatchDeleteRequest {
  /// Deletes all objects of a class that meet a predicate.
  public init<Object: ManagedObject>(_ type: Object.Type, where predicate: Predicate<Object>? = nil) {
    self.init(entity: type.entityName)
    do throws(BolideError) {
      selection = .entity(
        type.entityName,
        where: try predicate.map { predicate throws(BolideError) in try Condition(lowering: predicate) })
    } catch {
      problem = error
    }
  }
}

extension ManagedObjectContext {
  /// The object of an id as one of a class, which must be stored, visible here and not deleted in this context.
  ///
  /// - Throws: `object.missing`, `object.deleted`, `object.kind`, `context.foreign-object`.
  public func existingObject<Object: ManagedObject>(_ type: Object.Type, with id: ManagedObjectID)
    throws(BolideError) -> Object
  {
    let object = try existingObject(with: id)
    guard let typed = object as? Object else {
      throw BolideError(
        .objectKind, "\(id) is a \(Swift.type(of: object)) and was asked for as \(Object.self)")
    }
    return typed
  }
}

extension ManagedObject {
  /// Copies what was set in a record of a batch insert.
  fileprivate func write(to row: inout BatchRow) throws(BolideError) {
    if hasRelationshipEdit {
      throw BolideError(.batchRelationship, "a record of \(entity.name) sets a relationship")
    }
    for (column, edit) in edits {
      if case .value(let value) = edit { try row.set(column: column, value) }
    }
  }
}

extension BatchRow {
  /// Sets a column that is known to be settable.
  mutating func set(column: Int, _ value: Value) throws(BolideError) {
    let type = input.builder.format.types[column]
    if !value.fits(type) {
      guard let property = entity.attributes.first(where: { $0.column == column }) else { return }
      try entity.check(value, of: property, type: type)
    }
    input.builder.set(column, value)
  }
}

/// What the records of one batch insert are made from: objects of no context.
private final class RecordSeeds {
  private let slots = PropertySlots()
  private var home: ObjectHome?

  func seed(of entity: EntityMap) -> ManagedObject.ObjectSeed {
    let home: ObjectHome
    if let known = self.home, known.entity === entity {
      home = known
    } else {
      home = ObjectHome(entity, slots: slots)
      self.home = home
    }
    return ManagedObject.ObjectSeed(
      id: ManagedObjectID(storeID: UUID.placeholder, entityName: entity.name, number: -1), home: home,
      state: .inserted)
  }
}
