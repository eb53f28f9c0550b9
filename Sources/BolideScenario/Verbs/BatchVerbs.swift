import Bolide
import BolideStorage

/// `batch-insert`: many records in one transaction.
struct BatchInsertVerb: Verb {
  static let usages = [
    VerbUsage(
      "batch-insert", .context, "E from=FILE absent=keep|default policy=P",
      "Inserts records without objects; FILE is a JSON array of objects.",
      prints: "`inserted N  updated N  unchanged N`, `transaction N  author A` or `no transaction`",
      takesRows: true)
  ]

  private let entity: String
  private let file: String?
  private let absent: AbsentRule
  private let policy: MergePolicy?
  private let records: [[Assignment]]

  init(_ step: inout StepReader) {
    let entity = step.takeEntity()
    let source = step.arguments.takeOptionText("from")
    file = source?.text == "rows" ? nil : source?.text
    absent = step.arguments.takeOptionChoice("absent", ["keep": .keep, "default": .default]) ?? .keep
    policy = step.arguments.takeOptionChoice("policy", MergePolicy.words)
    self.entity = entity
    records = step.step.rows.map { Assignment.list($0.options, of: entity, checking: &step) }
    if source == nil, records.isEmpty { step.arguments.report("`batch-insert` needs rows or `from=FILE`") }
    if file != nil, let row = step.step.rows.first {
      step.report(.rowShape, "give rows or `from=FILE`, not both", at: row.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let map = try session.entity(entity)
    let rows: [[String: Value]]
    if let file {
      rows = try RecordFile.records(in: try session.bytes(of: file), file: file, entity: map)
    } else {
      rows = try records.map { record in
        var values: [String: Value] = [:]
        for assignment in record { values[assignment.name] = try session.value(of: assignment, in: map) }
        return values
      }
    }
    let request = BatchInsertRequest(entity: entity, records: rows, absent: absent)
    let result = try context.with(policy) { try $0.execute(request) }
    return [
      "inserted \(result.inserted.count)  updated \(result.updated.count)  unchanged \(result.unchanged.count)",
      TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor),
    ]
  }
}

/// `batch-update`: new values for many objects in one transaction.
struct BatchUpdateVerb: Verb {
  static let usages = [
    VerbUsage(
      "batch-update", .context, "E NAME=VALUE…", "Sets attributes of all objects, or of those that match.",
      prints: "`updated N  unchanged N`, `transaction N  author A` or `no transaction`", takesPredicate: true)
  ]

  private let entity: String
  private let assignments: [Assignment]
  private let predicate: PredicateText?

  init(_ step: inout StepReader) {
    entity = step.takeEntity()
    assignments = step.takeAssignments(of: entity)
    if assignments.isEmpty { step.arguments.report("`batch-update` needs `NAME=VALUE`") }
    for literal in assignments.flatMap(\.literals) {
      if case .expression = literal.kind {
        step.report(
          .unsupportedVerb, "expressions over the row cannot run yet; give a constant",
          at: literal.position)
      }
    }
    predicate = step.takePredicate(of: entity)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let map = try session.entity(entity)
    var values: [String: Value] = [:]
    for assignment in assignments { values[assignment.name] = try session.value(of: assignment, in: map) }
    let condition = try session.condition(predicate, of: entity)
    let result = try context.context.execute(
      BatchUpdateRequest(entity: entity, values: values, where: condition))
    return [
      "updated \(result.updated.count)  unchanged \(result.unchanged.count)",
      TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor),
    ]
  }
}

/// `batch-delete`: deletes many objects in one transaction.
struct BatchDeleteVerb: Verb {
  static let usages = [
    VerbUsage(
      "batch-delete", .context, "REFS|E", "Deletes objects without loading them, by id or by predicate.",
      prints: "`deleted N`, `transaction N  author A` or `no transaction`", takesPredicate: true)
  ]

  private let selection: Selection

  init(_ step: inout StepReader) { selection = Selection(&step) }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let request: BatchDeleteRequest
    switch selection {
    case .references(let references):
      request = BatchDeleteRequest(ids: try session.objects(references, in: context).map(\.objectID))
    case .entity(let entity, let predicate):
      request = BatchDeleteRequest(entity: entity, where: try session.condition(predicate, of: entity))
    }
    let result = try context.context.execute(request)
    return [
      "deleted \(result.deleted.count)",
      TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor),
    ]
  }
}
