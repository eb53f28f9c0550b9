import Bolide
import BolideStorage
import Foundation

/// `reopen`, `crash`: closes the store and opens it again; saved data stay, everything else goes.
struct ReopenVerb: Verb {
  static let usages = [
    VerbUsage(
      "reopen", .store, "model=NAME history=on|off", "Closes the store and opens it again.", prints: "`ok`"),
    VerbUsage(
      "crash", .store, "", "Drops the open store without closing it and opens it again.", prints: "`ok`"),
  ]

  private let model: String?
  private let keepsHistory: Bool?

  init(_ step: inout StepReader) {
    let isReopen = step.step.verb.text == "reopen"
    model = isReopen ? step.arguments.takeOptionText("model")?.text : nil
    keepsHistory = isReopen ? step.arguments.takeOptionChoice("history", ["on": true, "off": false]) : nil
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    try session.reopen(model: model, keepsHistory: keepsHistory, closing: step.verb.text == "reopen")
    return ["ok"]
  }
}

/// `signals`: whether a store called since the last time.
struct SignalsVerb: Verb {
  static let usages = [
    VerbUsage(
      "signals", .store, "", "Tells whether the store signalled a change, and forgets it.",
      prints: "`signalled up to N` or `no signal`")
  ]

  init(_ step: inout StepReader) {}

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    guard session.drainSignals() else { return ["no signal"] }
    return ["signalled up to \(try session.mainContainer().currentToken().number)"]
  }
}

/// `purge`: drops old history.
struct PurgeVerb: Verb {
  static let usages = [
    VerbUsage(
      "purge", .store, "before=$T|N|DATE | consumed",
      "Drops the history before a place, or what every consumer has applied; data stay.", prints: "`purged N`"
    )
  ]

  private let anchor: HistoryAnchor?
  private let isConsumed: Bool

  init(_ step: inout StepReader) {
    if let argument = step.arguments.takeOptionalList() {
      isConsumed = argument.values.count == 1 && argument.values.first?.word == "consumed"
      anchor = nil
      if !isConsumed { step.arguments.report("`purge` takes `before=` or `consumed`", at: argument.position) }
      return
    }
    isConsumed = false
    anchor = HistoryAnchor(&step, "before")
    if anchor == nil, step.problems.isEmpty { step.arguments.report("`purge` needs `before=` or `consumed`") }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    if isConsumed { return ["purged \(try session.mainContainer().purgeConsumedHistory())"] }
    guard let anchor else { return [] }
    let limit: PersistentContainer.PurgeLimit =
      switch try session.anchor(anchor) {
      case .start: .number(0)
      case .token(let token): .token(token)
      case .number(let number): .number(number)
      case .date(let date): .date(date)
      }
    return ["purged \(try session.mainContainer().purgeHistory(before: limit))"]
  }
}

/// `resync`: a full look at the store and a fresh token.
struct ResyncVerb: Verb {
  static let usages = [
    VerbUsage(
      "resync", .store, "", "Counts all objects of a fresh snapshot and names its place in history.",
      prints: "`N objects  token N`", capture: .token)
  ]

  init(_ step: inout StepReader) {}

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let container = try session.mainContainer()
    let generation = try container.resync()
    session.capture(.token(generation.token), as: step.capture)
    let context = container.newContext()
    try context.setQueryGeneration(from: .generation(generation))
    // Parents count their sub-entities in, so only the top of each inheritance is asked.
    let roots = container.schema.entities.filter { $0.parent == nil }
    let count = try roots.reduce(0) {
      try $0 + context.count(for: FetchRequest<ManagedObject>(entity: $1.name))
    }
    return ["\(count) objects  token \(generation.token.number)"]
  }
}

/// `clock`: sets or moves the injected clock.
struct ClockVerb: Verb {
  static let usages = [
    VerbUsage("clock", .store, "TIME|±DURATION", "Sets or moves the clock.", prints: "the time")
  ]

  private let time: Literal?

  init(_ step: inout StepReader) {
    time = step.arguments.takeValue("a date or a duration")
    switch time?.kind {
    case .date?, .duration?, nil: break
    default:
      step.arguments.report(
        "`clock` takes a date, or a duration such as +5m", at: time?.position ?? step.step.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    switch time?.kind {
    case .date(let text): session.clock.now = try session.date(text)
    case .duration(let duration): session.clock.now += duration.seconds
    default: break
    }
    return [CanonicalText.text(session.clock.now)]
  }
}

/// `check`, `dump`: the store as a whole.
struct InspectVerb: Verb {
  static let usages = [
    VerbUsage(
      "check", .store, "", "Checks the consistency of rows, links, counts and history.",
      prints: "`consistent` or the problems"),
    VerbUsage(
      "dump", .store, "[E] at=$G",
      "Shows all rows, links and history, or one entity; at=$G those of a generation that was captured.",
      prints: "canonical text"),
  ]

  private let entity: String?
  private let generation: ObjectReference?

  init(_ step: inout StepReader) {
    let isDump = step.step.verb.text == "dump"
    entity = isDump && step.arguments.hasList ? step.takeEntity() : nil
    let argument = isDump ? step.arguments.takeOptionValue("at") : nil
    if case .reference(let reference)? = argument?.kind, let position = argument?.position {
      generation = ObjectReference(reference: reference, position: position)
    } else {
      generation = nil
      if let argument {
        step.arguments.report("`at` takes a captured generation, such as `$G`", at: argument.position)
      }
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let container = try session.mainContainer()
    if step.verb.text == "check" {
      let problems = try container.check()
      return problems.isEmpty ? ["consistent"] : problems
    }
    var lines: [String] = []
    let state = try generation.map { try session.generation($0) }
    try container.dump(entity: entity, at: state) { lines.append($0) }
    return lines.isEmpty ? ["empty"] : lines
  }
}

/// `start`, `exit`, `kill`: declared processes, each with the store opened on its own.
struct ProcessVerb: Verb {
  static let usages = [
    VerbUsage("start", .process, "", "Opens the store in the process.", prints: "`ok`"),
    VerbUsage("exit", .process, "", "Closes the store in the process.", prints: "`ok`"),
    VerbUsage("kill", .process, "", "Ends the process without closing the store.", prints: "`ok`"),
  ]

  init(_ step: inout StepReader) {}

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    switch step.verb.text {
    case "start": try session.start(step.subject.text)
    case "exit": try session.end(step.subject.text, closing: true)
    default: try session.end(step.subject.text, closing: false)
    }
    return ["ok"]
  }
}
