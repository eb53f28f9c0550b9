import BolideStorage

/// Understands the XML of a model.
struct ModelReader {
  /// The file's name, for messages.
  let file: String
  private(set) var warnings: [ModelWarning] = []
  /// What is not supported, and what is wrong, each with its line.
  private var unsupported: [Finding] = []
  private var invalid: [Finding] = []
  /// The line of each entity and property, to place what the schema's check finds.
  private var lines: [String: Int] = [:]

  private struct Finding {
    let line: Int
    let text: String
  }

  init(file: String) { self.file = file }

  /// Builds the schema.
  ///
  /// - Throws: `model.syntax`, `model.unsupported`, `model.invalid`.
  mutating func schema(from root: ModelElement, name: String) throws(BolideError) -> Schema {
    guard root.name == "model" else {
      throw BolideError(
        .modelSyntax, "\(file):\(root.line):1: the document is a <\(root.name)>, not a <model>")
    }
    if let type = root["type"], type != "com.apple.IDECoreDataModeler.DataModel" {
      warn(root, "the model", "its type \(type) is not known; it was read as a Core Data model")
    }
    noteUnknownAttributes(of: root, subject: "the model")
    var entities: [EntityDescription] = []
    for element in root.children {
      switch element.name {
      case "entity":
        if let entity = entity(element) { entities.append(entity) }
      case "fetchRequest":
        warn(
          element, "the model", "the stored fetch request \(element["name"] ?? "") was left out")
      case "elements", "userInfo": break
      case "configuration": refuse(element, "the configuration \(element["name"] ?? "")")
      case "composite": refuse(element, "the composite \(element["name"] ?? "")")
      default: refuse(element, "the element <\(element.name)>")
      }
    }
    try throwFindings(.modelUnsupported, unsupported)
    addHiddenInverses(to: &entities)
    let schema = Schema(name: name, entities: entities)
    invalid += schema.problems().map { Finding(line: line(of: $0), text: $0) }
    try throwFindings(.modelInvalid, invalid)
    return schema
  }

  // MARK: Findings

  mutating func warn(_ element: ModelElement, _ subject: String, _ message: String) {
    warnings.append(ModelWarning(line: element.line, subject: subject, message: message))
  }

  mutating func refuse(_ element: ModelElement, _ feature: String) {
    unsupported.append(Finding(line: element.line, text: "\(feature) is not supported"))
  }

  mutating func reject(_ element: ModelElement, _ problem: String) {
    invalid.append(Finding(line: element.line, text: problem))
  }

  private func throwFindings(_ code: ErrorCode, _ findings: [Finding]) throws(BolideError) {
    let sorted = findings.sorted { $0.line < $1.line }
    guard let first = sorted.first else { return }
    let more = sorted.count > 1 ? " (and \(sorted.count - 1) more)" : ""
    throw BolideError(
      code, "\(file):\(first.line): \(first.text)\(more)",
      details: sorted.map { "\(file):\($0.line): \($0.text)" })
  }

