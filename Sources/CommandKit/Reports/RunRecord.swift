/// What a run came to, entry by entry: what the reports that are written to files are made from.
package struct RunRecord: Sendable, Equatable {
  /// One scenario, case or the like.
  package struct Entry: Sendable, Equatable {
    /// What the entry belongs to: a folder of scenarios, an area of rules.
    package var group: String
    package var name: String
    /// What the entry is about, in a line.
    package var detail: String
    package var outcome: Outcome
    /// What was left out although the entry ran.
    package var omissions: [String]
    /// Seconds from its start to its end.
    package var seconds: Double

    package init(
      group: String, name: String, detail: String, outcome: Outcome, omissions: [String] = [],
      seconds: Double = 0
    ) {
      self.group = group
      self.name = name
      self.detail = detail
      self.outcome = outcome
      self.omissions = omissions
      self.seconds = seconds
    }
  }

  package enum Outcome: Sendable, Equatable {
    case passed
    /// Did not run, or does not count, for that reason.
    case skipped(String)
    /// Failed: what went wrong in a line, and lines that show it.
    case failed(String, [Line])
  }

  /// A line of what a failure shows.
  package struct Line: Sendable, Equatable {
    package enum Kind: String, Sendable { case plain, expected, actual }

    package var kind: Kind
    package var text: String

    package init(_ kind: Kind, _ text: String) {
      self.kind = kind
      self.text = text
    }

    /// A line that stands neither for what was expected nor for what came.
    package init(_ text: String) { self.init(.plain, text) }
  }

  package var title: String
  package private(set) var entries: [Entry] = []

  package init(title: String) { self.title = title }

  package mutating func add(_ entry: Entry) { entries.append(entry) }

  /// The entries by group, both in the order in which they came.
  var groups: [(name: String, entries: [Entry])] {
    var order: [String] = []
    var members: [String: [Entry]] = [:]
    for entry in entries {
      if members[entry.group] == nil { order.append(entry.group) }
      members[entry.group, default: []].append(entry)
    }
    return order.map { ($0, members[$0] ?? []) }
  }
}

extension [RunRecord.Entry] {
  var passed: Int { count { $0.outcome == .passed } }
  var failed: Int { count { if case .failed = $0.outcome { true } else { false } } }
  var skipped: Int { count - passed - failed }
  var seconds: Double { reduce(0) { $0 + $1.seconds } }
}
