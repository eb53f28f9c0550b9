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
    policy = step.arguments.takePolicy().map(MergePolicy.init)
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

/// What `batch-update` and `batch-delete` print: Core Data's result types.
enum ShownResult: Sendable {
  case counts, status, count, ids

  static let words: KeyValuePairs<String, ShownResult> = [
    "counts": .counts, "status": .status, "count": .count, "ids": .ids,
  ]

  /// The lines for a result; `counts` is what is printed unless asked otherwise.
  func lines(_ counts: String, _ ids: ManagedObjectIDs) -> [String] {
    switch self {
    case .counts: [counts]
    case .status: [ids.isEmpty ? "nothing changed" : "changed"]
    case .count: ["\(ids.count)"]
    case .ids: ids.isEmpty ? ["no ids"] : ids.map(\.description)
    }
  }
}

/// `batch-update`: new values for many objects in one transaction.
struct BatchUpdateVerb: Verb {
  static let usages = [
    VerbUsage(
      "batch-update", .context, "E NAME=VALUE|NAME=`EXPRESSION`… show=counts|status|count|ids",
      "Sets attributes of all objects, or of those that match, to constants or to what is computed from each row.",
      prints: "`updated N  unchanged N`, `transaction N  author A` or `no transaction`", takesPredicate: true)
  ]

  private let entity: String
  private let assignments: [Assignment]
  private let expressions: [String: RowExpression]
  private let predicate: PredicateText?
  private let shown: ShownResult

  init(_ step: inout StepReader) {
    entity = step.takeEntity()
    shown = step.arguments.takeOptionChoice("show", ShownResult.words) ?? .counts
    let all = step.takeAssignments(of: entity)
    if all.isEmpty { step.arguments.report("`batch-update` needs `NAME=VALUE`") }
    var expressions: [String: RowExpression] = [:]
    for assignment in all {
      guard let literal = assignment.literals.first, case .expression(let text) = literal.kind else {
        continue
      }
      if let expression = step.expression(text, at: literal.position, for: assignment.name, of: entity) {
        expressions[assignment.name] = expression
      }
    }
    self.expressions = expressions
    assignments = all.filter { expressions[$0.name] == nil }
    predicate = step.takePredicate(of: entity)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let map = try session.entity(entity)
    var values: [String: Value] = [:]
    for assignment in assignments { values[assignment.name] = try session.value(of: assignment, in: map) }
    let condition = try session.condition(predicate, of: entity)
    let result = try context.context.execute(
      BatchUpdateRequest(entity: entity, values: values, expressions: expressions, where: condition))
    return shown.lines("updated \(result.count)  unchanged \(result.unchanged.count)", result.updated)
      + [TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor)]
  }
}

/// `batch-delete`: deletes many objects in one transaction.
struct BatchDeleteVerb: Verb {
  static let usages = [
    VerbUsage(
      "batch-delete", .context, "REFS|E show=counts|status|count|ids",
      "Deletes objects without loading them, by id or by predicate.",
      prints: "`deleted N`, `transaction N  author A` or `no transaction`", takesPredicate: true)
  ]

  private let selection: Selection
  private let shown: ShownResult

  init(_ step: inout StepReader) {
    shown = step.arguments.takeOptionChoice("show", ShownResult.words) ?? .counts
    selection = Selection(&step)
  }

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
    return shown.lines("deleted \(result.count)", result.deleted)
      + [TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor)]
  }
}
