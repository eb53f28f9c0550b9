import Bolide
import BolideStorage

/// Writes a request and its world as a scenario.
enum QueryScenario {
  /// The scenario's text, with the model as a payload.
  static func text(_ request: QueryRequest, _ world: QueryWorld, expected: [String]) -> String {
    var lines = ["# \(request)", "model world.xml", "context fuzz author=\"fuzz\"", ""]
    for (index, object) in world.objects.enumerated() {
      let values = object.values.sorted { $0.key < $1.key }.map { " \($0.key)=\(literal($0.value))" }.joined()
      lines += ["fuzz> $x\(index) = insert \(object.entity)\(values)", ""]
    }
    lines += ["fuzz> save", ""]
    for object in world.objects {
      let reference = "\(object.entity)#\(object.number)"
      for (name, entity) in [("owner", "Owner"), ("boss", "Owner"), ("keeper", "Owner")] {
        guard let number = object.members[name]?.first else { continue }
        lines += ["fuzz> set \(reference) \(name)=\(entity)#\(number)", ""]
      }
      let tags = object.members["tags"] ?? []
      if !tags.isEmpty {
        lines += ["fuzz> add \(reference).tags \(tags.map { "Tag#\($0)" }.joined(separator: ","))", ""]
      }
    }
    lines += ["fuzz> save", "", "fuzz> \(step(request))", "----"]
    switch request.result {
    case .count: lines += expected
    default: lines += expected + ["\(expected.count) rows"]
    }
    return (lines + ["", "-- world.xml --"] + model(world.schema)).joined(separator: "\n") + "\n"
  }

  private static func step(_ request: QueryRequest) -> String {
    var text = request.entity
    func add(_ name: String, _ values: [String]) {
      if !values.isEmpty { text += " \(name)=\(values.joined(separator: ","))" }
    }
    switch request.result {
    case .objects: break
    case .count: return "count \(text)" + (request.condition.map { " where \($0)" } ?? "")
    case .rows(let columns, let isDistinct):
      add("columns", columns.map(\.name))
      add("distinct", [isDistinct ? "yes" : "no"])
    case .groups(let columns, let paths, let having):
      add("columns", columns.map(\.name))
      add("group", paths)
      if let having { add("having", [CanonicalText.quoted(having.description)]) }
    }
    add(
      "sort", request.sort.map { $0.options.isEmpty ? $0.description : CanonicalText.quoted($0.description) })
    if let limit = request.limit { add("limit", ["\(limit)"]) }
    if request.offset > 0 { add("offset", ["\(request.offset)"]) }
    return "fetch \(text)" + (request.condition.map { " where \($0)" } ?? "")
  }

  private static func literal(_ value: Value) -> String { CanonicalText.text(value) }

  private static func model(_ schema: Schema) -> [String] {
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<model>"]
    for entity in schema.entities {
      let parent = entity.parent.map { #" parentEntity="\#($0)""# } ?? ""
      lines.append(#"  <entity name="\#(entity.name)"\#(parent)>"#)
      for attribute in entity.attributes {
        let type = modelType(attribute.type)
        lines.append(#"    <attribute name="\#(attribute.name)" optional="YES" attributeType="\#(type)"/>"#)
      }
      for relationship in entity.relationships {
        let many = relationship.isToMany ? #"toMany="YES""# : #"maxCount="1""#
        lines.append(
          #"    <relationship name="\#(relationship.name)" optional="YES" \#(many) deletionRule="Nullify""#
            + #" destinationEntity="\#(relationship.destination)" inverseName="\#(relationship.inverse)""#
            + #" inverseEntity="\#(relationship.destination)"/>"#)
      }
      for (index, columns) in entity.indexes.enumerated() {
        lines.append(#"    <fetchIndex name="by\#(index)">"#)
        for column in columns {
          lines.append(
            #"      <fetchIndexElement property="\#(column)" type="Binary" order="ascending"/>"#)
        }
        lines.append("    </fetchIndex>")
      }
      lines.append("  </entity>")
    }
    return lines + ["</model>"]
  }

  private static func modelType(_ type: ValueType) -> String {
    switch type {
    case .int16: "Integer 16"
    case .int32: "Integer 32"
    case .int64, .reference: "Integer 64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .boolean: "Boolean"
    case .date: "Date"
    case .string: "String"
    case .uuid: "UUID"
    case .uri: "URI"
    case .binary: "Binary"
    }
  }
}
