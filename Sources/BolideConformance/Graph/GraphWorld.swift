import Bolide
import BolideStorage
import Foundation

/// One store with three contexts and their lists, to which the rounds happen.
final class GraphWorld {
  /// What a store did that it must not.
  struct Problem: Error {
    var lines: [String]
  }

  private final class Seat {
    let context: ManagedObjectContext
    var lists: [FollowedList] = []
    /// What was merged by history.
    var position: PersistentHistoryToken

    init(_ context: ManagedObjectContext, at position: PersistentHistoryToken) {
      self.context = context
      self.position = position
    }
  }

  private let container: PersistentContainer
  private let seats: [Seat]
  /// What happened, line by line: the same on every store.
  private(set) var transcript: [String] = []

  /// A context that never pins unless told so, one that is pinned, and one that merges by itself; each has a policy of
  /// its own.
  init(_ container: PersistentContainer) throws {
    self.container = container
    let position = try container.currentToken()
    seats = [("view", MergePolicy.objectTrump), ("pinned", .storeTrump), ("follower", .error)].map {
      let context = container.newContext(author: $0)
      context.mergePolicy = $1
      context.retainsRegisteredObjects = true
      return Seat(context, at: position)
    }
    try seats[1].context.setQueryGeneration(from: .current)
    seats[2].context.automaticallyMergesChangesFromParent = true
    for seat in seats {
      seat.lists = try [
        FollowedList("Fireball", by: "-energy", sections: "observer.name", in: seat.context),
        FollowedList("Group", by: "size,-text", in: seat.context),
        FollowedList("Fireball", where: "ANY groups.size > 1", by: "text", in: seat.context),
        FollowedList("Note", by: "ownerName", sections: "owner.noteCount", in: seat.context),
      ]
    }
  }

  /// Does a round.
  ///
  /// - Throws: ``Problem`` for what must not be, and errors that are none of the rules' own.
  func play(_ round: GraphRound) throws {
    transcript.removeAll(keepingCapacity: true)
    for step in round.steps {
      let seat = seats[step.context]
      let outcome = try outcome { try perform(step.action, seat) }
      transcript.append("\(seat.context.transactionAuthor ?? "") \(step.action): \(outcome)")
    }
    let settling = round.settling.sorted().map { seats[$0] }
    for seat in settling {
      let saved = try outcome { Self.text(try seat.context.save()) }
      transcript.append("\(seat.context.transactionAuthor ?? "") settles: \(saved)")
      if seat.context.hasChanges { seat.context.rollback() }
    }
    for seat in settling { try merge(seat) }
    try check(settling)
  }

  private func outcome(_ body: () throws -> String) throws -> String {
    do {
      return try body()
    } catch let error as BolideError where !error.code.name.hasPrefix("store.") {
      return (["\(error.code.name): \(error.message)"] + error.details).joined(separator: " | ")
    }
  }

  // MARK: What must hold

  private func check(_ settled: [Seat]) throws {
    let fresh = container.newContext()
    let stored = try GraphModel.picture(of: fresh)
    transcript += stored
    var problems = try container.check()
    problems += try GraphModel.problems(of: fresh, recounting: true).map { "a fresh context: \($0)" }
    for seat in settled {
      let name = seat.context.transactionAuthor ?? ""
      let seen = try GraphModel.picture(of: seat.context)
      if seen != stored {
        let missing = stored.filter { !seen.contains($0) }.map { "\(name) should show \($0)" }
        problems += missing + seen.filter { !stored.contains($0) }.map { "\(name) shows \($0)" }
        if missing.isEmpty { problems.append("\(name) shows objects in another order") }
      }
      problems += try GraphModel.problems(of: seat.context, recounting: true).map { "\(name): \($0)" }
      for list in seat.lists {
        problems += try list.problems().map { "\(name), the list of \(list.title): \($0)" }
      }
    }
    // A pinned context reads one state, so its sides agree whether or not it has merged.
    for seat in seats where seat.context.queryGeneration != nil {
      problems += try GraphModel.problems(of: seat.context, recounting: !seat.context.hasChanges)
        .map { "\(seat.context.transactionAuthor ?? ""), pinned: \($0)" }
    }
    if !problems.isEmpty { throw Problem(lines: problems) }
  }

  private func merge(_ seat: Seat) throws {
    try seat.context.processPendingChanges()
    let news = try container.history(PersistentHistoryRequest(after: .token(seat.position)))
    for transaction in news.transactions { try seat.context.mergeChanges(from: transaction) }
    seat.position = news.scannedThrough
  }

  // MARK: Steps

