import BolideStorage

extension Schema {
  /// What makes a store of another schema unfit for this one, a line each that names the entity (rule S-2).
  package func differences(from stored: Schema) -> [String] {
    if self == stored { return [] }
    var result: [String] = []
    let mine = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let theirs = Dictionary(stored.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for name in Set(mine.keys).union(theirs.keys).sorted() {
      switch (mine[name], theirs[name]) {
      case (let new?, let old?): result += new.differences(from: old)
      case (_?, nil): result.append("\(name) is not in the store")
      case (nil, _?): result.append("\(name) is in the store and not in the schema")
      case (nil, nil): break
      }
    }
    return result
  }
}

extension EntityDescription {
  fileprivate func differences(from stored: EntityDescription) -> [String] {
    if self == stored { return [] }
    var result: [String] = []
    func compare<Part: Equatable>(
      _ mine: [(String, Part)], _ theirs: [(String, Part)], _ text: (Part, Part) -> String
    ) {
      let mine = Dictionary(mine, uniquingKeysWith: { first, _ in first })
      let theirs = Dictionary(theirs, uniquingKeysWith: { first, _ in first })
      for key in Set(mine.keys).union(theirs.keys).sorted() {
        switch (mine[key], theirs[key]) {
        case (let new?, let old?): if new != old { result.append("\(name).\(key) \(text(new, old))") }
        case (_?, nil): result.append("\(name).\(key) is not in the store")
        case (nil, _?): result.append("\(name).\(key) is in the store and not in the schema")
        case (nil, nil): break
        }
      }
    }
    compare(attributes.map { ($0.name, $0) }, stored.attributes.map { ($0.name, $0) }) { new, old in
      new.type == old.type ? "differs in its options" : "is \(new.type.rawValue) and was \(old.type.rawValue)"
    }
    compare(relationships.map { ($0.name, $0) }, stored.relationships.map { ($0.name, $0) }) { _, _ in
      "is another relationship"
    }
    if uniquenessConstraints != stored.uniquenessConstraints {
      result.append("\(name) has other uniqueness constraints")
    }
    if indexes != stored.indexes { result.append("\(name) has other indexes") }
    return result.isEmpty ? ["\(name) differs"] : result
  }
}
