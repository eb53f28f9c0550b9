import BolideStorage

/// What a condition may speak of: the names there are, with their types.
package protocol ConditionScope {
  /// The type of a path.
  ///
  /// - Throws: `predicate.unknown-path`, or `predicate.unsupported` for a path over a to-many.
  func type(of path: [String]) throws(BolideError) -> OperandType

  /// The type of the object itself, `nil` where there is none.
  var itself: OperandType? { get }

  /// The type of the objects of an entity.
  ///
  /// - Throws: `predicate.unknown-path`.
  func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType
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
        "\(subject) has no \(name)" + SchemaName.hint(for: name, among: Array(fields.keys)))
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
    let steps = try resolve(path)
    guard let last = steps.last else { return OperandType(.reference, root: entity.root) }
    if let attribute = last.attribute { return OperandType(attribute.type) }
    return OperandType(.reference, root: last.destination.map { map.entities[$0].root })
  }

  package func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType {
    do {
      return OperandType(.reference, root: try map.entity(entity).root)
    } catch {
      throw BolideError(.predicateUnknownPath, error.message)
    }
  }

  /// The properties that a path goes over: to-ones, then an attribute or another to-one.
  func resolve(_ path: [String]) throws(BolideError) -> [PropertyMap] {
    var holder = entity
    var steps: [PropertyMap] = []
    guard !path.isEmpty else { throw BolideError(.predicateUnknownPath, "a path has no name in it") }
    for (index, name) in path.enumerated() {
      guard let property = holder.find(name), property.relationship?.isHidden != true else {
        let names = holder.properties.filter { $0.relationship?.isHidden != true }.map(\.name)
        throw BolideError(
          .predicateUnknownPath,
          "\(holder.name) has no property \(name)" + SchemaName.hint(for: name, among: names))
      }
      if property.relationship?.isToMany == true {
        throw BolideError(
          .predicateUnsupported,
          "\(holder.name).\(name) is to-many, and conditions over to-many relationships are not supported")
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
