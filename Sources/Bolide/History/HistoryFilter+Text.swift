import BolideStorage

extension HistoryFilter {
  /// What a filter's text may name: a transaction's own properties, then those of its changes.
  package static let scope = FieldScope(
    of: "history",
    fields: [
      "number": .int64, "timestamp": .date, "author": .string, "contextName": .string, "context": .string,
      "processName": .string, "process": .string, "processID": .int64,
      "entity": .string, "kind": .string, "object": .reference,
    ])

  /// Reads the text form of a filter, such as `author != "importer" AND entity == "Fireball"`.
  ///
  /// - Throws: `predicate.syntax`, `predicate.unknown-path`, `predicate.type`, each with a column.
  public init(parsing text: String) throws(BolideError) {
    self.init(try Condition(parsing: text, in: Self.scope))
  }
}
