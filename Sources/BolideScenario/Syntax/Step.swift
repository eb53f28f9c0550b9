/// One line that does something, with the rows and the expected text below it.
package struct Step: Hashable, Sendable {
  package var position: SourcePosition
  package var condition: StepCondition?
  package var subject: Name
  package var capture: Name?
  package var verb: Name
  package var arguments: [Argument] = []
  package var predicate: PredicateText?
  package var rows: [Row] = []
  package var block: Block?
  /// Index of the phase that the step belongs to.
  package var phase: Int?
  /// The line as it was written.
  package var source: String

  /// Whether the expected text is an error: then names and values may be wrong on purpose.
  package var expectsError: Bool { block?.lines.first?.hasPrefix("error ") == true }

  /// The last line of the step itself, before its block.
  package var lastLine: Int { rows.last?.position.line ?? position.line }
}

/// `[capability]` or `[!capability]` before a step.
package struct StepCondition: Hashable, Sendable {
  package var position: SourcePosition
  package var isNegated: Bool
  package var capability: Name
}

/// What follows `where`, unparsed: the predicate language is not this module's.
package struct PredicateText: Hashable, Sendable {
  package var position: SourcePosition
  package var text: String
}

/// An indented line of options under a step.
package struct Row: Hashable, Sendable {
  package var position: SourcePosition
  package var options: [Argument]
}

/// The expected text of a step, wildcards included.
package struct Block: Hashable, Sendable {
  /// The place of the `----` line.
  package var position: SourcePosition
  package var lines: [String]
}

/// `name=list`, or a list alone.
package struct Argument: Hashable, Sendable {
  package var position: SourcePosition
  package var name: Name?
  package var values: [Literal]
}
