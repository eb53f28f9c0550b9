/// The forms of a whole line; what is wrong is collected, and reading goes on behind it.
extension LineScanner {
  /// `[condition] subject> $capture = verb arguments where predicate`, or nil if it is no step.
  mutating func takeStep(source: String, problems: inout [ScenarioProblem]) -> Step? {
    let start = position
    let condition = takeCondition(problems: &problems)
    guard let subject = takeName(), take(">") else { return nil }
    guard takeBlank(problems: &problems) else {
      problems.append(problem(.verb, "after `\(subject.text)>` stand a blank and a verb"))
      return nil
    }
    var capture: Name?
    if next == "$" {
      guard let name = takeCapture(problems: &problems) else { return nil }
      capture = name
    }
    guard let verb = takeName() else {
      problems.append(problem(.verb, "a verb is missing here; `bolide scenario verbs` lists them"))
      return nil
    }
    if verb.text == "where" {
      problems.append(
        ScenarioProblem(.verb, "`where` is no verb: it opens a predicate", at: verb.position))
    }
    var step = Step(
      position: start, condition: condition, subject: subject, capture: capture, verb: verb,
      source: source)
    step.arguments = takeArguments(problems: &problems)
    step.predicate = takePredicate(problems: &problems)
    return step
  }

  /// The word of a directive, then its arguments; the caller has seen the word.
  mutating func takeDirective(
    _ word: Directive.Word, problems: inout [ScenarioProblem]
  ) -> Directive {
    let start = position
    index += word.rawValue.unicodeScalars.count
    let arguments = takeArguments(problems: &problems, predicates: false)
    if arguments.isEmpty, isAtEnd, problems.isEmpty {
      problems.append(problem(.emptyDirective, "`\(word.rawValue)` needs an argument"))
    }
    return Directive(position: start, word: word, arguments: arguments)
  }

  /// Two blanks, then options.
  mutating func takeRow(problems: inout [ScenarioProblem]) -> Row {
    let start = SourcePosition(line: line, column: 3)
    // The second of the two blanks is the one before the first option.
    index = 1
    let arguments = takeArguments(problems: &problems, predicates: false)
    for argument in arguments where argument.name == nil {
      problems.append(
        ScenarioProblem(.rowShape, "a row holds options only: `name=value`", at: argument.position))
    }
    return Row(position: start, options: arguments)
  }

  private mutating func takeCondition(problems: inout [ScenarioProblem]) -> StepCondition? {
    guard next == "[" else { return nil }
    let start = position
    index += 1
    let isNegated = take("!")
    guard let capability = takeName(), take("]") else {
      problems.append(problem(.condition, "a condition is `[capability]` or `[!capability]`"))
      skipPast("]")
      _ = take(" ")
      return nil
    }
    if !takeBlank(problems: &problems) {
      problems.append(problem(.condition, "after the condition stand a blank and the step"))
    }
    return StepCondition(position: start, isNegated: isNegated, capability: capability)
  }

  private mutating func takeCapture(problems: inout [ScenarioProblem]) -> Name? {
    let start = position
    index += 1
    guard let name = takeName() else {
      problems.append(problem(.capture, "a capture is `$` and a name that starts with a letter"))
      return nil
    }
    guard take(" = ") else {
      problems.append(problem(.capture, "a capture is written `$\(name.text) = verb`"))
      return nil
    }
    return Name(text: name.text, position: start)
  }

  private mutating func takeArguments(
    problems: inout [ScenarioProblem], predicates: Bool = true
  ) -> [Argument] {
    var arguments: [Argument] = []
    while !isAtEnd {
      guard takeBlank(problems: &problems) else {
        problems.append(problem(.value, "a blank is missing here"))
        skipToBlank()
        continue
      }
      if predicates, starts(with: "where ") { break }
      if predicates, isAtLoneWhere {
        problems.append(problem(.predicate, "a predicate is missing after `where`"))
        index = scalars.count
        break
      }
      do throws(ScenarioProblem) {
        arguments.append(try takeArgument())
      } catch {
        problems.append(error)
        skipToBlank()
      }
    }
    return arguments
  }

  private var isAtLoneWhere: Bool { starts(with: "where") && index + 5 == scalars.count }

  private mutating func takeArgument() throws(ScenarioProblem) -> Argument {
    let start = position
    let before = index
    if let name = takeName(), take("=") {
      return Argument(position: start, name: name, values: try takeList())
    }
    index = before
    return Argument(position: start, name: nil, values: try takeList())
  }

  private mutating func takePredicate(problems: inout [ScenarioProblem]) -> PredicateText? {
    guard take("where ") else { return nil }
    if next == " " {
      problems.append(problem(.spacing, "one blank is enough here"))
      while next == " " { index += 1 }
    }
    let start = position
    let first = index
    index = scalars.count
    return PredicateText(position: start, text: text(from: first))
  }

  /// Steps over blanks; more than one is a problem.
  private mutating func takeBlank(problems: inout [ScenarioProblem]) -> Bool {
    guard take(" ") else { return false }
    if next == " " {
      problems.append(problem(.spacing, "one blank is enough here"))
      while next == " " { index += 1 }
    }
    return true
  }

  private mutating func skipToBlank() {
    while let scalar = next, scalar != " " { index += 1 }
  }

  private mutating func skipPast(_ end: Unicode.Scalar) {
    while let scalar = next {
      index += 1
      if scalar == end { return }
    }
  }
}
