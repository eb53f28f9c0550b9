import Bolide
import BolideStorage
import Foundation

/// `watch`: a list that follows its data.
struct WatchVerb: Verb {
  static let usages = [
    VerbUsage(
      "watch", .context, "E sort=A,-B sections=A|DATE:day|due:DONE:DATE batch=N",
      "Makes a list that follows its data; days are those of the time zone, and due dates are seen from the clock.",
      prints: "`section \"name\"`, `  E#N` each, `N rows`", capture: .list, takesPredicate: true)
  ]

  private let entity: String
  private let sort: [String]
  private let sections: Sections?
  private let batch: Int
  private let predicate: PredicateText?

  /// How rows fall into sections.
  private enum Sections: Sendable {
    case attribute(String)
    case day(String)
    case due(done: String, date: String)

    init?(_ word: Name, of entity: String, checking step: inout StepReader) {
      let parts = word.text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let names: [String]
      switch parts.count {
      case 1:
        names = parts
        self = .attribute(parts[0])
      case 2 where parts[1] == "day":
        names = [parts[0]]
        self = .day(parts[0])
      case 3 where parts[0] == "due":
        names = Array(parts[1...])
        self = .due(done: parts[1], date: parts[2])
      default:
        step.arguments.report(
          "sections are `A`, `DATE:day` or `due:DONE:DATE`", at: word.position)
        return nil
      }
      for name in names {
        step.check(
          property: Name(text: String(name.prefix { $0 != "." }), position: word.position), of: entity)
      }
    }
  }

  init(_ step: inout StepReader) {
    entity = step.takeEntity()
    let terms = step.arguments.takeOptionTexts("sort") ?? []
    for term in terms {
      let path = term.text.drop { $0 == "-" }
      step.check(
        property: Name(text: String(path.prefix { $0 != "." }), position: term.position), of: entity)
    }
    sort = terms.map(\.text)
    if let word = step.arguments.takeOptionText("sections") {
      sections = Sections(word, of: entity, checking: &step)
    } else {
      sections = nil
    }
    batch = step.arguments.takeOptionCount("batch") ?? 0
    predicate = step.takePredicate(of: entity)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    var request = try session.request(entity, where: predicate, in: context)
    if !sort.isEmpty { request.sort = try SortTerm.list(parsing: sort.joined(separator: ",")) }
    var clock: TestClock?
    let rule: ResultsSections<ManagedObject>?
    switch sections {
    case nil: rule = nil
    case .attribute(let name)?: rule = .attribute(name)
    case .day(let name)?: rule = .day(name, in: session.timeZone)
    case .due(let done, let date)?:
      let time = session.clock
      let zone = session.timeZone
      clock = time
      rule = .by([done, date]) {
        DueSection(isDone: $0[0] == .bool(true), date: $0[1], now: time.now, in: zone)
      }
    }
    let list = try OpenList(
      request, sections: rule, batchSize: batch, clock: clock, in: context)
    session.capture(.list(list), as: step.capture)
    return try list.text()
  }
}

/// Where a to-do stands, seen from the clock; days are those of the time zone.
enum DueSection: Int, Comparable, CustomStringConvertible {
  case overdue, today, later, undated, done

  init(isDone: Bool, date: Value, now: Date, in zone: TimeZone) {
    guard !isDone else {
      self = .done
      return
    }
    guard case .date(let date) = date else {
      self = .undated
      return
    }
    func day(_ date: Date) -> Double {
      let seconds = date.timeIntervalSinceReferenceDate + Double(zone.secondsFromGMT(for: date))
      return (seconds / 86_400).rounded(.down)
    }
    self = date < now ? .overdue : day(date) == day(now) ? .today : .later
  }

  static func < (left: DueSection, right: DueSection) -> Bool { left.rawValue < right.rawValue }

  var description: String {
    switch self {
    case .overdue: "overdue"
    case .today: "today"
    case .later: "later"
    case .undated: "no date"
    case .done: "done"
    }
  }
}

/// `list`, `events`: what a list shows, and how it changed.
struct ListVerb: Verb {
  static let usages = [
    VerbUsage(
      "list", .context, "$C", "Shows a list as it is.",
      prints: "`section \"name\"`, `  E#N` each, `N rows`"),
    VerbUsage(
      "events", .context, "$C", "Shows the reports of a list since they were last shown.",
      prints:
        "`report N`, `  delete section S`, `  insert section S \"name\"`, "
        + "`  delete|insert|move|update E#N S/R [-> S/R]`; `no events`"),
  ]

  private let list: ObjectReference?

  init(_ step: inout StepReader) {
    list = step.takeReference()
    if let list, list.reference.entity != nil || list.reference.member != nil {
      step.arguments.report("`\(step.step.verb.text)` takes a captured list, such as `$C`", at: list.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard let list else { return [] }
    let open = try session.list(list)
    guard open.context === context else {
      throw BolideError(.referenceKind, "the list is one of the context \(open.context.name)")
    }
    return step.verb.text == "list" ? try open.text() : try open.drain()
  }
}
