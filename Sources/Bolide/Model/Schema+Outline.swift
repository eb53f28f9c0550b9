import BolideStorage

extension Schema {
  /// The schema in lines that a person can check: entities and properties by name, then totals.
  public var outline: String {
    var lines = ["model \(name.isEmpty ? "without a name" : name)"]
    for entity in entities.sorted(by: { $0.name < $1.name }) { lines += entity.outline }
    let attributes = entities.reduce(0) { $0 + $1.attributes.count }
    let relationships = entities.reduce(0) { $0 + $1.relationships.count }
    lines.append("\(entities.count) entities  \(attributes) attributes  \(relationships) relationships")
    return lines.joined(separator: "\n")
  }
}

extension EntityDescription {
  fileprivate var outline: [String] {
    var head = "entity \(name)"
    if isAbstract { head += "  abstract" }
    if let parent { head += "  parent \(parent)" }
    if let renamingID { head += "  renamed from \(renamingID)" }
    return [head]
      + attributes.sorted { $0.name < $1.name }.map { "  attribute \($0.outline)" }
      + relationships.sorted { $0.name < $1.name }.map { "  relationship \($0.outline)" }
      + uniquenessConstraints.map { "  unique \($0.joined(separator: ", "))" }
      + indexes.map { "  index \($0.joined(separator: ", "))" }
  }
}

extension AttributeDescription {
  fileprivate var outline: String {
    var words = [
      name, isTransformable ? "transformable" : type.rawValue, isOptional ? "optional" : "required",
    ]
    if !defaultValue.isNull { words.append("default \(CanonicalText.text(defaultValue))") }
    if let derivation { words.append("derived \(derivation.text)") }
    if isPreservedOnDeletion { words.append("preserved on deletion") }
    if let minimum = validation.minimum { words.append("minimum \(CanonicalText.text(minimum))") }
    if let maximum = validation.maximum { words.append("maximum \(CanonicalText.text(maximum))") }
    if let minLength = validation.minLength { words.append("minimum length \(minLength)") }
    if let maxLength = validation.maxLength { words.append("maximum length \(maxLength)") }
    if let pattern = validation.pattern { words.append("pattern \(CanonicalText.quoted(pattern))") }
    if let renamingID { words.append("renamed from \(renamingID)") }
    return words.joined(separator: "  ")
  }
}

extension RelationshipDescription {
  fileprivate var outline: String {
    var words = [name, "\(isToMany ? "to-many" : "to-one") \(destination)", "inverse \(inverse)"]
    words.append(isOptional ? "optional" : "required")
    words.append(deleteRule.rawValue)
    if let minCount { words.append("minimum count \(minCount)") }
    if let maxCount { words.append("maximum count \(maxCount)") }
    if isHidden { words.append("hidden") }
    if let renamingID { words.append("renamed from \(renamingID)") }
    return words.joined(separator: "  ")
  }
}
