import BolideStorage

extension Schema {
  /// Describes the classes' entities from what they declare.
  ///
  /// A class whose superclass is listed, too, is a sub-entity of it. Mistakes show as `schema.invalid` when a container
  /// is opened.
  public init(_ types: ManagedObject.Type...) { self.init(name: "", classes: types) }

  /// Describes the classes' entities under a name for the schema.
  public init(name: String, classes types: [ManagedObject.Type]) {
    var inverses: [String: [String: String]] = [:]
    for type in types {
      for (name, declaration) in ClassProbe.of(type).properties {
        guard case .relationship(let destination, _, let path?, _, _) = declaration,
          let inverse = ClassProbe.path(path)?.last
        else { continue }
        inverses[type.entityName, default: [:]][name] = inverse
        inverses[destination.entityName, default: [:]][inverse] = name
      }
    }
    var problems: [String] = []
    self.init(
      name: name,
      entities: types.map { Self.entity($0, among: types, inverses: inverses, problems: &problems) })
    declarationProblems = problems
    classes = Dictionary(types.map { ($0.entityName, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static func entity(
    _ type: ManagedObject.Type, among types: [ManagedObject.Type], inverses: [String: [String: String]],
    problems: inout [String]
  ) -> EntityDescription {
    let parent = types.first { $0 == superclass(of: type) }
    let inherited = Set(parent.map { ClassProbe.of($0).properties.map(\.name) } ?? [])
    var entity = EntityDescription(
      name: type.entityName, parent: parent?.entityName, renamingID: type.renamedFrom)
    entity.uniquenessConstraints =
      parent.map { $0.uniquenessConstraints == type.uniquenessConstraints } == true
      ? [] : type.uniquenessConstraints
    for (name, declaration) in ClassProbe.of(type).properties where !inherited.contains(name) {
      switch declaration {
      case .attribute(let content, let value, let options):
        var attribute = AttributeDescription(
          name: name, type: content.valueType, isOptional: content.isOptional, defaultValue: value)
        for option in options {
          switch option {
          case .unique: entity.uniquenessConstraints.append([name])
          case .indexed: entity.indexes.append([name])
          case .preservedOnDeletion: attribute.isPreservedOnDeletion = true
          case .renamed(let old): attribute.renamingID = old
          }
        }
        entity.attributes.append(attribute)
      case .derived(let content, let expression):
        var attribute = AttributeDescription(
          name: name, type: content.valueType, isOptional: content.isOptional)
        do {
          attribute.derivation = try Derivation(parsing: expression)
        } catch {
          problems.append("\(type.entityName).\(name): \(error.message)")
        }
        entity.attributes.append(attribute)
      case .relationship(let destination, let isToMany, _, let deleteRule, let renamedFrom):
        entity.relationships.append(
          RelationshipDescription(
            name: name, destination: destination.entityName, inverse: inverses[type.entityName]?[name] ?? "",
            isToMany: isToMany, deleteRule: deleteRule, renamingID: renamedFrom))
      }
    }
    return entity
  }

  private static func superclass(of type: ManagedObject.Type) -> ManagedObject.Type? {
    Mirror(reflecting: ClassProbe.of(type).object).superclassMirror?.subjectType as? ManagedObject.Type
  }
}
