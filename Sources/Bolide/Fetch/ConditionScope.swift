import BolideStorage

/// What a condition may speak of: the names there are, with their types.
package protocol ConditionScope {
  /// The type of a path.
  ///
  /// - Throws: `predicate.unknown-path`, or `predicate.to-many` for a path over a to-many.
  func type(of path: [String]) throws(BolideError) -> OperandType

  /// The type of what an aggregate makes of the values at the end of a path.
  ///
  /// - Throws: `predicate.unknown-path`, or `predicate.type` where the path does not lead to many values of a
  ///   type that the aggregate takes.
  func type(of aggregate: Aggregate, over path: [String]) throws(BolideError) -> OperandType

  /// The scope of an element of what a path leads to, inside ``Condition/members(_:_:_:)``.
  ///
  /// - Throws: `predicate.unknown-path`, `predicate.type` for a path without a to-many relationship.
  func members(of path: [String]) throws(BolideError) -> any ConditionScope

  /// What messages call the object itself.
  var itselfWords: String { get }

  /// The type of the object itself, `nil` where there is none.
  var itself: OperandType? { get }

  /// The type of the objects of an entity.
  ///
  /// - Throws: `predicate.unknown-path`.
  func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType
}

extension ConditionScope {
  package var itselfWords: String { "SELF" }

  package func type(of aggregate: Aggregate, over path: [String]) throws(BolideError) -> OperandType {
    throw BolideError(.predicateUnsupported, "there is nothing to take \(aggregate.rawValue) of here")
  }

  package func members(of path: [String]) throws(BolideError) -> any ConditionScope {
    // A path that is not there is the more telling error.
    _ = try type(of: path)
    throw BolideError(
      .predicateType, "\(path.joined(separator: ".")) is one value, so no ANY, ALL or NONE of it")
  }
}

/// The type of a side of a comparison.
package struct OperandType: Hashable, Sendable {
  /// The type of the values.
  package var type: ValueType
  /// For references the entity at the top of the objects' inheritance; `nil` for any.
  package var root: String?

  /// Describes a type.
  package init(_ type: ValueType, root: String? = nil) {
    self.type = type
    self.root = root
  }

  /// Whether values of the two types can be compared as they are.
  func isComparable(with other: OperandType) -> Bool {
    if family != other.family { return false }
    return root == nil || other.root == nil || root == other.root
  }

  /// Types with one order in common.
  private var family: ValueType {
    switch type {
    case .int16, .int32, .int64: .int64
    case .float, .double: .double
    default: type
    }
  }

  var words: String {
    type == .reference ? (root.map { "an object of \($0)" } ?? "an object") : "of type \(type.rawValue)"
  }
}

/// The scope of fields without relationships, such as those of a transaction.
package struct FieldScope: ConditionScope {
  private let subject: String
  private let fields: [String: ValueType]

  /// A scope of the fields of something that messages call `subject`.
  package init(of subject: String, fields: [String: ValueType]) {
    self.subject = subject
    self.fields = fields
  }

  package var itself: OperandType? { nil }

  package func type(of path: [String]) throws(BolideError) -> OperandType {
    let name = path.joined(separator: ".")
    guard let type = fields[name] else {
      throw BolideError(
        .predicateUnknownPath,
        "\(subject) has no \(ConditionLexer.shown(name))"
          + SchemaName.hint(for: name, among: Array(fields.keys)))
    }
    return OperandType(type)
  }

  package func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType {
    OperandType(.reference)
  }
}

