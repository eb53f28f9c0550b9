extension LineScanner {
  /// A list of values: `value { "," value }`.
  mutating func takeList() throws(ScenarioProblem) -> [Literal] {
    var values = [try takeValue()]
    while next == "," {
      index += 1
      values.append(try takeValue())
    }
    return values
  }

  /// One value; the alternatives are tried in the order of the grammar.
  mutating func takeValue() throws(ScenarioProblem) -> Literal {
    let start = position
    guard let first = next else {
      throw problem(.value, "a value is missing here; write `null` for none and \"\" for empty text")
    }
    let kind: Literal.Kind
    switch first {
    case "$": kind = .reference(try takeCaptureReference())
    case "\"": kind = .string(try takeString())
    case "`": kind = .expression(try takeExpression())
    case " ", ",", "]":
      throw problem(.value, "a value is missing here; write `null` for none and \"\" for empty text")
    default:
      if first.isUpper, let reference = try takeEntityReference() {
        kind = .reference(reference)
      } else {
        kind = try takeBareToken()
      }
    }
    try expectEndOfValue()
    return Literal(position: start, kind: kind)
  }

  private func expectEndOfValue() throws(ScenarioProblem) {
    guard let scalar = next, scalar != " ", scalar != ",", scalar != "]" else { return }
    throw problem(.value, "unexpected `\(scalar)` after a value; put a blank or a comma before it")
  }

  private mutating func takeCaptureReference() throws(ScenarioProblem) -> Reference {
    index += 1
    guard let name = takeName() else {
      throw problem(.reference, "a capture is `$` and a name that starts with a letter")
    }
    return Reference(root: .capture(name.text), member: try takeMember())
  }

  /// An entity followed by `#`, `[` or `{`; nil, with nothing taken, when none follows.
  private mutating func takeEntityReference() throws(ScenarioProblem) -> Reference? {
    let start = index
    let entity = takeWhile(\.isEntityPart)
    switch next {
    case "#": return try takeNumberReference(entity)
    case "[": return try takeKeyReference(entity)
    case "{": return try takePredicateReference(entity)
    default:
      index = start
      return nil
    }
  }

  private mutating func takeNumberReference(_ entity: String) throws(ScenarioProblem) -> Reference {
    index += 1
    let column = index + 1
    let digits = takeWhile(\.isDigit)
    guard let number = UInt64(digits), number > 0, number <= UInt64(Int64.max) else {
      throw problem(
        .reference, "after `\(entity)#` stands an object number from 1 to \(Int64.max)", at: column)
    }
    return Reference(root: .number(entity: entity, number), member: try takeMember())
  }

  private mutating func takeKeyReference(_ entity: String) throws(ScenarioProblem) -> Reference {
    guard depth < Self.maximumDepth else {
      throw problem(.reference, "keys are nested more than \(Self.maximumDepth) deep")
    }
    index += 1
    depth += 1
    let keys = try takeList()
    depth -= 1
    guard take("]") else {
      throw problem(.reference, "`]` is missing: a key is written `\(entity)[value,value]`")
    }
    return Reference(root: .key(entity: entity, keys), member: try takeMember())
  }

  private mutating func takePredicateReference(_ entity: String) throws(ScenarioProblem) -> Reference {
    let open = index + 1
    index += 1
    let start = position
    let first = index
    var depth = 1
    while let scalar = next {
      if scalar == "\"" {
        skipQuoted()
        continue
      }
      if scalar == "{" { depth += 1 }
      if scalar == "}" { depth -= 1 }
      if depth == 0 { break }
      index += 1
    }
    guard depth == 0 else {
      throw problem(.reference, "`}` is missing: this `{` is never closed", at: open)
    }
    let predicate = PredicateText(position: start, text: text(from: first))
    guard predicate.text.contains(where: { $0 != " " }) else {
      throw problem(.predicate, "the predicate is empty; write `\(entity){name == \"…\"}`", at: open)
    }
    index += 1
    return Reference(root: .predicate(entity: entity, predicate), member: try takeMember())
  }

  /// Steps over a quoted text inside a predicate; a text that does not end takes the rest.
  private mutating func skipQuoted() {
    index += 1
    while let scalar = next, scalar != "\"" {
      index += scalar == "\\" ? 2 : 1
    }
    index = min(index + 1, scalars.count)
  }

  private mutating func takeMember() throws(ScenarioProblem) -> Name? {
    guard next == "." else { return nil }
    index += 1
    guard let name = takeName() else {
      throw problem(.reference, "after the dot stands the name of a relationship")
    }
    return name
  }

  private mutating func takeExpression() throws(ScenarioProblem) -> String {
    let open = index + 1
    index += 1
    let text = takeWhile { $0 != "`" }
    guard take("`") else {
      throw problem(.expression, "this expression has no closing backtick", at: open)
    }
    guard text.contains(where: { $0 != " " }) else {
      throw problem(.expression, "the expression is empty", at: open)
    }
    return text
  }
}
