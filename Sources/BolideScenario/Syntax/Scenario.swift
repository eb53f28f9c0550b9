/// A scenario file as it was read: small values that remember where they stood.
package struct Scenario: Hashable, Sendable {
  package var path: String
  package var phases: [Phase] = []
  package var directives: [Directive] = []
  package var steps: [Step] = []
  package var payloads: [Payload] = []

  package init(path: String) { self.path = path }

  /// The first line of the comment that opens the file, if it opens with one.
  package var title: String? {
    guard let phase = phases.first else { return nil }
    let firstCode = (directives.map(\.position) + steps.map(\.position)).min()
    if let firstCode, firstCode < phase.position { return nil }
    return phase.lines.first { !$0.isEmpty }
  }

  /// The payload of that name, if the file carries one.
  package func payload(named name: String) -> Payload? { payloads.first { $0.name.text == name } }
}

/// A run of comment lines; it heads the steps below it.
package struct Phase: Hashable, Sendable {
  package var position: SourcePosition
  package var lines: [String]
}

/// A name and its place.
package struct Name: Hashable, Sendable {
  package var text: String
  package var position: SourcePosition
}

/// A line of the header such as `model FireballWatch`.
package struct Directive: Hashable, Sendable {
  /// The words that open a directive.
  package enum Word: String, CaseIterable, Hashable, Sendable {
    case requires, model, seed, clock, timezone, store, process, context
  }

  package var position: SourcePosition
  package var word: Word
  package var arguments: [Argument]
}

/// A file that stands at the end of a scenario.
package struct Payload: Hashable, Sendable {
  package var position: SourcePosition
  package var name: Name
  package var bytes: [UInt8]
}