/// The scope of an entity's attributes and relationships, those at the end of to-one paths included.
package struct EntityScope: ConditionScope {
  let entity: EntityMap
  let map: SchemaMap

  /// The scope of an entity.
  package init(_ entity: EntityMap, in map: SchemaMap) {
    self.entity = entity
    self.map = map
  }

  package var itself: OperandType? { OperandType(.reference, root: entity.root) }

  package func type(of path: [String]) throws(BolideError) -> OperandType {
    type(ofEndOf: try resolve(path))
  }

  private func type(ofEndOf steps: [PropertyMap]) -> OperandType {
    guard let last = steps.last else { return OperandType(.reference, root: entity.root) }
    if let attribute = last.attribute { return OperandType(attribute.type) }
    return OperandType(.reference, root: last.destination.map { map.entities[$0].root })
  }

  package func type(of aggregate: Aggregate, over path: [String]) throws(BolideError) -> OperandType {
    let words = Operand.aggregate(aggregate, path)
    let steps = path.isEmpty ? [] : try resolve(path, overMany: true)
    guard steps.contains(where: \.isToMany) else {
      throw BolideError(.predicateType, "\(words) has no to-many relationship on its way")
    }
    if aggregate == .count, steps.last?.isToMany != true {
      throw BolideError(.predicateType, "\(words) does not count a to-many relationship")
    }
    return try aggregate.type(of: type(ofEndOf: steps), words)
  }

  package func members(of path: [String]) throws(BolideError) -> any ConditionScope {
    let steps = try resolve(path, overMany: true)
    guard steps.contains(where: \.isToMany) else {
      throw BolideError(
        .predicateType, "\(path.joined(separator: ".")) has no to-many relationship on its way",
        remedy: "leave ANY, ALL or NONE out")
    }
    let target = steps.last?.destination.map { EntityScope(map.entities[$0], in: map) }
    return MemberScope(
      target: target, itself: type(ofEndOf: steps), itselfWords: Operand.path(path).description)
  }

  package func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType {
    do {
      return OperandType(.reference, root: try map.entity(entity).root)
    } catch {
      throw BolideError(.predicateUnknownPath, error.message)
    }
  }

  /// The properties that a path goes over: relationships, then an attribute or another relationship.
  ///
  /// - Parameter overMany: whether to-many relationships may be among them.
  func resolve(_ path: [String], overMany: Bool = false) throws(BolideError) -> [PropertyMap] {
    var holder = entity
    var steps: [PropertyMap] = []
    guard !path.isEmpty else { throw BolideError(.predicateUnknownPath, "a path has no name in it") }
    for (index, name) in path.enumerated() {
      guard let property = holder.find(name), property.relationship?.isHidden != true else {
        let names = holder.properties.filter { $0.relationship?.isHidden != true }.map(\.name)
        throw BolideError(
          .predicateUnknownPath,
          "\(holder.name) has no property \(ConditionLexer.shown(name))"
            + SchemaName.hint(for: name, among: names))
      }
      if !overMany, property.isToMany {
        throw BolideError(.predicateToMany, "\(holder.name).\(name) is to-many, so it has no one value")
      }
      if let destination = property.destination {
        holder = map.entities[destination]
      } else if index < path.count - 1 {
        throw BolideError(
          .predicateUnknownPath,
          "\(holder.name).\(name) is an attribute, so \(path.joined(separator: ".")) leads nowhere")
      }
      steps.append(property)
    }
    return steps
  }
}

/// The scope of an element of what a path over to-many relationships leads to.
struct MemberScope: ConditionScope {
  /// The scope of the element, where it is an object.
  let target: EntityScope?
  private let elementType: OperandType
  let itselfWords: String

  init(target: EntityScope?, itself: OperandType, itselfWords: String) {
    self.target = target
    elementType = itself
    self.itselfWords = itselfWords
  }

  var itself: OperandType? { elementType }

  func type(of path: [String]) throws(BolideError) -> OperandType { try object(path).type(of: path) }

  func type(of aggregate: Aggregate, over path: [String]) throws(BolideError) -> OperandType {
    try object(path).type(of: aggregate, over: path)
  }

  func members(of path: [String]) throws(BolideError) -> any ConditionScope {
    try object(path).members(of: path)
  }

  func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType {
    guard let target else {
      throw BolideError(.predicateType, "\(itselfWords) are values, and no objects")
    }
    return try target.type(ofObjectsOf: entity)
  }

  private func object(_ path: [String]) throws(BolideError) -> EntityScope {
    guard let target else {
      throw BolideError(
        .predicateUnknownPath, "\(itselfWords) are values, so \(path.joined(separator: ".")) leads nowhere")
    }
    return target
  }
}

extension Aggregate {
  /// The type of the result for values of a type.
  ///
  /// - Throws: `predicate.type`.
  func type(of values: OperandType, _ words: Operand) throws(BolideError) -> OperandType {
    switch (self, values.type) {
    case (.count, _): return OperandType(.int64)
    case (.minimum, let type) where type != .reference: return OperandType(type)
    case (.maximum, let type) where type != .reference: return OperandType(type)
    case (.sum, .int16), (.sum, .int32), (.sum, .int64): return OperandType(.int64)
    case (.sum, .decimal), (.average, .decimal): return OperandType(.decimal)
    case (.sum, .double), (.sum, .float), (.average, .double), (.average, .float), (.average, .int16),
      (.average, .int32), (.average, .int64):
      return OperandType(.double)
    default: throw BolideError(.predicateType, "\(words) is asked of values \(values.words)")
    }
  }
}

extension PropertyMap {
  /// Whether the property is a to-many relationship.
  var isToMany: Bool { relationship?.isToMany == true }
}
