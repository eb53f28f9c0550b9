/// Takes arguments apart one by one and reports what is missing, wrong or left over.
package struct ArgumentReader {
  package private(set) var problems: [ScenarioProblem] = []
  private var lists: [Argument] = []
  private var options: [Argument] = []
  private let owner: String
  private let position: SourcePosition
  private let code: ScenarioProblem.Code

  /// Reads the arguments of what stands at the position and is called `owner` in messages.
  package init(
    _ arguments: [Argument], of owner: String, at position: SourcePosition,
    code: ScenarioProblem.Code = .verbArguments
  ) {
    self.owner = owner
    self.position = position
    self.code = code
    for argument in arguments {
      guard let name = argument.name else {
        lists.append(argument)
        continue
      }
      if options.contains(where: { $0.name?.text == name.text }) {
        problems.append(
          ScenarioProblem(code, "`\(name.text)=` is given twice", at: argument.position))
        continue
      }
      options.append(argument)
    }
  }

  /// Adds a problem that the caller found.
  package mutating func report(
    _ message: String, at place: SourcePosition? = nil, code other: ScenarioProblem.Code? = nil
  ) {
    problems.append(ScenarioProblem(other ?? code, message, at: place ?? position))
  }

  // MARK: Plain arguments

  /// Whether a plain argument is left.
  package var hasList: Bool { !lists.isEmpty }

  /// The next plain argument, or nil.
  package mutating func takeOptionalList() -> Argument? {
    lists.isEmpty ? nil : lists.removeFirst()
  }

  /// The next plain argument; its absence is a problem that names `what`.
  package mutating func takeList(_ what: String) -> [Literal] {
    guard let argument = takeOptionalList() else {
      report("`\(owner)` needs \(what)")
      return []
    }
    return argument.values
  }

  /// The next plain argument, which must be a single value.
  package mutating func takeValue(_ what: String) -> Literal? {
    let values = takeList(what)
    if values.count > 1 { report("`\(owner)` takes one \(what) here", at: values[1].position) }
    return values.first
  }

  /// The next plain argument, which must be a single word or string.
  package mutating func takeText(_ what: String) -> Name? {
    guard let value = takeValue(what) else { return nil }
    guard let text = value.text else {
      report("`\(owner)` needs \(what) here: a word or a quoted text", at: value.position)
      return nil
    }
    return Name(text: text, position: value.position)
  }

  // MARK: Options

  /// The option of that name, or nil.
  package mutating func takeOption(_ name: String) -> Argument? {
    guard let place = options.firstIndex(where: { $0.name?.text == name }) else { return nil }
    return options.remove(at: place)
  }

  /// All options that are left: attributes and their values.
  package mutating func takeOptions() -> [Argument] {
    defer { options = [] }
    return options
  }

  /// An option with a single value.
  package mutating func takeOptionValue(_ name: String) -> Literal? {
    guard let argument = takeOption(name) else { return nil }
    if argument.values.count > 1 {
      report("`\(name)=` takes one value", at: argument.values[1].position)
    }
    return argument.values.first
  }

  /// An option whose value is a word or a string.
  package mutating func takeOptionText(_ name: String) -> Name? {
    guard let value = takeOptionValue(name) else { return nil }
    guard let text = value.text else {
      report("`\(name)=` takes a word or a quoted text", at: value.position)
      return nil
    }
    return Name(text: text, position: value.position)
  }

  /// An option that is a list of words or strings.
  package mutating func takeOptionTexts(_ name: String) -> [Name]? {
    guard let argument = takeOption(name) else { return nil }
    return argument.values.compactMap { value in
      if let text = value.text { return Name(text: text, position: value.position) }
      report("`\(name)=` takes words", at: value.position)
      return nil
    }
  }

  /// An option whose value is a whole number from zero on.
  package mutating func takeOptionCount(_ name: String) -> Int? {
    guard let value = takeOptionValue(name) else { return nil }
    guard case .number(let text) = value.kind, let count = Int(text), count >= 0 else {
      report("`\(name)=` takes a whole number", at: value.position)
      return nil
    }
    return count
  }

  /// An option whose value is one of some words.
  package mutating func takeOptionChoice<Choice>(
    _ name: String, _ choices: KeyValuePairs<String, Choice>
  ) -> Choice? {
    guard let value = takeOptionValue(name) else { return nil }
    if let found = choices.first(where: { $0.key == value.text }) { return found.value }
    let words = choices.map(\.key).joined(separator: ", ")
    report("`\(name)=` is one of \(words)", at: value.position)
    return nil
  }

  /// The option `policy=`.
  package mutating func takePolicy() -> Declarations.Policy? {
    takeOptionChoice("policy", Declarations.Policy.choices)
  }

  /// Reports what nobody took.
  package mutating func finish() {
    for argument in lists {
      report("`\(owner)` takes no such argument", at: argument.position)
    }
    for argument in options {
      report("`\(owner)` knows no `\(argument.name?.text ?? "")=`", at: argument.position)
    }
    lists = []
    options = []
  }
}
