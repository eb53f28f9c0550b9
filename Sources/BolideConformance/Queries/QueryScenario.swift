import Bolide
import BolideStorage

/// Writes a request and its world as a scenario.
enum QueryScenario {
  /// The scenario's text, with the model as a payload.
  static func text(_ request: QueryRequest, _ world: QueryWorld, expected: [String]) -> String {
    var title = "# \(request)"
    while title.last?.isWhitespace == true { title.removeLast() }
    var lines = [title, "model world.xml", "context fuzz author=\"fuzz\"", ""]
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
    lines += ["fuzz> save", ""] + edits(world) + steps(request, expected.map(named))
    return (lines + ["", "-- world.xml --"] + model(world.schema)).joined(separator: "\n") + "\n"
  }

  /// The steps that edit the world and leave it so.
  private static func edits(_ world: QueryWorld) -> [String] {
    func reference(_ entity: String, _ number: Number) -> String {
      number >= QueryEdit.firstNew ? "$n\(number)" : "\(entity)#\(number)"
    }
    var lines: [String] = []
    var world = world
    for edit in world.edits where world.apply(edit) {
      let object = reference(edit.entity, edit.number)
      func tags(_ verb: String, _ numbers: [Number]) -> [String] {
        numbers.isEmpty
          ? []
          : [
            "fuzz> \(verb) \(object).tags \(numbers.map { reference("Tag", $0) }.joined(separator: ","))", "",
          ]
      }
      switch edit.change {
      case .insert: lines += ["fuzz> \(object) = insert \(edit.entity)", ""]
      case .set(let values):
        let texts = values.sorted { $0.key < $1.key }.map { " \($0.key)=\(literal($0.value))" }
        if !texts.isEmpty { lines += ["fuzz> set \(object)\(texts.joined())", ""] }
      case .lead(let name, let target):
        lines += ["fuzz> set \(object) \(name)=\(target.map { reference("Owner", $0) } ?? "null")", ""]
      case .tag(let added, let removed): lines += tags("add", added) + tags("remove", removed)
      case .delete: lines += ["fuzz> delete \(object)", ""]
      }
    }
    return lines
  }

  /// A line in which an object that is not saved may have any number.
  private static func named(_ line: String) -> String {
    guard let mark = line.lastIndex(of: "#"), let number = Number(line[line.index(after: mark)...]),
      number >= QueryEdit.firstNew
    else { return line }
    return line[...mark] + "<*>"
  }

  /// The step of a request with what it prints; a batch request is followed by the steps that look at the store.
  private static func steps(_ request: QueryRequest, _ expected: [String]) -> [String] {
    let step = ["fuzz> \(step(request))", "----"]
    if let error = expected.first, error.hasPrefix("error ") { return step + [error] }
    switch request.result {
    case .count: return step + expected
    case .update(_, let seen), .delete(let seen):
      var lines = step + [expected[0], "<*>"]
      var rest = expected.dropFirst()
      for request in seen {
        let rows = rest.prefix { !QueryRequest.isCount($0) }
        lines += [""] + steps(request, Array(rows))
        rest = rest.dropFirst(rows.count + 1)
      }
      return lines
    default: return step + expected + ["\(expected.count) rows"]
    }
  }

  private static func step(_ request: QueryRequest) -> String {
    var text = request.entity
    var verb = "fetch"
    func add(_ name: String, _ values: [String]) {
      if !values.isEmpty { text += " \(name)=\(values.joined(separator: ","))" }
    }
    switch request.result {
    case .objects: break
    case .count: verb = "count"
    case .update(let values, _):
      for (name, value) in values.sorted(by: { $0.key < $1.key }) { add(name, [literal(value)]) }
      verb = "batch-update"
    case .delete: verb = "batch-delete"
    case .rows(let columns, let isDistinct):
      add("columns", columns.map(\.name))
      add("distinct", [isDistinct ? "yes" : "no"])
    case .groups(let columns, let paths, let having):
      add("columns", columns.map(\.name))
      add("group", paths)
      if let having { add("having", [CanonicalText.quoted(having.description)]) }
    }
    // Numbers have no order.
    let sort = verb == "count" ? [] : request.sort
    add(
      "sort", sort.map { $0.options.isEmpty ? $0.description : CanonicalText.quoted($0.description) })
    if let limit = request.limit { add("limit", ["\(limit)"]) }
    if request.offset > 0 { add("offset", ["\(request.offset)"]) }
    if !request.includesSubentities { add("subentities", ["no"]) }
    return "\(verb) \(text)" + (request.condition.map { " where \($0)" } ?? "")
  }

  /// A value as the language has it: a date out of the calendar is quoted.
  private static func literal(_ value: Value) -> String {
    let text = CanonicalText.text(value)
    guard case .date = value, text.first?.isNumber != true || text.count > 30 else { return text }
    return CanonicalText.quoted(text)
  }

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
      if !entity.uniquenessConstraints.isEmpty {
        lines.append("    <uniquenessConstraints>")
        for names in entity.uniquenessConstraints {
          let parts = names.map { #"<constraint value="\#($0)"/>"# }.joined()
          lines.append("      <uniquenessConstraint>\(parts)</uniquenessConstraint>")
        }
        lines.append("    </uniquenessConstraints>")
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
