/// A scenario as a tree of text: what the parser understood, one node a line.
package struct Outline: CustomStringConvertible {
  package private(set) var description = ""

  package init(of scenario: Scenario) {
    for phase in scenario.phases { add(0, "phase", phase.position, phase.lines.joined(separator: " / ")) }
    for directive in scenario.directives {
      add(0, "directive", directive.position, directive.word.rawValue)
      add(directive.arguments, depth: 1)
    }
    for step in scenario.steps { add(step) }
    for payload in scenario.payloads {
      let place = payload.name.position
      add(0, "payload", place, "\(payload.name.text) (\(payload.bytes.count) bytes)")
    }
  }

  package init(of step: Step) { add(step) }

  private mutating func add(_ depth: Int, _ what: String, _ position: SourcePosition, _ text: String) {
    let indent = String(repeating: "  ", count: depth)
    let place = "\(position.line):\(position.column)"
    description += "\(indent)\(what) \(place)" + (text.isEmpty ? "\n" : " \(text)\n")
  }

  private mutating func add(_ step: Step) {
    add(0, "step", step.position, step.subject.text)
    if let condition = step.condition {
      add(1, "condition", condition.position, (condition.isNegated ? "!" : "") + condition.capability.text)
    }
    if let capture = step.capture { add(1, "capture", capture.position, capture.text) }
    add(1, "verb", step.verb.position, step.verb.text)
    add(step.arguments, depth: 1)
    if let predicate = step.predicate { add(1, "where", predicate.position, predicate.text) }
    for row in step.rows {
      add(1, "row", row.position, "")
      add(row.options, depth: 2)
    }
    if let block = step.block { add(1, "block", block.position, "\(block.lines.count) lines") }
  }

  private mutating func add(_ arguments: [Argument], depth: Int) {
    for argument in arguments {
      let isOption = argument.name != nil
      add(depth, isOption ? "option" : "argument", argument.position, argument.name?.text ?? "")
      for value in argument.values { add(value, depth: depth + 1) }
    }
  }

  private mutating func add(_ value: Literal, depth: Int) {
    switch value.kind {
    case .reference(let reference): add(reference, value.position, depth: depth)
    case .string(let text): add(depth, "string", value.position, Self.visible(text))
    case .expression(let text): add(depth, "expression", value.position, text)
    case .date(let text): add(depth, "date", value.position, text)
    case .uuid(let text): add(depth, "uuid", value.position, text)
    case .duration(let duration): add(depth, "duration", value.position, "\(duration.milliseconds) ms")
    case .binary(let bytes): add(depth, "binary", value.position, "\(bytes.count) bytes")
    case .number(let text): add(depth, "number", value.position, text)
    case .boolean(let flag): add(depth, "boolean", value.position, "\(flag)")
    case .null: add(depth, "null", value.position, "")
    case .word(let text): add(depth, "word", value.position, text)
    }
  }

  private mutating func add(_ reference: Reference, _ position: SourcePosition, depth: Int) {
    switch reference.root {
    case .capture(let name): add(depth, "capture", position, "$" + name)
    case .number(let entity, let number): add(depth, "object", position, "\(entity)#\(number)")
    case .key(let entity, let keys):
      add(depth, "key", position, entity)
      for key in keys { add(key, depth: depth + 1) }
    case .predicate(let entity, let predicate):
      add(depth, "match", position, entity)
      add(depth + 1, "where", predicate.position, predicate.text)
    }
    if let member = reference.member { add(depth + 1, "relationship", member.position, member.text) }
  }

  /// Control characters by their scalar values, so that an outline is one line a node.
  private static func visible(_ text: String) -> String {
    text.unicodeScalars.map { $0.value < 0x20 ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
  }
}
