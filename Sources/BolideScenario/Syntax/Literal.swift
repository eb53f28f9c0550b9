/// A literal or a reference, with its place.
package struct Literal: Hashable, Sendable {
  package var position: SourcePosition
  package var kind: Kind

  /// What a value can be, in the order in which the language tries them.
  ///
  /// Dates, uuids and numbers keep their text: they are read by the code that also prints them.
  package indirect enum Kind: Hashable, Sendable {
    case reference(Reference)
    case string(String)
    case expression(String)
    case date(String)
    case uuid(String)
    case duration(ScenarioDuration)
    case binary([UInt8])
    case number(String)
    case boolean(Bool)
    case null
    case word(String)
  }

  /// The text of a word, else nil.
  package var word: String? {
    if case .word(let text) = kind { text } else { nil }
  }

  /// The text of a word or a string, else nil: what names a file, a consumer or an author.
  package var text: String? {
    switch kind {
    case .word(let text), .string(let text): text
    default: nil
    }
  }
}

/// A signed span of time.
package struct ScenarioDuration: Hashable, Sendable {
  package var milliseconds: Int64

  /// The span in seconds.
  package var seconds: Double { Double(milliseconds) / 1000 }
}

/// Names an object, several objects, or a relationship of one.
package struct Reference: Hashable, Sendable {
  /// How the object is found.
  package enum Root: Hashable, Sendable {
    /// `$name`: what a step captured.
    case capture(String)
    /// `Entity#3`: by object number.
    case number(entity: String, UInt64)
    /// `Entity[a, b]`: by the first uniqueness constraint of the entity.
    case key(entity: String, [Literal])
    /// `Entity{…}`: by a predicate.
    case predicate(entity: String, PredicateText)
  }

  package var root: Root
  /// The relationship after the dot.
  package var member: Name?

  /// The entity that the reference names, unless it is a capture.
  package var entity: String? {
    switch root {
    case .capture: nil
    case .number(let entity, _), .key(let entity, _), .predicate(let entity, _): entity
    }
  }
}
