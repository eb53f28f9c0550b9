import Bolide
import BolideStorage

/// `obtain-ids`: new objects get the ids that they keep.
struct ObtainIDsVerb: Verb {
  static let usages = [
    VerbUsage(
      "obtain-ids", .context, "REFS", "Gives new objects the ids that they will have once they are saved.",
      prints: "`E#N` each")
  ]

  private let references: [ObjectReference]

  init(_ step: inout StepReader) { references = step.takeReferences() }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let objects = try session.objects(references, in: context)
    try context.context.obtainPermanentIDs(for: objects)
    return objects.map(\.objectID.description)
  }
}

/// `changed`: the unsaved values of objects.
struct ChangedVerb: Verb {
  static let usages = [
    VerbUsage(
      "changed", .context, "REFS", "Shows what differs from the stored values, members included.",
      prints: "`E#N  column value…` or `E#N  nothing`")
  ]

  private let references: [ObjectReference]

  init(_ step: inout StepReader) { references = step.takeReferences() }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    return try session.objects(references, in: context).map { object in
      let values = try object.changedValues().keys.sorted().map {
        "\($0) \(try session.text(of: $0, in: object))"
      }
      return (["\(object.objectID)"] + (values.isEmpty ? ["nothing"] : values)).joined(separator: "  ")
    }
  }
}

/// `merge-ids`: what is known of changes by ids alone.
struct MergeIDsVerb: Verb {
  static let usages = [
    VerbUsage(
      "merge-ids", .context, "inserted|updated|deleted REFS",
      "Merges what happened to objects by their ids, as a batch request tells them.", prints: "`merged N`")
  ]

  private let kind: Kind?
  private let references: [ObjectReference]

  private enum Kind: String, CaseIterable { case inserted, updated, deleted }

  init(_ step: inout StepReader) {
    let word = step.arguments.takeText("`inserted`, `updated` or `deleted`")
    kind = word.flatMap { Kind(rawValue: $0.text) }
    if let word, kind == nil {
      step.arguments.report("`merge-ids` takes `inserted`, `updated` or `deleted` here", at: word.position)
    }
    references = step.takeReferences()
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    let ids = Set(try session.ids(references, in: context))
    let changes =
      switch kind {
      case .inserted?: ObjectIDChanges(inserted: ids)
      case .deleted?: ObjectIDChanges(deleted: ids)
      case .updated?, nil: ObjectIDChanges(updated: ids)
      }
    try ManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [context.context])
    return ["merged \(ids.count)"]
  }
}
