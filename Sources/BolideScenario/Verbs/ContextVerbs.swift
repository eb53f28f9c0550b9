import Bolide
import BolideStorage

/// `save`: writes what a context changed.
struct SaveVerb: Verb {
  static let usages = [
    VerbUsage(
      "save", .context, "policy=error|object-trump|store-trump|overwrite|rollback",
      "Writes the changes in one transaction.",
      prints: "`inserted N  updated N  deleted N`, `transaction N  author A`, or `nothing to save`")
  ]

  private let policy: MergePolicy?

  init(_ step: inout StepReader) {
    policy = step.arguments.takePolicy().map(MergePolicy.init)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard context.context.hasChanges else { return ["nothing to save"] }
    let result = try context.with(policy) { try $0.save() }
    return [
      TranscriptText.counts(result.inserted, result.updated, result.deleted),
      TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor),
    ]
  }
}

extension MergePolicy {
  /// The policy that a scenario names.
  init(_ policy: Declarations.Policy) {
    switch policy {
    case .error: self = .error
    case .objectTrump: self = .objectTrump
    case .storeTrump: self = .storeTrump
    case .overwrite: self = .overwrite
    case .rollback: self = .rollback
    }
  }
}

/// `rollback`, `reset`: drop what a context changed, or all it holds.
struct DropVerb: Verb {
  static let usages = [
    VerbUsage("rollback", .context, "", "Drops unsaved changes.", prints: "`ok`"),
    VerbUsage(
      "reset", .context, "", "Drops unsaved changes and every object the context holds.", prints: "`ok`"),
  ]

  init(_ step: inout StepReader) {}

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    if step.verb.text == "rollback" {
      context.context.rollback()
    } else {
      try context.context.reset()
      session.release(context)
      context.gone = []
    }
    return ["ok"]
  }
}

/// `refresh`: reads objects again.
struct RefreshVerb: Verb {
  static let usages = [
    VerbUsage(
      "refresh", .context, "REFS merge=yes|no", "Reads objects again; with merge=yes unsaved edits stay.",
      prints: "`refreshed N`")
  ]

  private let references: [ObjectReference]
  private let merges: Bool

  init(_ step: inout StepReader) {
    references = step.takeReferences()
    merges = step.arguments.takeOptionChoice("merge", ["yes": true, "no": false]) ?? true
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let objects = try session.objects(references, in: context)
    for object in objects { context.context.refresh(object, mergeChanges: merges) }
    return ["refreshed \(objects.count)"]
  }
}

/// `pin`, `unpin`: the generation a context reads.
struct PinVerb: Verb {
  static let usages = [
    VerbUsage(
      "pin", .context, "[$G]", "Pins the context to the newest generation, or to a captured one.",
      prints: "`pinned at N`", capture: .generation),
    VerbUsage("unpin", .context, "", "Lets the context read the newest state again.", prints: "`unpinned`"),
  ]

  private let source: ObjectReference?

  init(_ step: inout StepReader) {
    source = step.step.verb.text == "pin" && step.arguments.hasList ? step.takeReference() : nil
    if let source, source.reference.entity != nil || source.reference.member != nil {
      step.arguments.report("`pin` takes a captured generation, such as `$G`", at: source.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard step.verb.text == "pin" else {
      try context.context.setQueryGeneration(from: .unpinned)
      return ["unpinned"]
    }
    let choice = try source.map { QueryGeneration.Choice.generation(try session.generation($0)) } ?? .current
    try context.context.setQueryGeneration(from: choice)
    if let generation = context.context.queryGeneration {
      session.capture(.generation(generation), as: step.capture)
    }
    return ["pinned at \(try session.head(of: context))"]
  }
}
