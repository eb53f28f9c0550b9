/// Reads a command line by a command table.
struct ArgumentParser {
  enum Request {
    case run(Command.Action, Arguments)
    case help([Command])
    case version
  }

  let root: Command
  let environment: [String: String]

  /// - Parameter words: The command line without the program's name.
  /// - Throws: A `Failure` with `ExitCode.usage` that names the word, the reason and, where it can, the remedy.
  func parse(_ words: [String]) throws(Failure) -> Request {
    var path = [root]
    var rest = words[...]
    if rest.first == "--version" { return .version }
    let asksForHelp = rest.first == "help"
    if asksForHelp { rest = rest.dropFirst() }
    while let command = path.last, case .subcommands(let commands) = command.body {
      guard let word = rest.first else {
        if asksForHelp { return .help(path) }
        throw .usage(
          "missing-command", "\(name(path)) needs a command",
          remedy: "\"\(name(path)) --help\" lists the commands")
      }
      if Self.isHelp(word) { return .help(path) }
      guard !word.hasPrefix("-") else {
        throw .usage(
          "option-before-command", "\(quoted(word)) stands where a command is expected",
          remedy: "give the command first, then its options; \"\(name(path)) --help\" lists the commands")
      }
      guard let next = commands.first(where: { $0.name == word }) else {
        throw .usage(
          "unknown-command", "\(name(path)) has no command \(quoted(word))",
          remedy: remedy(
            Suggestion.nearest(to: word, among: commands.map(\.name)), path, "lists the commands"))
      }
      path.append(next)
      rest = rest.dropFirst()
    }
    guard let command = path.last, case .action(let action) = command.body, !asksForHelp,
      !rest.prefix(while: { $0 != "--" }).contains(where: Self.isHelp)
    else { return .help(path) }
    return .run(action, try arguments(of: command, path, Array(rest)))
  }

  private func arguments(
    of command: Command, _ path: [Command], _ words: [String]
  ) throws(Failure) -> Arguments {
    var arguments = Arguments(path: path.map(\.name))
    var plain: [String] = []
    var index = 0
    while index < words.count {
      let word = words[index]
      index += 1
      if word == "--" {
        plain += words[index...]
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        plain.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let option = command.options.first(where: { "--\($0.name)" == parts[0] }) else {
        let names = command.options.map { "--\($0.name)" } + ["--help"]
        throw .usage(
          "unknown-option", "\(name(path)) has no option \(quoted(parts[0]))",
          remedy: remedy(Suggestion.nearest(to: parts[0], among: names), path, "lists the options"))
      }
      var value = parts.count == 2 ? parts[1] : nil
      if option.kind == .flag {
        guard value == nil else {
          throw .usage(
            "unexpected-value", "--\(option.name) takes no value", remedy: "write --\(option.name) alone")
        }
      } else if value == nil, index < words.count, !isOption(words[index], of: command) {
        value = words[index]
        index += 1
      }
      try add(value, to: option, in: &arguments, path)
    }
    try assign(plain, to: command, in: &arguments, path)
    try complete(command, &arguments, path)
    return arguments
  }

  private func add(
    _ value: String?, to option: CommandOption, in arguments: inout Arguments, _ path: [Command]
  ) throws(Failure) {
    if arguments.options[option] != nil, !option.isRepeatable {
      throw .usage("repeated-option", "--\(option.name) is given twice", remedy: "give it once")
    }
    if option.kind == .flag {
      arguments.options[option] = []
      return
    }
    guard let value else {
      throw .usage(
        "missing-value", "--\(option.name) needs a value",
        remedy: "write \(option.form); a value that looks like an option is given as --\(option.name)=VALUE")
    }
    try check(value, for: option, "--\(option.name)")
    arguments.options[option, default: []].append(value)
  }

  private func check(_ value: String, for option: CommandOption, _ origin: String) throws(Failure) {
    switch option.kind {
    case .flag, .text: break
    case .number(let minimum, let maximum):
      guard value.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(value), number >= minimum
      else {
        throw .usage(
          "wrong-value", "\(origin) takes a whole number, at least \(minimum), not \(quoted(value))")
      }
      guard number <= maximum else {
        throw .usage("wrong-value", "\(origin) takes at most \(maximum), not \(quoted(value))")
      }
    case .choice(let words): try check(value, among: words, origin)
    case .list(let words):
      let given = value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      for word in given {
        if word.isEmpty {
          throw .usage("wrong-value", "\(origin) has an empty entry in \(quoted(value))")
        }
        if !words.isEmpty { try check(word, among: words, origin) }
      }
    }
  }

  private func check(_ value: String, among words: [String], _ origin: String) throws(Failure) {
    guard !words.contains(value) else { return }
    let list = words.joined(separator: ", ")
    let remedy = Suggestion.nearest(to: value, among: words).map { "did you mean \(quoted($0))?" }
    throw .usage("wrong-value", "\(origin) is one of \(list), not \(quoted(value))", remedy: remedy)
  }

  private func assign(
    _ words: [String], to command: Command, in arguments: inout Arguments, _ path: [Command]
  ) throws(Failure) {
    var rest = words[...]
    for positional in command.positionals {
      let taken = positional.count == .one ? rest.prefix(1) : rest
      if taken.isEmpty, positional.count != .any {
        throw .usage(
          "missing-argument", "\(name(path)) needs \(positional.name)",
          remedy: "\"\(name(path)) --help\" shows the arguments")
      }
      if !positional.choices.isEmpty {
        for word in taken { try check(word, among: positional.choices, positional.name) }
      }
      arguments.positionals[positional] = Array(taken)
      rest = rest.dropFirst(taken.count)
    }
    if let word = rest.first {
      throw .usage(
        "unexpected-argument", "\(name(path)) does not take the argument \(quoted(word))",
        remedy: "\"\(name(path)) --help\" shows the arguments")
    }
  }

  /// Adds what environment variables say, then looks for what is still missing.
  private func complete(
    _ command: Command, _ arguments: inout Arguments, _ path: [Command]
  ) throws(Failure) {
    for option in command.options where arguments.options[option] == nil {
      if let variable = option.variable, let value = environment[variable], !value.isEmpty {
        try check(value, for: option, variable)
        arguments.options[option] = [value]
      } else if option.isRequired, option.standard == nil {
        let other = option.variable.map { " or set \($0)" } ?? ""
        throw .usage(
          "missing-option", "\(name(path)) needs --\(option.name)", remedy: "give \(option.form)\(other)")
      }
    }
  }

  private func isOption(_ word: String, of command: Command) -> Bool {
    word == "--" || command.options.contains { word == "--\($0.name)" || word.hasPrefix("--\($0.name)=") }
  }

  private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

  private func name(_ path: [Command]) -> String { path.map(\.name).joined(separator: " ") }

  private func quoted(_ word: String) -> String { "\"\(word)\"" }

  private func remedy(_ suggestion: String?, _ path: [Command], _ what: String) -> String {
    let help = "\"\(name(path)) --help\" \(what)"
    return suggestion.map { "did you mean \(quoted($0))? \(help)" } ?? help
  }
}
