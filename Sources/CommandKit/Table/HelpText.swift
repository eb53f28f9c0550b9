/// The help text of one command, made from its row of the table.
struct HelpText {
  let path: [Command]
  /// Titled lists that end the program's own help text.
  let sections: [Program.HelpSection]
  let terminal: TerminalTraits

  private var command: Command { path[path.count - 1] }
  /// Long lines are hard to read, and very short ones leave no room for the second column.
  private var width: Int { min(max(terminal.width, 50), 100) }

  func text() -> String {
    var blocks = [wrapped(command.abstract, indent: 0, first: ""), usage()]
    func add(_ title: String, _ rows: [(String, String)]) {
      guard !rows.isEmpty else { return }
      blocks.append("\(Style.bold.apply(title, on: terminal)):\n" + table(rows))
    }
    add("commands", commandRows)
    add("arguments", command.positionals.map { ($0.usage, $0.help + list($0.choices, "one of")) })
    add("options", optionRows)
    blocks += command.discussion.map { wrapped($0, indent: 0, first: "") }
    if !command.examples.isEmpty {
      let lines = command.examples.map { "  \($0)\n" }.joined()
      blocks.append("\(Style.bold.apply("examples", on: terminal)):\n" + lines)
    }
    if path.count == 1 {
      for section in sections { add(section.title, section.rows.map { ($0.name, $0.text) }) }
    }
    return blocks.joined(separator: "\n")
  }

  private func usage() -> String {
    let name = path.map(\.name).joined(separator: " ")
    let words =
      command.subcommands.isEmpty
      ? command.positionals.map(\.usage) + command.options.map(\.usage)
      : ["COMMAND", "[ARGUMENT...]"]
    let start = "usage: \(name) "
    return wrapped(words: words, indent: min(start.count, 24), first: start)
  }

  private var commandRows: [(String, String)] {
    let rows = command.subcommands.map { ($0.name, $0.abstract) }
    guard path.count == 1 else { return rows }
    return rows + [("help", "Show the help text of a command, as --help does.")]
  }

  private var optionRows: [(String, String)] {
    var rows = command.options.map { option in
      var notes: [String] = []
      if let variable = option.variable { notes.append("from \(variable) when not given") }
      if let standard = option.standard { notes.append("default: \(standard)") }
      if option.isRepeatable { notes.append("may be repeated") }
      let note = notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
      let choices =
        switch option.kind {
        case .choice(let words): list(words, "one of")
        case .list(let words): list(words, "any of")
        case .flag, .text, .number: ""
        }
      return (option.form, option.help + choices + note)
    }
    rows.append(("-h, --help", "Show this text."))
    if path.count == 1 { rows.append(("--version", "Show the version.")) }
    return rows
  }

  private func list(_ words: [String], _ intro: String) -> String {
    words.isEmpty
      ? "" : " \(intro.prefix(1).uppercased())\(intro.dropFirst()): \(words.joined(separator: ", "))."
  }

  private func table(_ rows: [(String, String)]) -> String {
    let column = min((rows.map(\.0.count).max() ?? 0) + 4, 30)
    return rows.map { name, text in
      let fits = name.count + 4 <= column
      let first = "  \(name)" + (fits ? String(repeating: " ", count: column - name.count - 2) : "")
      return fits
        ? wrapped(text, indent: column, first: first)
        : "\(first)\n" + wrapped(text, indent: column, first: String(repeating: " ", count: column))
    }.joined()
  }

  private func wrapped(_ text: String, indent: Int, first: String) -> String {
    wrapped(words: text.split(separator: " ").map(String.init), indent: indent, first: first)
  }

  private func wrapped(words: [String], indent: Int, first: String) -> String {
    var result = ""
    var line = first
    var isEmpty = true
    for word in words {
      if !isEmpty, line.count + 1 + word.count > width {
        result += line + "\n"
        line = String(repeating: " ", count: indent)
        isEmpty = true
      }
      line += isEmpty ? word : " \(word)"
      isEmpty = false
    }
    return result + line + "\n"
  }
}