  private func perform(_ action: GraphStep.Action, _ seat: Seat) throws -> String {
    let context = seat.context
    switch action {
    case .save: return Self.text(try context.save())
    case .saveAs(let policy): return Self.text(try context.save(policy: policy))
    case .contend(let contention): return try contention.run(in: container)
    case .rollback: context.rollback()
    case .mergeHistory: try merge(seat)
    case .processPending: try context.processPendingChanges()
    case .pin: try context.setQueryGeneration(from: .current)
    case .unpin: try context.setQueryGeneration(from: .unpinned)
    case .share(let other):
      guard let generation = seats[other].context.queryGeneration else { return "nothing to share" }
      try context.setQueryGeneration(from: .generation(generation))
      // What came after that state is to be merged again.
      if generation.token.number < seat.position.number { seat.position = generation.token }
    case .refreshAll: context.refreshAllObjects()
    case .reset: try context.reset()
    case .obtainIDs: try context.obtainPermanentIDs(for: context.insertedObjects.prefix(2))
    case .refresh(let entity, let pick, let keepsEdits):
      guard let object = try one(entity, pick, context) else { return "nothing" }
      context.refresh(object, mergeChanges: keepsEdits)
    case .batchInsert, .batchUpdate, .batchDelete: return try batch(action, context)
    default: return try edit(action, context)
    }
    return "done"
  }

  private func batch(_ action: GraphStep.Action, _ context: ManagedObjectContext) throws -> String {
    switch action {
    case .batchInsert(let keys, let energy):
      let records = keys.map { key -> [String: Value] in
        var record: [String: Value] = ["key": .int(Int64(key)), "text": .string("batch \(key % 4)")]
        record["energy"] = energy.map { .double(Double($0)) }
        return record
      }
      let result = try context.execute(BatchInsertRequest(entity: "Fireball", records: records))
      return "\(result.inserted.map(\.description)) \(result.updated.map(\.description))"
    case .batchUpdate(let value, let adds):
      var request = BatchUpdateRequest<ManagedObject>(
        entity: "Fireball", values: adds ? [:] : ["energy": .double(Double(value))],
        where: .compare(.path(["key"]), .less, .literal(.int(Int64(value * 3)))))
      if adds { request.expressions["energy"] = try RowExpression(parsing: "coalesce(energy, 0) + 1") }
      return "\(try context.execute(request).updated.map(\.description))"
    case .batchDelete(let entity, let value):
      let property = GraphModel.text(of: entity)
      let request = BatchDeleteRequest(
        entity: entity.rawValue,
        where: .compare(.path([property]), .equal, .literal(.string("text \(value)"))))
      return "\(try context.execute(request).deleted.map(\.description))"
    default: return "nothing"
    }
  }

  private func edit(_ action: GraphStep.Action, _ context: ManagedObjectContext) throws -> String {
    func number(_ pick: Int, _ entity: GraphStep.Entity) throws -> ManagedObject? {
      try one(entity, pick, context)
    }
    switch action {
    case .insert(let entity, let key):
      // Stores stay small, so that whatever steps do meets.
      if try context.count(for: FetchRequest<ManagedObject>(entity: entity.rawValue)) > 15 { return "enough" }
      let subject = entity == .report ? try one(.group, key, context) : nil
      if entity == .report, subject == nil { return "nothing" }
      let object = try context.insert(entity.rawValue)
      if entity == .report {
        try Self.number(object, key)
        try object.setObject(subject, for: "subject")
      }
      if entity == .fireball || entity == .superbolide { try object.setValue(.int(Int64(key)), for: "key") }
      try object.setValue(.string("Text \(key % 9)"), for: GraphModel.text(of: entity))
      return object.description
    case .set(let entity, let pick, let value):
      guard let object = try number(pick, entity) else { return "nothing" }
      if entity == .fireball, value.isMultiple(of: 2) {
        try object.setValue(value == 0 ? .null : .double(Double(value)), for: "energy")
      } else {
        try object.setValue(.string("text \(value % 9)"), for: GraphModel.text(of: entity))
      }
      return object.description
    case .move(let pick, let key):
      guard let object = try number(pick, .fireball) else { return "nothing" }
      try object.setValue(.int(Int64(key)), for: "key")
      return object.description
    case .exchangeKeys(let first, let second):
      guard let one = try number(first, .fireball), let other = try number(second, .fireball) else {
        return "nothing"
      }
      let key = try one.value("key")
      try one.setValue(try other.value("key"), for: "key")
      try other.setValue(key, for: "key")
      return "\(one) \(other)"
    case .number(let pick, let key):
      guard let report = try number(pick, .report) else { return "nothing" }
      try Self.number(report, key)
      return report.description
    case .delete(let entity, let pick):
      guard let object = try number(pick, entity) else { return "nothing" }
      context.delete(object)
      return object.description
    default: return try link(action, context)
    }
  }

