/// What the user gave to one command, checked against its row of the table.
package struct Arguments: Sendable, Equatable {
  /// The names that lead to the command, the program's first.
  package let path: [String]
  var options: [CommandOption: [String]]
  var positionals: [Positional: [String]]

  package init(path: [String]) {
    self.path = path
    options = [:]
    positionals = [:]
  }

  /// Whether the flag is set.
  package func has(_ option: CommandOption) -> Bool {
    options[option] != nil
  }

  /// The option's value, the last one where it may be repeated.
  package func text(_ option: CommandOption) -> String? {
    options[option]?.last ?? option.standard
  }

  /// All values of an option that may be repeated, in the order given.
  package func texts(_ option: CommandOption) -> [String] {
    options[option] ?? option.standard.map { [$0] } ?? []
  }

  package func number(_ option: CommandOption) -> UInt64? {
    text(option).flatMap(UInt64.init)
  }

  /// The value of an option whose upper bound is in the range of `Int`.
  package func count(_ option: CommandOption) -> Int? { number(option).map { Int(clamping: $0) } }

  /// The words of a list option, in the order given, each once.
  package func list(_ option: CommandOption) -> [String]? {
    guard let text = text(option) else { return nil }
    var seen: Set<String> = []
    return text.split(separator: ",").map(String.init).filter { seen.insert($0).inserted }
  }

  /// The one value of a positional.
  package func text(_ positional: Positional) -> String {
    positionals[positional]?.first ?? ""
  }

  /// All values of a positional, in the order given.
  package func texts(_ positional: Positional) -> [String] {
    positionals[positional] ?? []
  }
}
