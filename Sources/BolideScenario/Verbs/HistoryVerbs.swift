import Bolide
import BolideStorage

/// A place in history: `after=$t`, `before=3` or `after=2020-12-10T00:00:00Z`.
enum HistoryAnchor: Sendable {
  case start
  case capture(ObjectReference)
  case number(UInt64)
  case date(String)

  init?(_ step: inout StepReader, _ option: String = "after") {
    guard let literal = step.arguments.takeOptionValue(option) else { return nil }
    switch literal.kind {
    case .word("start"): self = .start
    case .date(let text): self = .date(text)
    case .number(let text) where UInt64(text) != nil: self = .number(UInt64(text) ?? 0)
    case .reference(let reference) where reference.entity == nil && reference.member == nil:
      self = .capture(ObjectReference(reference: reference, position: literal.position))
    default:
      step.arguments.report(
        "`\(option)=` takes a captured token, a number, a date or `start`", at: literal.position)
      return nil
    }
  }
}

/// `history`: what was written, by whom.
struct HistoryVerb: Verb {
  static let usages = [
    VerbUsage(
      "history", .context, "after=$T|N|DATE show=transactions|changes|ids|count",
      "Shows transactions in commit order with their changes.",
      prints: "`transaction N  DATE  author A  context C`, then `  insert E#N`, `  update E#N  props`, "
        + "`  delete E#N  key value`; `N transactions  N changes`",
      takesPredicate: true)
  ]

  private let anchor: HistoryAnchor
  private let shown: PersistentHistoryRequest.ResultType
  private let predicate: PredicateText?

  init(_ step: inout StepReader) {
    anchor = HistoryAnchor(&step) ?? .start
    shown =
      step.arguments.takeOptionChoice(
        "show",
        [
          "transactions": .transactions, "changes": .changes, "ids": .ids, "count": .count,
        ]) ?? .transactionsAndChanges
    predicate = step.takeHistoryPredicate()
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    // The totals are part of every form, so the changes are always read.
    let request = PersistentHistoryRequest(
      after: try session.anchor(anchor), where: try session.filter(predicate))
    // Not from the context, which may be pinned: history tells what is new, whatever the context sees.
    let result = try session.container(of: context).history(request)
    var lines: [String] = []
    if shown == .ids {
      lines = result.objectIDs.map(\.description)
    } else if shown != .count {
      for transaction in result.transactions {
        if shown != .changes { lines.append(CanonicalText.text(transaction)) }
        if shown != .transactions { lines += transaction.changes.map { "  " + CanonicalText.text($0) } }
      }
    }
    return lines + ["\(result.transactions.count) transactions  \(result.changes.count) changes"]
  }
}

/// `merge`: applies what others wrote to a context and moves its position.
struct MergeVerb: Verb {
  static let usages = [
    VerbUsage(
      "merge", .context, "after=$T|N|DATE consumer=NAME",
      "Applies the transactions after the context's position, or after a consumer's, which then moves.",
      prints: "`transaction N  author A  inserted N  updated N  deleted N` each, `position N`",
      takesPredicate: true)
  ]

  private let anchor: HistoryAnchor?
  private let consumer: Name?
  private let predicate: PredicateText?

  init(_ step: inout StepReader) {
    anchor = HistoryAnchor(&step)
    consumer = step.arguments.takeOptionText("consumer")
    if let consumer, anchor != nil {
      step.arguments.report("`merge` takes `after=` or `consumer=`, not both", at: consumer.position)
    }
    predicate = step.takeHistoryPredicate()
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let container = try session.container(of: context)
    let position = try consumer.map { try container.registerConsumer($0.text).position } ?? context.position
    let start = try anchor.map { try session.anchor($0) } ?? position.map { .token($0) } ?? .start
    let result = try container.history(
      PersistentHistoryRequest(after: start, where: try session.filter(predicate)))
    let held = Set(context.context.registeredObjects.map(\.objectID))
    var lines: [String] = []
    for transaction in result.transactions {
      for change in transaction.changes where change.kind == .delete && held.contains(change.objectID) {
        context.gone.insert(change.objectID)
      }
      let counts = try context.context.mergeChanges(from: transaction)
      lines.append(
        "transaction \(transaction.number)  author \(TranscriptText.quoted(transaction.author))  "
          + TranscriptText.counts(counts.inserted, counts.updated, counts.deleted))
    }
    // Only now: what was not applied must be met again (rule H-6).
    if let consumer { try container.advanceConsumer(consumer.text, to: result.scannedThrough) }
    context.position = result.scannedThrough
    return lines + ["position \(result.scannedThrough.number)"]
  }
}

/// `token`, `save-token`, `load-token`: places in history.
struct TokenVerb: Verb {
  static let usages = [
    VerbUsage(
      "token", .context, "", "Names the newest place in history.", prints: "`token N`", capture: .token),
    VerbUsage(
      "save-token", .context, "FILE", "Writes the context's position to a file.", prints: "`token N`"),
    VerbUsage(
      "load-token", .context, "FILE", "Sets the context's position from a file; without one, to the start.",
      prints: "`token N`, `no token` or `damaged token set aside`"),
  ]

  private let file: Name?

  init(_ step: inout StepReader) {
    file = step.step.verb.text == "token" ? nil : step.takeScratchFile()
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard let file else {
      let token = try session.container(of: context).currentToken()
      session.capture(.token(token), as: step.capture)
      return ["token \(token.number)"]
    }
    let tokens = session.tokenFile(file.text)
    if step.verb.text == "save-token" {
      let position = try context.position ?? session.startToken(of: context)
      try tokens.save(position)
      return ["token \(position.number)"]
    }
    switch try tokens.load() {
    case .token(let token):
      context.position = token
      return ["token \(token.number)"]
    case .missing:
      context.position = nil
      return ["no token"]
    case .damaged:
      context.position = nil
      return ["damaged token set aside"]
    }
  }
}