  private func link(_ action: GraphStep.Action, _ context: ManagedObjectContext) throws -> String {
    switch action {
    case .members(let member, let group, let pick, let fromGroup):
      guard let group = try one(.group, group, context) else { return "nothing" }
      let all = try objects(.fireball, context)
      let chosen = all.enumerated().filter { $0.offset % 5 == pick % 5 }.map(\.element)
      if fromGroup { return try change(member, group, "fireballs", chosen) }
      return try chosen.map { try change(member, $0, "groups", [group]) }.joined(separator: ", ")
    case .follow(let member, let group, let other):
      guard let group = try one(.group, group, context), let other = try one(.group, other, context) else {
        return "nothing"
      }
      return try change(member, group, "follows", [other])
    case .nest(let group, let parent):
      guard let group = try one(.group, group, context) else { return "nothing" }
      let parent = try parent.flatMap { try one(.group, $0, context) }
      try group.setObject(parent, for: "parent")
      return "\(group) in \(parent?.description ?? "none")"
    case .see(let fireball, let observer):
      guard let fireball = try one(.fireball, fireball, context) else { return "nothing" }
      let observer = try observer.flatMap { try one(.observer, $0, context) }
      try fireball.setObject(observer, for: "observer")
      return "\(fireball) by \(observer?.description ?? "none")"
    case .hand(let note, let observer):
      guard let note = try one(.note, note, context) else { return "nothing" }
      let observer = try observer.flatMap { try one(.observer, $0, context) }
      try note.setObject(observer, for: "owner")
      return "\(note) to \(observer?.description ?? "none")"
    case .keep(let group, let observer, let fromObserver):
      guard let group = try one(.group, group, context) else { return "nothing" }
      let observer = try observer.flatMap { try one(.observer, $0, context) }
      if fromObserver, let observer {
        try observer.setObject(group, for: "keeps")
      } else {
        try group.setObject(observer, for: "keeper")
      }
      return "\(group) by \(observer?.description ?? "none")"
    case .assign(let report, let group):
      guard let report = try one(.report, report, context) else { return "nothing" }
      let group = try group.flatMap { try one(.group, $0, context) }
      try report.setObject(group, for: "subject")
      return "\(report) on \(group?.description ?? "none")"
    case .summarize(let report, let note, let fromNote):
      guard let report = try one(.report, report, context) else { return "nothing" }
      let note = try note.flatMap { try one(.note, $0, context) }
      if fromNote, let note {
        try note.setObject(report, for: "report")
      } else {
        try report.setObject(note, for: "summary")
      }
      return "\(report) by \(note?.description ?? "none")"
    default: return "nothing"
    }
  }

  /// Gives a report keys, few enough to meet others.
  private static func number(_ report: ManagedObject, _ key: Int) throws {
    try report.setValue(.int(Int64(key % 3)), for: "series")
    try report.setValue(key % 7 == 0 ? .null : .int(Int64(key % 5)), for: "number")
    try report.setValue(key % 4 == 0 ? .null : .string("code \(key % 11)"), for: "code")
  }

  private func change(
    _ member: GraphStep.Member, _ owner: ManagedObject, _ key: String, _ members: [ManagedObject]
  ) throws -> String {
    switch member {
    case .add: return "\(owner) +\(try owner.addObjects(members, for: key))"
    case .remove: return "\(owner) -\(try owner.removeObjects(members, for: key))"
    case .replace:
      let counts = try owner.replaceObjects(members, for: key)
      return "\(owner) +\(counts.added) -\(counts.removed)"
    }
  }

  private func objects(_ entity: GraphStep.Entity, _ context: ManagedObjectContext) throws -> [ManagedObject]
  {
    try context.fetch(FetchRequest<ManagedObject>(entity: entity.rawValue))
  }

  private func one(
    _ entity: GraphStep.Entity, _ pick: Int, _ context: ManagedObjectContext
  ) throws -> ManagedObject? {
    let all = try objects(entity, context)
    return all.isEmpty ? nil : all[pick % all.count]
  }

  private static func text(_ result: SaveResult) -> String {
    "inserted \(result.inserted) updated \(result.updated) deleted \(result.deleted) "
      + "transaction \(result.transaction.map { "\($0)" } ?? "none")"
  }
}

/// A list whose reports are applied to a copy of it.
private final class FollowedList {
  let title: String
  private let controller: FetchedResultsController<ManagedObject>
  private let reports: ResultsReports<ManagedObject>
  private var copy: ReportReplay

  init(
    _ entity: String, where text: String? = nil, by sort: String, sections: String? = nil,
    in context: ManagedObjectContext
  ) throws {
    title = [entity, text, sections].compactMap { $0 }.joined(separator: " ")
    let scope = EntityScope(try context.map.entity(entity), in: context.map)
    let request = FetchRequest<ManagedObject>(
      entity: entity, where: try text.map { try Condition(parsing: $0, in: scope) },
      sort: try SortTerm.list(parsing: sort))
    controller = FetchedResultsController(request, in: context, sections: sections.map { .attribute($0) })
    try controller.performFetch()
    copy = ReportReplay(controller)
    reports = controller.reports
  }

  func problems() throws -> [String] {
    var problems: [String] = []
    while let report = reports.nextIfAvailable() { problems += copy.apply(report) }
    return problems + (try copy.differences(from: controller))
  }
}
