/// A row of the command table: what the user types, what it is for, and what it does.
package struct Command: Sendable {
  /// What a command does with its arguments.
  package typealias Action = @Sendable (Arguments, Console) async throws -> ExitCode

  package enum Body: Sendable {
    case action(Action)
    case subcommands([Command])
  }

  package let name: String
  /// One sentence.
  package let abstract: String
  /// Paragraphs that follow the table of arguments in the help text.
  package let discussion: [String]
  /// Command lines worth imitating.
  package let examples: [String]
  package let positionals: [Positional]
  package let options: [CommandOption]
  package let body: Body

  package init(
    _ name: String, _ abstract: String, discussion: [String] = [], examples: [String] = [],
    positionals: [Positional] = [], options: [CommandOption] = [], action: @escaping Action
  ) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    self.examples = examples
    self.positionals = positionals
    self.options = options
    body = .action(action)
  }

  package init(_ name: String, _ abstract: String, discussion: [String] = [], subcommands: [Command]) {
    self.name = name
    self.abstract = abstract
    self.discussion = discussion
    examples = []
    positionals = []
    options = []
    body = .subcommands(subcommands)
  }

  package var subcommands: [Command] {
    guard case .subcommands(let commands) = body else { return [] }
    return commands
  }
}

/// An argument that is known by its place.
package struct Positional: Sendable, Hashable {
  package enum Count: Sendable, Hashable {
    case one, any, some
  }

  package let name: String
  package let count: Count
  package let help: String
  /// The words accepted; empty when any text is.
  package let choices: [String]

  package init(_ name: String, _ count: Count = .one, choices: [String] = [], help: String) {
    self.name = name
    self.count = count
    self.choices = choices
    self.help = help
  }

  var usage: String {
    switch count {
    case .one: name
    case .some: "\(name)..."
    case .any: "[\(name)...]"
    }
  }
}

/// An argument that is known by its name, `--name`.
package struct CommandOption: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// Present or not.
    case flag
    /// Any text.
    case text
    /// A whole number within bounds; the usual upper one leaves room to count with it.
    case number(atLeast: UInt64, atMost: UInt64 = 1_000_000_000_000)
    /// One of the words.
    case choice([String])
    /// Words separated by commas; of the words given here, unless there are none.
    case list([String])
  }

  package let name: String
  package let kind: Kind
  /// What stands for the value in the help text.
  package let valueName: String
  package let help: String
  package let isRequired: Bool
  package let isRepeatable: Bool
  /// The environment variable that stands in when the option is not given.
  package let variable: String?
  /// What is used when neither option nor variable is given; shown in the help text and returned as if given.
  package let standard: String?

  package init(
    _ name: String, _ kind: Kind, _ valueName: String = "", isRequired: Bool = false,
    isRepeatable: Bool = false,
    variable: String? = nil, standard: String? = nil, help: String
  ) {
    self.name = name
    self.kind = kind
    self.valueName = valueName
    self.help = help
    self.isRequired = isRequired
    self.isRepeatable = isRepeatable
    self.variable = variable
    self.standard = standard
  }

  var form: String { kind == .flag ? "--\(name)" : "--\(name) \(valueName)" }

  var usage: String {
    let text = isRequired ? form : "[\(form)]"
    return isRepeatable ? "\(text)..." : text
  }
}