  /// The line of the property or entity that a problem names first.
  private func line(of problem: String) -> Int {
    let words = problem.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }.map(String.init)
    let named = words.lazy.compactMap { lines[$0] }
    return words.lazy.filter { $0.contains(".") }.compactMap { lines[$0] }.first ?? named.first ?? 1
  }

  /// XML attributes that say nothing about the data: they serve the editor, code generation or syncing.
  private static let harmless: Set<String> = [
    "codeGenerationType", "coreSpotlightDisplayNameExpression", "customClassName", "documentVersion",
    "iOSVersion", "inverseEntity", "lastSavedToolsVersion", "macOSVersion",
    "minimumToolsVersion", "name", "representedClassName", "sourceLanguage", "spotlightIndexingEnabled",
    "storedInTruthFile", "syncable", "systemVersion", "tvOSVersion", "type", "usedWithCloudKit",
    "usedWithSwiftData", "userDefinedModelVersionIdentifier", "usesScalarValueType",
    "valueTransformerName", "versionHashModifier", "visionOSVersion", "watchOSVersion",
  ]

  /// XML attributes that are understood, by element.
  private static let understood: [String: Set<String>] = [
    "entity": ["parentEntity", "isAbstract", "elementID", "renamingIdentifier"],
    "attribute": [
      "optional", "attributeType", "defaultValueString", "defaultDateTimeInterval", "transient", "derived",
      "derivationExpression", "elementID", "renamingIdentifier", "preserveAfterDeletion",
      "preservesValueInHistoryOnDeletion", "allowsExternalBinaryDataStorage", "allowsCloudEncryption",
      "indexed", "minValueString", "maxValueString", "minDateTimeInterval", "maxDateTimeInterval",
      "regularExpressionString",
    ],
    "relationship": [
      "optional", "toMany", "minCount", "maxCount", "ordered", "deletionRule", "destinationEntity",
      "inverseName", "transient", "elementID", "renamingIdentifier", "indexed",
    ],
  ]

  mutating func noteUnknownAttributes(of element: ModelElement, subject: String) {
    let understood = Self.understood[element.name] ?? []
    for name in element.attributes.keys.sorted()
    where !Self.harmless.contains(name) && !understood.contains(name) {
      warn(element, subject, "the XML attribute \(name) is not known and was left out")
    }
  }

  // MARK: Entities

  private mutating func entity(_ element: ModelElement) -> EntityDescription? {
    guard let name = element["name"] else {
      reject(element, "an entity has no name")
      return nil
    }
    lines[name] = element.line
    noteUnknownAttributes(of: element, subject: name)
    var entity = EntityDescription(
      name: name, parent: element["parentEntity"], isAbstract: element.isSet("isAbstract"),
      renamingID: element.renamingID)
    for child in element.children {
      let subject = "\(name).\(child["name"] ?? "")"
      switch child.name {
      case "attribute":
        if let attribute = attribute(child, of: name) { entity.attributes.append(attribute) }
        if child.isSet("indexed") { entity.indexes.append([child["name"] ?? ""]) }
      case "relationship":
        if let relationship = relationship(child, of: name) { entity.relationships.append(relationship) }
      case "fetchedProperty": refuse(child, "the fetched property \(subject)")
      case "uniquenessConstraints":
        entity.uniquenessConstraints += child.children(named: "uniquenessConstraint").map {
          $0.children(named: "constraint").map { $0["value"] ?? "" }
        }
      case "compoundIndexes":
        for index in child.children(named: "compoundIndex") {
          addIndex(index.children(named: "index").map { $0["value"] ?? "" }, child, to: &entity)
        }
      case "fetchIndex": fetchIndex(child, of: &entity)
      case "userInfo": break
      default: refuse(child, "the element <\(child.name)> of \(name)")
      }
      if child["name"] != nil, lines[subject] == nil { lines[subject] = child.line }
    }
    dropRelationshipIndexes(element, from: &entity)
    return entity
  }

  private mutating func fetchIndex(_ element: ModelElement, of entity: inout EntityDescription) {
    let subject = "\(entity.name), index \(element["name"] ?? "")"
    let parts = element.children(named: "fetchIndexElement")
    if element["partialIndexPredicate"] != nil {
      warn(element, subject, "its predicate was left out: the index covers all objects")
    }
    if let odd = parts.first(where: { $0["property"] == nil || ($0["type"] ?? "Binary") != "Binary" }) {
      warn(odd, subject, "it is over an expression or a location, so it was left out; results stay the same")
      return
    }
    if parts.isEmpty {
      warn(element, subject, "it has no elements and was left out")
      return
    }
    addIndex(parts.map { $0["property"] ?? "" }, element, to: &entity)
  }

  private func addIndex(_ names: [String], _ element: ModelElement, to entity: inout EntityDescription) {
    if !names.isEmpty, !entity.indexes.contains(names) { entity.indexes.append(names) }
  }

  /// Relationships have their own index, and none with attributes.
  private mutating func dropRelationshipIndexes(
    _ element: ModelElement, from entity: inout EntityDescription
  ) {
    let relationships = Set(entity.relationships.map(\.name))
    for names in entity.indexes where !relationships.isDisjoint(with: names) {
      warn(
        element, entity.name,
        "the index over \(names.joined(separator: ", ")) was left out, since relationships have their own")
    }
    entity.indexes.removeAll { !relationships.isDisjoint(with: $0) }
    var seen: Set<[String]> = []
    entity.indexes.removeAll { !seen.insert($0).inserted }
  }

  // MARK: Relationships

  private mutating func relationship(
    _ element: ModelElement, of entity: String
  ) -> RelationshipDescription? {
    guard let name = element["name"] else {
      reject(element, "a relationship of \(entity) has no name")
      return nil
    }
    let subject = "\(entity).\(name)"
    noteUnknownAttributes(of: element, subject: subject)
    guard let destination = element["destinationEntity"] else {
      reject(element, "the relationship \(subject) has no destination")
      return nil
    }
    let isToMany = element.isSet("toMany")
    if isToMany, element.isSet("ordered") { refuse(element, "the ordered to-many relationship \(subject)") }
    if element.isSet("transient") { refuse(element, "the transient relationship \(subject)") }
    return RelationshipDescription(
      name: name, destination: destination, inverse: element["inverseName"] ?? "", isToMany: isToMany,
      isOptional: element.isSet("optional"), deleteRule: deleteRule(element, subject),
      minCount: isToMany ? count("minCount", element, subject) : nil,
      maxCount: isToMany ? count("maxCount", element, subject) : nil,
      renamingID: element.renamingID)
  }

  private mutating func deleteRule(_ element: ModelElement, _ subject: String) -> DeleteRule {
    switch element["deletionRule"] {
    case nil, "Nullify": return .nullify
    case "Cascade": return .cascade
    case "Deny": return .deny
    case "No Action": return .noAction
    case let rule?:
      reject(element, "the deletion rule \(rule) of \(subject) is none of Nullify, Cascade, Deny, No Action")
      return .nullify
    }
  }

  private mutating func count(_ name: String, _ element: ModelElement, _ subject: String) -> Int? {
    guard let text = element[name] else { return nil }
    guard let count = Int(text) else {
      reject(element, "the \(name) \(text) of \(subject) is no number")
      return nil
    }
    return count == 0 ? nil : count
  }

  /// Gives each relationship without an inverse a hidden one (rule R-1).
  private mutating func addHiddenInverses(to entities: inout [EntityDescription]) {
    for index in entities.indices {
      let entity = entities[index].name
      for place in entities[index].relationships.indices
      where entities[index].relationships[place].inverse.isEmpty {
        let relationship = entities[index].relationships[place]
        guard let target = entities.firstIndex(where: { $0.name == relationship.destination }) else {
          continue
        }
        let name = "_\(relationship.name)_of_\(entity)"
        entities[index].relationships[place].inverse = name
        // To-many, so that the object named is not taken away from another one that names it.
        entities[target].relationships.append(
          RelationshipDescription(
            name: name, destination: entity, inverse: relationship.name, isToMany: true, isHidden: true))
        let subject = "\(entity).\(relationship.name)"
        warnings.append(
          ModelWarning(
            line: lines[subject] ?? 1, subject: subject,
            message: "it has no inverse; \(relationship.destination) got a hidden one"))
      }
    }
  }
}
