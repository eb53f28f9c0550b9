import Bolide
import BolideStorage

/// `insert`: new objects in a context.
struct InsertVerb: Verb {
  static let usages = [
    VerbUsage(
      "insert", .context, "E NAME=VALUE…", "Makes an object, or one a row.",
      prints: "`E#new1` each", capture: .objects, takesRows: true)
  ]

  private let entity: String
  private let records: [[Assignment]]

  init(_ step: inout StepReader) {
    let entity = step.takeEntity()
    let options = step.takeAssignments(of: entity)
    let rows = step.step.rows
    if !options.isEmpty, let row = rows.first {
      step.report(.rowShape, "give options or rows, not both", at: row.position)
    }
    self.entity = entity
    records = rows.isEmpty ? [options] : rows.map { Assignment.list($0.options, of: entity, checking: &step) }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    var objects: [ManagedObject] = []
    for record in records {
      let object = try context.context.insert(entity)
      // What cannot be filled is no object: the step leaves nothing behind.
      do {
        _ = try session.assign(record, to: object, in: context)
      } catch {
        context.context.delete(object)
        for other in objects { context.context.delete(other) }
        throw error
      }
      objects.append(object)
    }
    session.capture(.objects(objects, in: context), as: step.capture)
    return objects.map { "\($0.objectID)" }
  }
}

/// `set`: new values for objects of a context.
struct SetVerb: Verb {
  static let usages = [
    VerbUsage(
      "set", .context, "REFS NAME=VALUE…", "Gives properties of objects new values.",
      prints: "`changed N  unchanged N`")
  ]

  private let references: [ObjectReference]
  private let assignments: [Assignment]

  init(_ step: inout StepReader) {
    references = step.takeReferences()
    let entities = Set(references.compactMap(\.reference.entity))
    assignments = step.takeAssignments(of: entities.count == 1 ? entities.first : nil)
    if assignments.isEmpty { step.arguments.report("`set` needs `NAME=VALUE`") }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    var (changed, unchanged) = (0, 0)
    for object in try session.objects(references, in: context) {
      if try session.assign(assignments, to: object, in: context) { changed += 1 } else { unchanged += 1 }
    }
    return ["changed \(changed)  unchanged \(unchanged)"]
  }
}

/// `delete`: marks objects of a context for deletion.
struct DeleteVerb: Verb {
  static let usages = [
    VerbUsage(
      "delete", .context, "REFS|E", "Marks objects for deletion, all of an entity or those that match.",
      prints: "`deleted N`", takesPredicate: true)
  ]

  private let selection: Selection

  init(_ step: inout StepReader) { selection = Selection(&step) }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let objects: [ManagedObject]
    switch selection {
    case .references(let references): objects = try session.objects(references, in: context)
    case .entity(let entity, let predicate):
      objects = try session.fetch(entity, where: predicate, in: context)
    }
    for object in objects { context.context.delete(object) }
    return ["deleted \(objects.count)"]
  }
}

/// Objects by references, or all of an entity that match.
enum Selection: Sendable {
  case references([ObjectReference])
  case entity(String, where: PredicateText?)

  init(_ step: inout StepReader) {
    if case .word? = step.step.arguments.first(where: { $0.name == nil })?.values.first?.kind {
      let entity = step.takeEntity()
      self = .entity(entity, where: step.takePredicate(of: entity))
      return
    }
    self = .references(step.takeReferences())
    if let predicate = step.step.predicate {
      step.report(.predicate, "`where` follows an entity, not objects", at: predicate.position)
    }
  }
}

/// `add`, `remove`, `replace`: the members of a to-many relationship.
struct MembersVerb: Verb {
  static let usages = [
    VerbUsage(
      "add", .context, "REF.REL REFS", "Adds members to a relationship.", prints: "`added N  removed N`"),
    VerbUsage(
      "remove", .context, "REF.REL REFS", "Takes members out of a relationship.",
      prints: "`added N  removed N`"),
    VerbUsage(
      "replace", .context, "REF.REL [REFS]", "Makes the members exactly these; none without REFS.",
      prints: "`added N  removed N`"),
  ]

  private let owner: ObjectReference?
  private let relationship: String
  private let members: [ObjectReference]

  init(_ step: inout StepReader) {
    var owner = step.takeReference()
    relationship = owner?.reference.member?.text ?? ""
    if let owner, owner.reference.member == nil {
      step.arguments.report("the relationship is missing: `$a.fireballs`", at: owner.position)
    }
    owner?.reference.member = nil
    self.owner = owner
    let isReplace = step.step.verb.text == "replace"
    members = isReplace && !step.arguments.hasList ? [] : step.takeReferences()
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard let owner else { return [] }
    let object = try session.object(owner, in: context)
    let members = try session.objects(members, in: context)
    let counts: (added: Int, removed: Int)
    switch step.verb.text {
    case "add": counts = (try object.addObjects(members, for: relationship), 0)
    case "remove": counts = (0, try object.removeObjects(members, for: relationship))
    default: counts = try object.replaceObjects(members, for: relationship)
    }
    return ["added \(counts.added)  removed \(counts.removed)"]
  }
}

/// `get`: what a context holds of an object.
struct GetVerb: Verb {
  static let usages = [
    VerbUsage(
      "get", .context, "REF columns=A,B", "Shows an object as the context holds it, without fetching.",
      prints: "`E#N  column value…` or `E#N  deleted`")
  ]

  private let reference: ObjectReference?
  private let columns: [String]

  init(_ step: inout StepReader) {
    reference = step.takeReference()
    columns = step.takeColumns(of: reference?.reference.entity)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard let reference else { return [] }
    let object: ManagedObject
    do {
      object = try session.object(reference, in: context)
    } catch let error as BolideError {
      guard let id = session.deletedID(reference, error, in: context) else { throw error }
      return ["\(id)  deleted"]
    }
    if object.isDeleted || object.isInaccessible { return ["\(object.objectID)  deleted"] }
    let entity = try session.entity(object.entityName)
    let names = columns.isEmpty ? entity.attributes.map(\.name) : columns
    let values = try names.map { "\($0) \(try session.text(of: $0, in: object))" }
    return [(["\(object.objectID)"] + values).joined(separator: "  ")]
  }
}

/// `count`: how many objects of an entity there are.
struct CountVerb: Verb {
  static let usages = [
    VerbUsage(
      "count", .context, "E limit=N offset=N subentities=yes|no",
      "Counts the objects that a fetch would give.", prints: "`N`", takesPredicate: true)
  ]

  private let entity: String
  private let limit: Int?
  private let offset: Int
  private let includesSubentities: Bool
  private let predicate: PredicateText?

  init(_ step: inout StepReader) {
    entity = step.takeEntity()
    limit = step.arguments.takeOptionCount("limit")
    offset = step.arguments.takeOptionCount("offset") ?? 0
    includesSubentities = step.arguments.takeOptionChoice("subentities", ["yes": true, "no": false]) ?? true
    predicate = step.takePredicate(of: entity)
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    var request = try session.request(entity, where: predicate, in: context)
    request.limit = limit
    request.offset = offset
    request.includesSubentities = includesSubentities
    return ["\(try context.context.count(for: request))"]
  }
}
