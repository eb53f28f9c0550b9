import CommandKit

/// All verbs of the language.
package enum VerbTable {
  /// One type a verb or a family of verbs.
  static let types: [any Verb.Type] = [
    InsertVerb.self, SetVerb.self, DeleteVerb.self, MembersVerb.self, GetVerb.self, FetchVerb.self,
    CountVerb.self, SaveVerb.self, DropVerb.self, RefreshVerb.self, BatchInsertVerb.self,
    BatchUpdateVerb.self, BatchDeleteVerb.self, DownloadVerb.self, HistoryVerb.self, MergeVerb.self,
    TokenVerb.self, PinVerb.self, ObtainIDsVerb.self, ChangedVerb.self, MergeIDsVerb.self, WatchVerb.self,
    ListVerb.self, ReopenVerb.self, DamageVerb.self,
    DiskVerb.self, SignalsVerb.self, ClockVerb.self,
    PurgeVerb.self, ConsumerVerb.self, ResyncVerb.self, InspectVerb.self, ProcessVerb.self,
  ]

  /// Every verb that can run, context verbs first.
  package static let usages: [VerbUsage] = types.flatMap { $0.usages }

  /// The usage of a verb, if it can run.
  package static func usage(_ name: String) -> VerbUsage? { usages.first { $0.name == name } }

  /// The table as text, for people.
  package static func text() -> String {
    var result = ""
    for subject in [VerbUsage.Subject.context, .store, .process] {
      result += "\(subject.rawValue)\n"
      for usage in usages where usage.subject == subject {
        result += "  \(usage.line)\n      \(usage.summary) Prints \(usage.prints).\n"
      }
    }
    return result
  }

  /// The verb of a step, its arguments read; nil when the step does not make sense.
  static func read(_ reader: inout StepReader) -> (any Verb)? {
    let name = reader.step.verb.text
    guard let type = types.first(where: { $0.usages.contains { $0.name == name } }),
      let usage = usage(name)
    else {
      let names = usages.map(\.name)
      let hint = Suggestion.nearest(to: name, among: names).map { "; did you mean `\($0)`?" } ?? ""
      reader.report(.unknownVerb, "there is no verb `\(name)`\(hint)", at: reader.step.verb.position)
      return nil
    }
    reader.check(usage)
    let verb = type.init(&reader)
    reader.finish()
    return reader.problems.isEmpty ? verb : nil
  }
}
